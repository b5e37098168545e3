import { eq, inArray, sql } from "drizzle-orm";
import { z } from "zod";
import { tools } from "#db/tables/catalog.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { accessCodes } from "#db/tables/vault.ts";
import { type AuthorisedContext, hasRecentPassword, requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { type List, type ListInput, listFields, makeList } from "../lists/paging.ts";
import { type ListQuery, selectAllIds, selectListPage } from "../lists/select-page.server.ts";
import { hashSimpleCode } from "../vault/seal-secrets.ts";
import { countReports } from "./report-access-code.server.ts";

const inputSchema = z.object(listFields(["createdAt"]));

type Input = z.output<typeof inputSchema>;

export interface ListedAccessCode {
  id: string;
  toolId: string;
  /** The name that the tool has now. */
  toolName: string;
  /** Whether the tool was deleted: its page keeps its codes for passes that are still active. */
  toolIsDeleted: boolean;
  serverName: string;
  /** null, as is the next field, for an admin without a recent password. */
  simpleCode: string | null;
  /** The first 30 characters of the session code, and "…" when it is longer. */
  sessionCodeStart: string | null;
  isActive: boolean;
  /** The code is for one buyer. */
  perBuyer: boolean;
  /** Whose pass has taken it; null: nobody's. */
  takenBy: string | null;
  /** Reports of buyers that the code does not work, since the simple code changed. */
  reports: number;
  /** When the last of them came; null without any. */
  lastReportedAt: Date | null;
  version: number;
  createdAt: Date;
}

export interface AccessCodeList extends List<ListedAccessCode> {
  /** For want of a recent password: no row has its codes, and whole codes are not found. */
  hidesCodes: boolean;
}

const SESSION_CODE_CHARACTERS = 30;

/**
 * The access codes, newest first unless the input says otherwise. Only the codes of the page are decrypted,
 * and none for an admin without a recent password.
 *
 * @param input `q`: a part of the tool's or server's name, or, with a recent password, a whole simple code in any case or session
 * code;
 *   `direction`; `page`
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function listAccessCodes(ctx: Context, input: ListInput): Promise<AccessCodeList> {
  requireAdmin(ctx, "reads");
  const page = await selectListPage(ctx.db, listedCodes(ctx, inputSchema.parse(input)));
  const found = await ctx.db
    .select({
      code: accessCodes,
      toolName: tools.name,
      toolDeletedAt: tools.deletedAt,
      takenBy: userPurchases.userEmail,
    })
    .from(accessCodes)
    .innerJoin(tools, eq(tools.id, accessCodes.toolId))
    .leftJoin(userPurchases, eq(userPurchases.id, accessCodes.passId))
    .where(inArray(accessCodes.id, page.ids));
  const reportsById = await countReports(ctx.db, page.ids);
  const showsCodes = hasRecentPassword(ctx);
  const rows = found.map(({ code, toolName, toolDeletedAt, takenBy }) => {
    const { id, toolId, serverName, isActive, perBuyer, version, createdAt } = code;
    const toolIsDeleted = toolDeletedAt !== null;
    const { reports, lastReportedAt } = reportsById.get(id) ?? { reports: 0, lastReportedAt: null };
    const codes = showsCodes ? openCodes(ctx, code) : { simpleCode: null, sessionCodeStart: null };
    return {
      id,
      toolId,
      toolName,
      toolIsDeleted,
      serverName,
      ...codes,
      isActive,
      perBuyer,
      takenBy,
      reports,
      lastReportedAt,
      version,
      createdAt,
    };
  });
  return { ...makeList(page, rows), hidesCodes: !showsCodes };
}

function openCodes({ ports }: Context, code: typeof accessCodes.$inferSelect) {
  const open = (sealed: string, column: string) =>
    ports.cipher.open(sealed, { table: "access_codes", rowId: code.id, column });
  return {
    simpleCode: open(code.simpleCodeSealed, "simple_code_sealed"),
    sessionCodeStart: shorten(open(code.sessionCodeSealed, "session_code_sealed")),
  };
}

/** The ids of all access codes of a list, `most` at most. */
export function selectCodeIds(ctx: AuthorisedContext, input: ListInput, most: number): Promise<string[]> {
  return selectAllIds(ctx.db, listedCodes(ctx, inputSchema.parse(input)), most);
}

function listedCodes(ctx: AuthorisedContext, { sort: _, ...parsed }: Input): ListQuery {
  const { cipher } = ctx.ports;
  const { simpleCodeKey } = hashSimpleCode(cipher, parsed.q);
  return {
    ...parsed,
    from: sql`${accessCodes}`,
    id: sql`${accessCodes.id}`,
    listed: sql`true`,
    keys: [{ column: sql`${accessCodes.createdAt}` }],
    search: (matches) => [
      sql`${accessCodes.toolId} in (select id from ${tools} where ${matches(tools.name, "name")})`,
      matches(accessCodes.serverName, "name"),
      // Without it, a search would confirm a guess.
      ...(hasRecentPassword(ctx)
        ? [
            sql`${accessCodes.simpleCodeKey} = ${simpleCodeKey}`,
            sql`${accessCodes.sessionCodeHash} = ${cipher.lookupHash(parsed.q)}`,
          ]
        : []),
    ],
  };
}

function shorten(sessionCode: string): string {
  const characters = [...sessionCode];
  return characters.length > SESSION_CODE_CHARACTERS
    ? `${characters.slice(0, SESSION_CODE_CHARACTERS).join("")}…`
    : sessionCode;
}
