import { and, asc, eq, isNull, or, type SQL, sql } from "drizzle-orm";
import type { Executor, Transaction } from "#db/database.ts";
import { toolPageGrants, tools } from "#db/tables/catalog.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { accessCodes } from "#db/tables/vault.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { isInAcceptedMode } from "../accepted-mode.server.ts";
import { requireSystem } from "../authorise.ts";
import type { Context } from "../context.ts";

/** The rule for server names in SQL: case and outer spaces are ignored. */
/** Names of servers are typed by hand, so case and outer spaces are ignored: the rule in SQL, and in TypeScript. */
export const serverOf = (name: unknown): SQL => sql`lower(btrim(${name}))`;
export const normaliseServerName = (name: string): string => name.trim().toLowerCase();

/** Open checkouts and running passes that this shop accepts. */
export function isHeldOrRunning(ctx: Context): SQL {
  const now = sql`${ctx.clock.now().toISOString()}::timestamptz`;
  const isRunning = sql`(
    ${userPurchases.status} in ('completed', 'active') and ${userPurchases.endedAt} is null
    and ${userPurchases.startsAt} <= ${now} and ${userPurchases.expiresAt} > ${now}
  )`;
  return sql`(${and(or(eq(userPurchases.status, "pending"), isRunning), isInAcceptedMode(ctx))})`;
}

/** The same that open the page of the tool, through its grants too. */
const waitsForCode = (ctx: Context) => sql`${isHeldOrRunning(ctx)} and (
  ${userPurchases.toolId} = ${tools.id}
  or ${userPurchases.toolId} in (
    select ${toolPageGrants.toolId} from ${toolPageGrants} where ${toolPageGrants.page} = ${tools.slug}
  )
  or lower(${userPurchases.toolName}) in (
    select lower(${toolPageGrants.toolName}) from ${toolPageGrants} where ${toolPageGrants.page} = ${tools.slug}
  )
)`;

/**
 * How many more passes of a tool its codes for one buyer allow: one of each server is one unit, and a held or sold pass
 * without its code has one coming. Negative when more is sold than there is. The caller has locked the tool, so that no
 * other sale of it is in between.
 *
 * @param forId count the units for this purchase: it is not one of those that wait, and needs none where it has its code
 * @returns null when there is nothing to count: no server of the tool hands out one code for each buyer, or the purchase has its codes
 */
export async function countCodeUnits(
  ctx: Context,
  executor: Executor,
  { toolId, forId = null }: { toolId: string; forId?: string | null },
): Promise<number | null> {
  const server = sql`server.name`;
  const hasCode = (passId: unknown) => sql`exists (
    select 1 from ${accessCodes}
    where ${accessCodes.passId} = ${passId} and ${accessCodes.toolId} = ${tools.id}
      and ${accessCodes.isActive} and ${serverOf(accessCodes.serverName)} = ${server}
  )`;
  const units = sql`
        select min(codes.unused - waiting.passes)::int
        from (
          select ${serverOf(sql`element ->> 'name'`)} as name from jsonb_array_elements(${tools.servers}) element
          where (element ->> 'perBuyer')::boolean
        ) server
        cross join lateral (
          select count(*) as unused from ${accessCodes}
          where ${accessCodes.toolId} = ${tools.id} and ${accessCodes.perBuyer} and ${accessCodes.isActive}
            and ${accessCodes.passId} is null and ${serverOf(accessCodes.serverName)} = ${server}
        ) codes
        cross join lateral (
          select count(*) as passes from ${userPurchases}
          where ${waitsForCode(ctx)} and ${userPurchases.id} is distinct from ${forId}::uuid
            and not ${hasCode(userPurchases.id)}
        ) waiting
        where ${forId === null ? sql`true` : sql`not ${hasCode(sql`${forId}::uuid`)}`}`;
  const [counted] = await executor
    .select({ units: sql<number | null>`(${units})` })
    .from(tools)
    .where(eq(tools.id, toolId));
  return counted?.units ?? null;
}

/**
 * Whether a server has an unused code that no held or sold pass of the tool itself waits for. Locks the tool, so that no sale of
 * it is in between.
 */
export async function hasUnreservedCode(
  ctx: Context,
  tx: Transaction,
  { toolId, serverName }: { toolId: string; serverName: string },
): Promise<boolean> {
  await tx.select({ id: tools.id }).from(tools).where(eq(tools.id, toolId)).for("no key update");
  const ofServer = sql`${accessCodes.toolId} = ${toolId} and ${accessCodes.isActive} and ${accessCodes.perBuyer}
    and ${serverOf(accessCodes.serverName)} = ${serverOf(serverName)}`;
  const unused = await tx.$count(accessCodes, sql`${ofServer} and ${accessCodes.passId} is null`);
  const waiting = sql`${userPurchases.toolId} = ${toolId} and ${isHeldOrRunning(ctx)} and not exists (
    select 1 from ${accessCodes} where ${accessCodes.passId} = ${userPurchases.id} and ${ofServer}
  )`;
  return unused > (await tx.$count(userPurchases, waiting));
}

/**
 * Sets the stock of a tool to the passes that its codes allow, after its codes, servers or passes have changed. The stock of
 * a tool whose codes are for all buyers stays as it is; when its last server with one code for each buyer is gone, it is 0.
 */
export async function recountStock(ctx: Context, tx: Transaction, toolId: string): Promise<void> {
  const [tool] = await tx
    .select({
      availableStock: tools.availableStock,
      stockFromCodes: tools.stockFromCodes,
      servers: tools.servers,
    })
    .from(tools)
    .where(eq(tools.id, toolId))
    .for("no key update");
  if (tool === undefined) return;
  const isCounted = tool.servers.some(({ perBuyer }) => perBuyer);
  const units = isCounted ? await countCodeUnits(ctx, tx, { toolId }) : null;
  if (units === null && !tool.stockFromCodes) return;
  const counted = { stockFromCodes: units !== null, availableStock: Math.max(0, units ?? 0) };
  if (counted.stockFromCodes === tool.stockFromCodes && counted.availableStock === tool.availableStock)
    return;
  await tx.update(tools).set(counted).where(eq(tools.id, toolId));
  changed(tx, tools);
}

/**
 * Counts the stock of every tool whose codes are for one buyer each: a pass that ended before its first reveal gives its
 * code back, and no event says so.
 *
 * @throws DomainError 'forbidden' unless the actor is the system
 */
export async function recountStocks(ctx: Context): Promise<void> {
  requireSystem(ctx);
  const found = await ctx.db
    .select({ id: tools.id })
    .from(tools)
    .where(and(eq(tools.stockFromCodes, true), isNull(tools.deletedAt)))
    .orderBy(asc(tools.id));
  for (const { id } of found) await inTransaction(ctx.db, (tx) => recountStock(ctx, tx, id));
}
