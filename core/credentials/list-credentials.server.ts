import { inArray, sql } from "drizzle-orm";
import { z } from "zod";
import { credentials } from "#db/tables/vault.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { inOrderOf, type List, type ListInput, listFields, PAGE_SIZE } from "../paging.ts";
import { type PageOfIds, type SortKey, selectListPage } from "../select-page.server.ts";

const inputSchema = z.object(listFields(["createdAt", "service", "email"]));

type Input = z.output<typeof inputSchema>;

export interface ListedCredential {
  id: string;
  service: string;
  email: string;
  /** The first four characters and eight asterisks; only asterisks for a password of at most four characters. */
  passwordMasked: string;
  isActive: boolean;
  version: number;
  createdAt: Date;
}

const SORT_KEYS: Record<Input["sort"], SortKey[]> = {
  createdAt: [{ column: sql`${credentials.createdAt}` }],
  service: [{ column: sql`lower(${credentials.service})` }],
  email: [{ column: sql`lower(${credentials.email})` }],
};

/**
 * The shared credentials, newest first unless the input says otherwise. Passwords are masked: the requirements ask for the first
 * four characters in this list, so it needs no recent password.
 *
 * @param input `q`: a part of the service or e-mail address; `sort`: createdAt, service or email; `direction`; `page`
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function listCredentials(ctx: Context, input: ListInput): Promise<List<ListedCredential>> {
  requireAdmin(ctx, "reads");
  const { ids, ...facts } = await selectCredentialIds(ctx, inputSchema.parse(input));
  const found = await ctx.db.select().from(credentials).where(inArray(credentials.id, ids));
  const rows = found.map(({ id, service, email, passwordSealed, isActive, version, createdAt }) => {
    const place = { table: "credentials", rowId: id, column: "password_sealed" };
    const passwordMasked = maskPassword(ctx.ports.cipher.open(passwordSealed, place));
    return { id, service, email, passwordMasked, isActive, version, createdAt };
  });
  return { rows: inOrderOf(ids, rows), pageSize: PAGE_SIZE, ...facts };
}

function selectCredentialIds(ctx: Context, { sort, ...parsed }: Input): Promise<PageOfIds> {
  return selectListPage(ctx.db, {
    ...parsed,
    from: sql`${credentials}`,
    id: sql`${credentials.id}`,
    listed: sql`true`,
    keys: SORT_KEYS[sort],
    search: (pattern) => [
      sql`${credentials.service} ilike ${pattern}`,
      sql`${credentials.email} ilike ${pattern}`,
    ],
  });
}

const SHOWN_CHARACTERS = 4;

/** The asterisks do not tell the length. */
function maskPassword(password: string): string {
  const characters = [...password];
  const shown = characters.length > SHOWN_CHARACTERS ? characters.slice(0, SHOWN_CHARACTERS).join("") : "";
  return `${shown}********`;
}
