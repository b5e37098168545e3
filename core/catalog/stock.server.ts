import { and, eq, gt, isNull, sql } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { tools } from "#db/tables/catalog.ts";

/**
 * Takes one from a tool's stock by one conditional statement, which is what keeps sales within it. Trusts its caller.
 *
 * @returns false when nothing is left
 */
export async function takeStock(tx: Transaction, toolId: string): Promise<boolean> {
  const taken = await tx
    .update(tools)
    .set({ availableStock: sql`${tools.availableStock} - 1` })
    .where(and(eq(tools.id, toolId), gt(tools.availableStock, 0), isNull(tools.deletedAt)))
    .returning({ id: tools.id });
  return taken.length === 1;
}

/** Puts one back. Call it only as the winner of a change from held. */
export async function giveBackStock(tx: Transaction, toolId: string): Promise<void> {
  await tx
    .update(tools)
    .set({ availableStock: sql`${tools.availableStock} + 1` })
    .where(eq(tools.id, toolId));
}
