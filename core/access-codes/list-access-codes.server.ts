import { eq, inArray, sql } from "drizzle-orm";
import { z } from "zod";
import { tools } from "#db/tables/catalog.ts";
import { accessCodes } from "#db/tables/vault.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { countAccessCodes } from "../counters/read-counts.server.ts";
import { inOrderOf, type List, type ListInput, listFields, PAGE_SIZE } from "../paging.ts";
import { type PageOfIds, selectListPage } from "../select-page.server.ts";
import { countReports } from "./report-queries.server.ts";

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
  simpleCode: string;
  /** The first 30 characters of the session code, and "…" when it is longer. */
  sessionCodeStart: string;
  isActive: boolean;
  /** Reports of buyers that the code does not work, since the simple code changed. */
  reports: number;
  version: number;
  createdAt: Date;
}

const SESSION_CODE_CHARACTERS = 30;

/**
 * The access codes, newest first unless the input says otherwise. Only the codes of the page are decrypted.
 *
 * @param input `q`: a part of the tool's or server's name, or a whole simple or session code; `direction`; `page`
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function listAccessCodes(ctx: Context, input: ListInput): Promise<List<ListedAccessCode>> {
  requireAdmin(ctx);
  const { ids, ...facts } = await selectCodeIds(ctx, inputSchema.parse(input));
  const found = await ctx.db
    .select({ code: accessCodes, toolName: tools.name, toolDeletedAt: tools.deletedAt })
    .from(accessCodes)
    .innerJoin(tools, eq(tools.id, accessCodes.toolId))
    .where(inArray(accessCodes.id, ids));
  const reportsById = await countReports(ctx.db, ids);
  const rows = found.map(({ code, toolName, toolDeletedAt }) => {
    const { id, toolId, serverName, isActive, version, createdAt } = code;
    const open = (sealed: string, column: string) =>
      ctx.ports.cipher.open(sealed, { table: "access_codes", rowId: id, column });
    const simpleCode = open(code.simpleCodeSealed, "simple_code_sealed");
    const sessionCodeStart = shorten(open(code.sessionCodeSealed, "session_code_sealed"));
    const toolIsDeleted = toolDeletedAt !== null;
    const reports = reportsById.get(id) ?? 0;
    const codes = { simpleCode, sessionCodeStart };
    return {
      id,
      toolId,
      toolName,
      toolIsDeleted,
      serverName,
      ...codes,
      isActive,
      reports,
      version,
      createdAt,
    };
  });
  return { rows: inOrderOf(ids, rows), pageSize: PAGE_SIZE, ...facts };
}

function selectCodeIds(ctx: Context, { sort: _, ...parsed }: Input): Promise<PageOfIds> {
  const hash = ctx.ports.cipher.lookupHash(parsed.q);
  return selectListPage(ctx.db, {
    ...parsed,
    from: sql`${accessCodes}`,
    id: sql`${accessCodes.id}`,
    listed: sql`true`,
    keys: [{ column: sql`${accessCodes.createdAt}` }],
    search: (pattern) => [
      sql`${accessCodes.toolId} in (select id from ${tools} where ${tools.name} ilike ${pattern})`,
      sql`${accessCodes.serverName} ilike ${pattern}`,
      sql`${accessCodes.simpleCodeHash} = ${hash}`,
      sql`${accessCodes.sessionCodeHash} = ${hash}`,
    ],
    count: () => countAccessCodes(ctx.db),
  });
}

function shorten(sessionCode: string): string {
  const characters = [...sessionCode];
  return characters.length > SESSION_CODE_CHARACTERS
    ? `${characters.slice(0, SESSION_CODE_CHARACTERS).join("")}…`
    : sessionCode;
}
