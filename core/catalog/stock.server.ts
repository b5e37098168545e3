import { and, asc, eq, gt, inArray, isNull, or, type SQL, sql } from "drizzle-orm";
import type { Executor, Transaction } from "#db/database.ts";
import { prepareWrite, valueFor } from "#db/prepared-statement.ts";
import { toolPageGrants, tools } from "#db/tables/catalog.ts";
import { type Purchase, userPurchases } from "#db/tables/purchases.ts";
import { accessCodes } from "#db/tables/vault.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { requireSystem } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { IS_OPEN_CHECKOUT, isInAcceptedMode, isRunning, isRunningPass } from "../pass-validity.server.ts";
import { cleanText } from "../typed-text.ts";
import { TOOL_LIMITS } from "./limits.ts";

/** The purchase that a unit of a tool is for: it counts where the tool has one code for each buyer. */
interface Unit {
  toolId: string;
  purchaseId: string;
}

/**
 * Takes one unit from a tool's stock. The condition in the statement prevents overselling. Where each buyer gets a code,
 * the codes are counted too, with the tool locked.
 *
 * @returns false when no unit is left
 */
export async function reserveStock(
  ctx: Context,
  tx: Transaction,
  { toolId, purchaseId }: Unit,
): Promise<boolean> {
  const [reserved] = await takeUnit(tx, { toolId, updatedAt: ctx.clock.now() });
  if (reserved === undefined) return false;
  if (!reserved.stockFromCodes) return true;
  const units = (await countCodeUnits(ctx, tx, { toolId, forId: purchaseId })) ?? 0;
  if (units <= 0) return false;
  await tx
    .update(tools)
    .set({ availableStock: units - 1 })
    .where(eq(tools.id, toolId));
  changed(tx, tools);
  return true;
}

/** The same for a purchase that needs the unit. @throws DomainError tool-out-of-stock */
export async function requireStock(
  ctx: Context,
  tx: Transaction,
  { tool, purchaseId }: { tool: { id: string; name: string }; purchaseId: string },
): Promise<void> {
  if (!(await reserveStock(ctx, tx, { toolId: tool.id, purchaseId })))
    throw new DomainError("tool-out-of-stock", { tool: tool.name });
}

const takeUnit = prepareWrite("take-unit", tools, (tx) =>
  tx
    .update(tools)
    .set({
      availableStock: sql`${tools.availableStock} - 1`,
      updatedAt: valueFor(tools.updatedAt, "updatedAt"),
    })
    .where(
      and(eq(tools.id, valueFor(tools.id, "toolId")), gt(tools.availableStock, 0), isNull(tools.deletedAt)),
    )
    .returning({ stockFromCodes: tools.stockFromCodes }),
);

/** Locks a tool's stock until the end of the transaction. @returns whether a unit is left to reserve */
export async function lockStock(
  ctx: Context,
  tx: Transaction,
  { toolId, purchaseId }: Unit,
): Promise<boolean> {
  const [tool] = await tx
    .select({
      availableStock: tools.availableStock,
      stockFromCodes: tools.stockFromCodes,
      deletedAt: tools.deletedAt,
    })
    .from(tools)
    .where(eq(tools.id, toolId))
    .for("no key update");
  if (tool === undefined || tool.deletedAt !== null || tool.availableStock <= 0) return false;
  return !tool.stockFromCodes || ((await countCodeUnits(ctx, tx, { toolId, forId: purchaseId })) ?? 0) > 0;
}

/**
 * Recounts the stock of a tool for a new pass that takes no unit, such as a pass that is given away: where each buyer gets a
 * code, the pass has a code coming. The caller has written the pass, and undoes it when no code is left.
 *
 * @returns false when no code is left
 */
export async function recountForNewPass(
  ctx: Context,
  tx: Transaction,
  { toolId, purchaseId }: Unit,
): Promise<boolean> {
  const [tool] = await tx
    .select({ stockFromCodes: tools.stockFromCodes })
    .from(tools)
    .where(eq(tools.id, toolId))
    .for("no key update");
  if (!tool?.stockFromCodes) return true;
  const units = (await countCodeUnits(ctx, tx, { toolId, forId: purchaseId })) ?? 0;
  if (units > 0) await recountStock(ctx, tx, toolId);
  return units > 0;
}

/** Whether a pass that takes no stock can get its codes, as far as they are counted. */
export async function hasCodesLeft(executor: Executor, toolId: string): Promise<boolean> {
  const isOutOfCodes = and(eq(tools.id, toolId), eq(tools.stockFromCodes, true), eq(tools.availableStock, 0));
  return (await executor.$count(tools, isOutOfCodes)) === 0;
}

/**
 * Recounts the stock of a tool where each buyer gets a code, after a pass of it has begun again. It may have its codes still.
 *
 * @throws DomainError tool-out-of-stock when it lacks a code and every unused one belongs to another pass
 */
