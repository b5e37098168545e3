import { and, asc, eq, gt, inArray, isNull, type SQL, sql } from "drizzle-orm";
import type { Executor, Transaction } from "#db/database.ts";
import { prepareWrite, valueFor } from "#db/prepared-statement.ts";
import { tools } from "#db/tables/catalog.ts";
import { changed } from "#db/transaction.ts";
import type { Context } from "../context.ts";
import { countCodeUnits, recountStock } from "./code-stock.server.ts";
import { TOOL_LIMITS } from "./limits.ts";

/** The purchase that a unit of a tool is for: it counts where the tool has one code for each buyer. */
interface Unit {
  toolId: string;
  purchaseId: string;
}

/**
 * Takes one unit from a tool's stock. The condition in the statement prevents overselling. Where each buyer gets a code,
 * the codes are counted too, with the tool locked. The caller authorises.
 *
 * @returns false when no unit is left
 */
export async function reserveStock(
  ctx: Context,
  tx: Transaction,
  { toolId, purchaseId }: Unit,
): Promise<boolean> {
  const [reserved] = await takeUnit(tx, { toolId, updatedAt: new Date() });
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
 * Takes the unit of a pass that takes no stock, such as one that is given away: where each buyer gets a code, one must be
 * left. The caller has written the pass.
 *
 * @returns false when no code is left
 */
export async function reserveCodes(
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
 * Counts the stock of a tool where each buyer gets a code, after a pass of it has begun again. It may have its codes still.
 *
 * @returns false when it lacks a code and every unused one is that of another pass
 */
export async function restoreCodes(
  ctx: Context,
  tx: Transaction,
  { toolId, purchaseId }: Unit,
): Promise<boolean> {
  await recountStock(ctx, tx, toolId);
  return ((await countCodeUnits(ctx, tx, { toolId, forId: purchaseId })) ?? 1) > 0;
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
