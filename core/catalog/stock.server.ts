import { and, asc, eq, gt, inArray, isNull, sql } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { tools } from "#db/tables/catalog.ts";

/**
 * Takes one from a tool's stock by one conditional statement, which is what keeps sales within it. Trusts its caller.
 *
 * @returns false when nothing is left
 */
export async function reserveStock(tx: Transaction, toolId: string): Promise<boolean> {
  const taken = await tx
    .update(tools)
    .set({ availableStock: sql`${tools.availableStock} - 1` })
    .where(and(eq(tools.id, toolId), gt(tools.availableStock, 0), isNull(tools.deletedAt)))
    .returning({ id: tools.id });
  return taken.length === 1;
}

/** Locks a tool's stock until the end of the transaction. @returns whether a unit is left to reserve */
export async function lockStock(tx: Transaction, toolId: string): Promise<boolean> {
  const [tool] = await tx
    .select({ availableStock: tools.availableStock, deletedAt: tools.deletedAt })
    .from(tools)
    .where(eq(tools.id, toolId))
    .for("no key update");
  return tool !== undefined && tool.deletedAt === null && tool.availableStock > 0;
}

/** Locks tools whose stock is about to change, in one order for everybody. */
export async function lockTools(tx: Transaction, toolIds: readonly string[]): Promise<void> {
  if (toolIds.length === 0) return;
  await tx
    .select({ id: tools.id })
    .from(tools)
    .where(inArray(tools.id, [...toolIds]))
    .orderBy(asc(tools.id))
    .for("no key update");
}

/** Puts one back. Call it only as the winner of a change from held. */
export async function releaseStock(tx: Transaction, toolId: string): Promise<void> {
  await tx
    .update(tools)
    .set({ availableStock: sql`${tools.availableStock} + 1` })
    .where(eq(tools.id, toolId));
}