export async function recountForRestartedPass(
  ctx: Context,
  tx: Transaction,
  { id, toolId, toolName }: Pick<Purchase, "id" | "toolId" | "toolName">,
): Promise<void> {
  if (toolId === null) return;
  await recountStock(ctx, tx, toolId);
  if (((await countCodeUnits(ctx, tx, { toolId, forId: id })) ?? 1) <= 0)
    throw new DomainError("tool-out-of-stock", { tool: toolName });
}

/** Locks the tools whose stock will change, in the order of their ids, so that transactions do not deadlock. */
export async function lockTools(tx: Transaction, toolIds: readonly string[]): Promise<void> {
  if (toolIds.length === 0) return;
  await tx
    .select({ id: tools.id })
    .from(tools)
    .where(inArray(tools.id, [...toolIds]))
    .orderBy(asc(tools.id))
    .for("no key update");
}

/**
 * Adds one unit to a tool's stock. The caller has just changed a purchase from a state that kept the unit. A code that its
 * pass has taken does not come back.
 */
export async function releaseStock(ctx: Context, tx: Transaction, toolId: string): Promise<void> {
  const [released] = await tx
    .update(tools)
    .set({ availableStock: sql`${tools.availableStock} + 1` })
    .where(eq(tools.id, toolId))
    .returning({ stockFromCodes: tools.stockFromCodes });
  changed(tx, tools);
  if (released?.stockFromCodes) await recountStock(ctx, tx, toolId);
}

/** The stock after an admin's change of `difference` units, for an UPDATE. Never below 0. */
export function changedStock(difference: number): SQL<number> {
  const most = TOOL_LIMITS.availableStock;
  return sql`least(greatest(${tools.availableStock} + ${difference}::integer, 0), ${most}::integer)`;
}

/** Names of servers are typed by hand, so case and outer spaces are ignored: the rule in SQL, and in TypeScript. */
export const serverOf = (name: unknown): SQL => sql`lower(btrim(${name}))`;
export const normaliseServerName = (name: string): string => cleanText(name).toLowerCase();

/** The server of a tool with this name. */
export function findServerByName<Server extends { name: string }>(
  servers: readonly Server[],
  name: string,
): Server | undefined {
  return servers.find((server) => normaliseServerName(server.name) === normaliseServerName(name));
}

/** Open checkouts, and active and waiting passes, that this shop accepts. */
export function isHeldOrRunning(ctx: Context): SQL | undefined {
  return and(or(IS_OPEN_CHECKOUT, isRunning(ctx.clock.now())), isInAcceptedMode(ctx));
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
 * The ids of the held, active or waiting purchases that open the page of the tool of the outer query, through its grants too.
 * Three queries, so that each has its index; the query by names is left out where the tool has no such grant.
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
  const select = (condition: SQL | undefined) =>
    sql`select ${userPurchases.id} from ${userPurchases} where ${condition}`;
  return sql`
    ${select(and(byId, isRunningPass(ctx)))}
    union all ${select(and(byName, sql`${byId} is not true`, isRunningPass(ctx)))}
    union all ${select(and(or(byId, byName), IS_OPEN_CHECKOUT, isInAcceptedMode(ctx)))}`;
}

/**
 * How many more passes of a tool its codes for one buyer allow: one of each server is one unit, and a held or sold pass
 * without its code has one coming. Negative when more is sold than there is. A caller that changes the stock has locked the tool,
 * so that no other sale of it is in between.
 *
 * @param forId count the units for this purchase: it is not one of those that wait, and needs none where it has its code
 * @returns null when there is nothing to count: no server of the tool hands out one code for each buyer, or the purchase has
 *   its codes
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

/** The unused codes of a server for one buyer each, and the held or sold passes that need one. */
export async function countCodesAndPasses(
  ctx: Context,
  executor: Executor,
  { toolId, serverName }: { toolId: string; serverName: string },
): Promise<{ unused: number; waiting: number }> {
  const server = serverOf(serverName);
  const unused = sql<number>`(select count(*)::int from ${accessCodes}
    where ${accessCodes.toolId} = ${tools.id} and ${accessCodes.perBuyer} and ${accessCodes.isActive}
      and ${accessCodes.passId} is null and ${serverOf(accessCodes.serverName)} = ${server})`;
  const lacksCode = sql`not ${hasCode({ passId: sql`opening.id`, toolId: tools.id, serverName: server })}`;
  const waiting = sql<number>`(select count(*)::int from (${selectOpening(ctx)}) opening (id) where ${lacksCode})`;
  const [counted] = await executor.select({ unused, waiting }).from(tools).where(eq(tools.id, toolId));
  return counted ?? { unused: 0, waiting: 0 };
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
  const waiting = and(eq(userPurchases.toolId, toolId), isHeldOrRunning(ctx), lacksCode);
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
