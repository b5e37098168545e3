import { and, asc, eq, gt, inArray, isNull, type SQL, sql } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { prepareStatement, valueFor } from "#db/prepared-statement.ts";
import { tools } from "#db/tables/catalog.ts";
import { TOOL_LIMITS } from "./limits.ts";

/**
 * Takes one unit from a tool's stock. The condition in the statement prevents overselling. The caller authorises.
 *
 * @returns false when no unit is left
 */
export async function reserveStock(tx: Transaction, toolId: string): Promise<boolean> {
  const reserved = await takeUnit(tx, { toolId, updatedAt: new Date() });
  return reserved.length === 1;
}

const takeUnit = prepareStatement((tx) =>
  tx
    .update(tools)
    .set({
      availableStock: sql`${tools.availableStock} - 1`,
      updatedAt: valueFor(tools.updatedAt, "updatedAt"),
    })
    .where(
      and(eq(tools.id, valueFor(tools.id, "toolId")), gt(tools.availableStock, 0), isNull(tools.deletedAt)),
    )
    .returning({ id: tools.id }),
);

/** Locks a tool's stock until the end of the transaction. @returns whether a unit is left to reserve */
export async function lockStock(tx: Transaction, toolId: string): Promise<boolean> {
  const [tool] = await tx
    .select({ availableStock: tools.availableStock, deletedAt: tools.deletedAt })
    .from(tools)
    .where(eq(tools.id, toolId))
    .for("no key update");
  return tool !== undefined && tool.deletedAt === null && tool.availableStock > 0;
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

/** Adds one unit to a tool's stock. The caller has just changed a purchase from a state that kept the unit. */
export async function releaseStock(tx: Transaction, toolId: string): Promise<void> {
  await tx
    .update(tools)
    .set({ availableStock: sql`${tools.availableStock} + 1` })
    .where(eq(tools.id, toolId));
}

/** The stock after an admin's change of `difference` units, for an UPDATE. Never below 0. */
export function changedStock(difference: number): SQL<number> {
  const most = TOOL_LIMITS.availableStock;
  return sql`least(greatest(${tools.availableStock} + ${difference}::integer, 0), ${most}::integer)`;
}
