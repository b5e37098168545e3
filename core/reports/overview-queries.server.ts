import { and, asc, desc, lt } from "drizzle-orm";
import type { Executor } from "#db/database.ts";
import { tools } from "#db/tables/catalog.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { LOW_STOCK } from "../catalog/limits.ts";
import { IS_ON_SALE } from "../catalog/on-sale.server.ts";
import { IS_COMPLETED, IS_NOT_DELETED } from "../pass-validity.server.ts";

const RECENT = 5;
const LOW_STOCK_LISTED = 20;

export type RecentPurchase = Awaited<ReturnType<typeof selectRecentPurchases>>[number];

/** The newest purchases that were completed, whatever became of them. Deleted ones are left out. */
export function selectRecentPurchases(executor: Executor) {
  return executor
    .select({
      id: userPurchases.id,
      userEmail: userPurchases.userEmail,
      toolName: userPurchases.toolName,
      amountPaise: userPurchases.amountPaise,
      testMode: userPurchases.testMode,
      source: userPurchases.source,
      endedReason: userPurchases.endedReason,
      createdAt: userPurchases.createdAt,
    })
    .from(userPurchases)
    .where(and(IS_COMPLETED, IS_NOT_DELETED))
    .orderBy(desc(userPurchases.createdAt), desc(userPurchases.id))
    .limit(RECENT);
}

export function countToolsOnSale(executor: Executor): Promise<number> {
  return executor.$count(tools, IS_ON_SALE);
}

export type LowStock = Awaited<ReturnType<typeof selectLowStock>>[number];

/** Tools on sale that will soon be sold out, the fewest units first. */
export function selectLowStock(executor: Executor) {
  return executor
    .select({ toolId: tools.id, toolName: tools.name, availableStock: tools.availableStock })
    .from(tools)
    .where(and(IS_ON_SALE, lt(tools.availableStock, LOW_STOCK)))
    .orderBy(asc(tools.availableStock), asc(tools.name))
    .limit(LOW_STOCK_LISTED);
}
