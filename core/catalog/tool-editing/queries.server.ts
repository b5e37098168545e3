import { and, asc, eq, inArray, isNotNull, isNull, ne, notInArray, sql } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { toolPageGrants, tools } from "#db/tables/catalog.ts";
import { accessCodes } from "#db/tables/vault.ts";
import { changed } from "#db/transaction.ts";
import { normaliseServerName, serverOf } from "../stock.server.ts";

export type Tool = typeof tools.$inferSelect;

/** The tool, locked against sales and other edits until the end of the transaction; null when it is deleted. */
export async function lockTool(tx: Transaction, toolId: string): Promise<Tool | null> {
  const [tool] = await tx
    .select()
    .from(tools)
    .where(and(eq(tools.id, toolId), isNull(tools.deletedAt)))
    .for("no key update");
  return tool ?? null;
}

/** Whether a tool that is not deleted has this name. Case is ignored. */
export async function isToolNameTaken(tx: Transaction, name: string, exceptId?: string): Promise<boolean> {
  const taken = and(
    eq(sql`lower(${tools.name})`, sql`lower(${name})`),
    isNull(tools.deletedAt),
    exceptId === undefined ? undefined : ne(tools.id, exceptId),
  );
  return (await tx.$count(tools, taken)) > 0;
}

/** All slugs, also of deleted tools: their pages still answer. */
export async function selectSlugs(tx: Transaction): Promise<ReadonlySet<string>> {
  const rows = await tx.select({ slug: tools.slug }).from(tools);
  return new Set(rows.map(({ slug }) => slug));
}

export async function selectServerIds(tx: Transaction, exceptToolId?: string): Promise<ReadonlySet<string>> {
  const rows = await tx
    .select({ servers: tools.servers })
    .from(tools)
    .where(exceptToolId === undefined ? undefined : ne(tools.id, exceptToolId));
  return new Set(rows.flatMap(({ servers }) => servers.map(({ id }) => id)));
}

/** How many of these tools are not deleted. */
export async function countTools(tx: Transaction, toolIds: readonly string[]): Promise<number> {
  if (toolIds.length === 0) return 0;
  return tx.$count(tools, and(inArray(tools.id, [...toolIds]), isNull(tools.deletedAt)));
}

/** What opens a tool's page beside its own passes, as the admin edits it. */
export interface PageGrants {
  pageNames: string[];
  pageToolIds: string[];
}

/** Grants for deleted tools, and for the page's own tool, are left out: an edit keeps them. */
export async function selectPageGrants(
  tx: Transaction,
  page: { slug: string; toolId: string },
): Promise<PageGrants> {
  const rows = await tx
    .select({ toolId: tools.id, toolName: toolPageGrants.toolName, deletedAt: tools.deletedAt })
    .from(toolPageGrants)
    .leftJoin(tools, eq(tools.id, toolPageGrants.toolId))
    .where(eq(toolPageGrants.page, page.slug))
    .orderBy(asc(toolPageGrants.toolName), asc(toolPageGrants.toolId));
  const live = rows.filter(({ toolId, deletedAt }) => toolId !== page.toolId && deletedAt === null);
  return {
    pageNames: rows.flatMap(({ toolName }) => toolName ?? []),
    pageToolIds: live.flatMap(({ toolId }) => toolId ?? []),
  };
}

/** Replaces the grants of a page with `after`. @param before what `selectPageGrants` returned */
export async function savePageGrants(
  tx: Transaction,
  page: string,
  before: PageGrants,
  after: PageGrants,
): Promise<void> {
  const goneIds = before.pageToolIds.filter((id) => !after.pageToolIds.includes(id));
  const onPage = eq(toolPageGrants.page, page);
  if (goneIds.length > 0)
    await tx.delete(toolPageGrants).where(and(onPage, inArray(toolPageGrants.toolId, goneIds)));
  changed(tx, toolPageGrants);
  const goneNames =
    after.pageNames.length > 0 ? notInArray(toolPageGrants.toolName, after.pageNames) : undefined;
  await tx.delete(toolPageGrants).where(and(onPage, isNotNull(toolPageGrants.toolName), goneNames));
  changed(tx, toolPageGrants);
  const rows = [
    ...after.pageToolIds.map((toolId) => ({ page, toolId })),
    ...after.pageNames.map((toolName) => ({ page, toolName })),
  ];
  if (rows.length > 0) await tx.insert(toolPageGrants).values(rows).onConflictDoNothing();
  changed(tx, toolPageGrants);
}

/** Lets the access codes of renamed servers follow them. Case and outer spaces of the old names are ignored. */
export async function renameServersOfCodes(
  tx: Transaction,
  toolId: string,
  renames: readonly { from: string; to: string }[],
): Promise<void> {
  if (renames.length === 0) return;
  const current = serverOf(accessCodes.serverName);
  const cases = renames.map(({ from, to }) => sql`when ${normaliseServerName(from)} then ${to}`);
  const from = renames.map((rename) => normaliseServerName(rename.from));
  // One statement, so that two servers can swap their names.
  await tx
    .update(accessCodes)
    .set({
      serverName: sql`case ${current} ${sql.join(cases, sql` `)} else ${accessCodes.serverName} end`,
      version: sql`${accessCodes.version} + 1`,
    })
    .where(and(eq(accessCodes.toolId, toolId), inArray(current, from)));
  changed(tx, accessCodes);
}
