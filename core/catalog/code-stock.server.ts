import { and, asc, eq, isNull, or, type SQL, sql } from "drizzle-orm";
import type { Executor, Transaction } from "#db/database.ts";
import { toolPageGrants, tools } from "#db/tables/catalog.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { accessCodes } from "#db/tables/vault.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { requireSystem } from "../authorise.ts";
import type { Context } from "../context.ts";
import { isActivePass, isActivePassAt, isInAcceptedMode } from "../pass-validity.server.ts";

/** Names of servers are typed by hand, so case and outer spaces are ignored: the rule in SQL, and in TypeScript. */
export const serverOf = (name: unknown): SQL => sql`lower(btrim(${name}))`;
export const normaliseServerName = (name: string): string => name.trim().toLowerCase();

/** Open checkouts and active passes that this shop accepts. */
export function isHeldOrActive(ctx: Context): SQL | undefined {
  return and(or(eq(userPurchases.status, "pending"), isActivePassAt(ctx.clock.now())), isInAcceptedMode(ctx));
}

/** Whether a pass, by its id, has an active code of the tool, for its server of this name. */
const hasCode = ({ passId, toolId, serverName }: { passId: unknown; toolId: unknown; serverName: SQL }) =>
  sql`exists (
    select 1 from ${accessCodes}
    where ${accessCodes.passId} = ${passId} and ${accessCodes.toolId} = ${toolId}
      and ${accessCodes.isActive} and ${accessCodes.perBuyer}
      and ${serverOf(accessCodes.serverName)} = ${serverName}
  )`;

/**
 * The ids of the held or active purchases that open the page of the tool of the outer query, through its grants too. Three
 * queries, so that each one has its index; the one by names is left out where the tool has no such grant.
 */
function selectOpening(ctx: Context): SQL {
  const { toolId, toolName, page } = toolPageGrants;
  const byId = sql`(${userPurchases.toolId} = any(array(
    select ${tools.id} union all select ${toolId} from ${toolPageGrants} where ${page} = ${tools.slug}
  )))`;
  const names = sql`(
    select lower(${toolName}) from ${toolPageGrants} where ${page} = ${tools.slug} and ${toolName} is not null
  )`;
  const byName = sql`(exists ${names} and lower(${userPurchases.toolName}) in ${names})`;
  const isHeld = eq(userPurchases.status, "pending");
  const select = (condition: SQL | undefined) =>
    sql`select ${userPurchases.id} from ${userPurchases} where ${condition}`;
  return sql`
    ${select(and(byId, isActivePass(ctx)))}
    union all ${select(and(byName, sql`${byId} is not true`, isActivePass(ctx)))}
    union all ${select(and(or(byId, byName), isHeld, isInAcceptedMode(ctx)))}`;
}

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
  const lacksCode = (passId: SQL) =>
    sql`not ${hasCode({ passId, toolId: tools.id, serverName: sql`server.name` })}`;
  const units = sql`
        select min(codes.unused - waiting.passes)::int
        from (
          select ${serverOf(sql`element ->> 'name'`)} as name from jsonb_array_elements(${tools.servers}) element
          where (element ->> 'perBuyer')::boolean
        ) server
        cross join lateral (
          select count(*) as unused from ${accessCodes}
          where ${accessCodes.toolId} = ${tools.id} and ${accessCodes.perBuyer} and ${accessCodes.isActive}
            and ${accessCodes.passId} is null and ${serverOf(accessCodes.serverName)} = server.name
        ) codes
        cross join lateral (
          select count(*) as passes from (${selectOpening(ctx)}) opening (id)
          where opening.id is distinct from ${forId}::uuid and ${lacksCode(sql`opening.id`)}
        ) waiting
        where ${forId === null ? sql`true` : lacksCode(sql`${forId}::uuid`)}`;
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
  const server = serverOf(serverName);
  const unused = await tx.$count(
    accessCodes,
    sql`${accessCodes.toolId} = ${toolId} and ${accessCodes.perBuyer} and ${accessCodes.isActive}
      and ${accessCodes.passId} is null and ${serverOf(accessCodes.serverName)} = ${server}`,
  );
  const lacksCode = sql`not ${hasCode({ passId: userPurchases.id, toolId, serverName: server })}`;
  const waiting = and(eq(userPurchases.toolId, toolId), isHeldOrActive(ctx), lacksCode);
  return unused > (await tx.$count(userPurchases, waiting));
}

/**
 * Sets the stock of a tool to the passes that its codes allow, after its codes, servers or passes have changed. The stock of
 * a tool whose codes are for all buyers stays as it is; when its last server with one code for each buyer is gone, it is 0.
 *
 * @returns the units of `countCodeUnits`
 */
export async function recountStock(ctx: Context, tx: Transaction, toolId: string): Promise<number | null> {
  const [tool] = await tx
    .select({
      availableStock: tools.availableStock,
      stockFromCodes: tools.stockFromCodes,
      servers: tools.servers,
    })
    .from(tools)
    .where(eq(tools.id, toolId))
    .for("no key update");
  if (tool === undefined) return null;
  const isCounted = tool.servers.some(({ perBuyer }) => perBuyer);
  const units = isCounted ? await countCodeUnits(ctx, tx, { toolId }) : null;
  if (units === null && !tool.stockFromCodes) return null;
  const counted = { stockFromCodes: units !== null, availableStock: Math.max(0, units ?? 0) };
  if (counted.stockFromCodes === tool.stockFromCodes && counted.availableStock === tool.availableStock)
    return units;
  await tx.update(tools).set(counted).where(eq(tools.id, toolId));
  changed(tx, tools);
  return units;
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
