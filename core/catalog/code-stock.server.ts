import { and, asc, eq, isNull, sql } from "drizzle-orm";
import type { Executor, Transaction } from "#db/database.ts";
import { toolPageGrants, tools } from "#db/tables/catalog.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { accessCodes } from "#db/tables/vault.ts";
import { inTransaction } from "#db/transaction.ts";
import { requireSystem } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";

const serverOf = (column: unknown) => sql`lower(btrim(${column}))`;

/** Open checkouts and running passes. */
const isHeldOrRunning = (now: Date) => sql`(
  ${userPurchases.status} = 'pending' or (
    ${userPurchases.status} in ('completed', 'active') and ${userPurchases.endedAt} is null
    and ${userPurchases.startsAt} <= ${now.toISOString()}::timestamptz and ${userPurchases.expiresAt} > ${now.toISOString()}::timestamptz
  )
)`;

/** The same that open the page of the tool, through its grants too. */
const waitsForCode = (now: Date) => sql`${isHeldOrRunning(now)} and (
  ${userPurchases.toolId} = ${tools.id}
  or ${userPurchases.toolId} in (
    select ${toolPageGrants.toolId} from ${toolPageGrants} where ${toolPageGrants.page} = ${tools.slug}
  )
  or lower(${userPurchases.toolName}) in (
    select lower(${toolPageGrants.toolName}) from ${toolPageGrants} where ${toolPageGrants.page} = ${tools.slug}
  )
)`;

/** What kinds of codes a server has: active ones for all buyers, and any for one buyer each. */
export async function selectKindsOfCodes(
  executor: Executor,
  { toolId, serverName }: { toolId: string; serverName: string },
): Promise<{ hasShared: boolean; isPerBuyer: boolean }> {
  const { isActive, perBuyer } = accessCodes;
  const [kinds] = await executor
    .select({
      hasShared: sql<boolean>`coalesce(bool_or(${isActive} and not ${perBuyer}), false)`,
      isPerBuyer: sql<boolean>`coalesce(bool_or(${perBuyer}), false)`,
    })
    .from(accessCodes)
    .where(and(eq(accessCodes.toolId, toolId), eq(serverOf(accessCodes.serverName), serverOf(serverName))));
  return kinds ?? { hasShared: false, isPerBuyer: false };
}

/**
 * Refuses a code for all buyers on a server whose buyers get one each, and the other way round: nobody could say who gets
 * which.
 *
 * @throws DomainError 'server-has-codes-per-buyer', 'server-has-shared-codes'
 */
export async function refuseMixedCodes(
  tx: Transaction,
  { perBuyer, ...server }: { toolId: string; serverName: string; perBuyer: boolean },
): Promise<void> {
  const { hasShared, isPerBuyer } = await selectKindsOfCodes(tx, server);
  if (perBuyer && hasShared) throw new DomainError("server-has-shared-codes");
  if (!perBuyer && isPerBuyer) throw new DomainError("server-has-codes-per-buyer");
}

/**
 * How many more passes of a tool its codes for one buyer allow: one of each server is one unit, and a held or sold pass
 * without its code has one coming. Negative when more is sold than there is. The caller has locked the tool, so that no
 * other sale of it is in between.
 *
 * @param exceptId a purchase that is not counted
 * @returns null when no server of the tool hands out one code for each buyer
 */
export async function countCodeUnits(
  executor: Executor,
  { toolId, now, exceptId = null }: { toolId: string; now: Date; exceptId?: string | null },
): Promise<number | null> {
  const server = sql`server.name`;
  const units = sql`
        select min(codes.unused - waiting.passes)::int
        from (
          select ${serverOf(sql`element ->> 'name'`)} as name from jsonb_array_elements(${tools.servers}) element
        ) server
        cross join lateral (
          select count(*) filter (where ${accessCodes.isActive} and ${accessCodes.passId} is null) as unused
          from ${accessCodes}
          where ${accessCodes.toolId} = ${tools.id} and ${accessCodes.perBuyer}
            and ${serverOf(accessCodes.serverName)} = ${server}
          having count(*) > 0
        ) codes
        cross join lateral (
          select count(*) as passes from ${userPurchases}
          where ${waitsForCode(now)} and ${userPurchases.id} is distinct from ${exceptId}::uuid and not exists (
            select 1 from ${accessCodes}
            where ${accessCodes.passId} = ${userPurchases.id} and ${accessCodes.toolId} = ${tools.id}
              and ${accessCodes.isActive} and ${serverOf(accessCodes.serverName)} = ${server}
          )
        ) waiting`;
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
  tx: Transaction,
  { toolId, serverName, now }: { toolId: string; serverName: string; now: Date },
): Promise<boolean> {
  await tx.select({ id: tools.id }).from(tools).where(eq(tools.id, toolId)).for("no key update");
  const ofServer = sql`${accessCodes.toolId} = ${toolId} and ${accessCodes.isActive} and ${accessCodes.perBuyer}
    and ${serverOf(accessCodes.serverName)} = ${serverOf(serverName)}`;
  const unused = await tx.$count(accessCodes, sql`${ofServer} and ${accessCodes.passId} is null`);
  const waiting = sql`${userPurchases.toolId} = ${toolId} and ${isHeldOrRunning(now)} and not exists (
    select 1 from ${accessCodes} where ${accessCodes.passId} = ${userPurchases.id} and ${ofServer}
  )`;
  return unused > (await tx.$count(userPurchases, waiting));
}

/**
 * Sets the stock of a tool to the passes that its codes allow, after its codes, servers or passes have changed. The stock of
 * a tool whose codes are for all buyers stays as it is; when its last code for one buyer is gone, it is 0.
 */
export async function recountStock(tx: Transaction, toolId: string, now: Date): Promise<void> {
  const [tool] = await tx
    .select({ availableStock: tools.availableStock, stockFromCodes: tools.stockFromCodes })
    .from(tools)
    .where(eq(tools.id, toolId))
    .for("no key update");
  if (tool === undefined) return;
  const units = await countCodeUnits(tx, { toolId, now });
  if (units === null && !tool.stockFromCodes) return;
  const counted = { stockFromCodes: units !== null, availableStock: Math.max(0, units ?? 0) };
  if (counted.stockFromCodes === tool.stockFromCodes && counted.availableStock === tool.availableStock)
    return;
  await tx.update(tools).set(counted).where(eq(tools.id, toolId));
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
  for (const { id } of found) await inTransaction(ctx.db, (tx) => recountStock(tx, id, ctx.clock.now()));
}
