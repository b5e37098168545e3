import { and, asc, eq, gt, inArray, isNull, lt, lte, or } from "drizzle-orm";
import type { Executor, Transaction } from "#db/database.ts";
import { type paymentAttempts, paymentOrders } from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { giveBackStock } from "../catalog/stock.server.ts";
import { changeRedemption } from "../coupons/change-redemption.server.ts";

export type Purchase = typeof userPurchases.$inferSelect;
export type PaymentOrder = typeof paymentOrders.$inferSelect;
export type PaymentAttempt = typeof paymentAttempts.$inferSelect;
export type FailedReason = NonNullable<Purchase["failedReason"]>;

export async function lockPurchase(tx: Transaction, purchaseId: string): Promise<Purchase | null> {
  const [row] = await tx.select().from(userPurchases).where(eq(userPurchases.id, purchaseId)).for("update");
  return row ?? null;
}

export async function lockPendingPurchase(
  tx: Transaction,
  userId: string,
  toolId: string,
): Promise<Purchase | null> {
  const [row] = await tx
    .select()
    .from(userPurchases)
    .where(
      and(
        eq(userPurchases.userId, userId),
        eq(userPurchases.toolId, toolId),
        eq(userPurchases.status, "pending"),
      ),
    )
    .for("update");
  return row ?? null;
}

export async function findOrder(
  executor: Executor,
  by: { purchaseId: string } | { gateway: string; gatewayOrderId: string },
): Promise<PaymentOrder | null> {
  const condition =
    "purchaseId" in by
      ? eq(paymentOrders.purchaseId, by.purchaseId)
      : and(eq(paymentOrders.gateway, by.gateway), eq(paymentOrders.gatewayOrderId, by.gatewayOrderId));
  const [row] = await executor.select().from(paymentOrders).where(condition);
  return row ?? null;
}

/**
 * Ends a pending purchase without a pass and gives back what it held. Only the one who changes the state from held
 * touches a counter, so that two ends of the same hold give back once.
 *
 * @returns false when the purchase was no longer pending
 */
export async function releasePending(
  tx: Transaction,
  input: { purchaseId: string; reason: FailedReason; errorMessage: string | null },
): Promise<boolean> {
  const locked = await lockPurchase(tx, input.purchaseId);
  if (locked?.status !== "pending") return false;
  await tx
    .update(userPurchases)
    .set({
      status: "failed",
      failedReason: input.reason,
      errorMessage: input.errorMessage,
      stockState: locked.stockState === "held" ? "released" : locked.stockState,
      holdEndsAt: null,
    })
    .where(eq(userPurchases.id, locked.id));
  await changeRedemption(tx, locked.id, "held", "released");
  if (locked.stockState === "held" && locked.toolId) await giveBackStock(tx, locked.toolId);
  return true;
}

/** Orders that may still bring money, oldest first: all of them, or those due for another look; `after` pages on. */
export async function listUnsettledOrders(
  executor: Executor,
  input: {
    gateway: string;
    due: { before: Date; checkedBefore: Date } | "all";
    after: PaymentOrder | null;
    limit: number;
  },
): Promise<PaymentOrder[]> {
  const { due, after } = input;
  return executor
    .select()
    .from(paymentOrders)
    .where(
      and(
        eq(paymentOrders.gateway, input.gateway),
        inArray(paymentOrders.state, ["creating", "open"]),
        due === "all"
          ? undefined
          : and(
              lt(paymentOrders.createdAt, due.before),
              or(isNull(paymentOrders.checkedAt), lte(paymentOrders.checkedAt, due.checkedBefore)),
            ),
        after
          ? or(
              gt(paymentOrders.createdAt, after.createdAt),
              and(eq(paymentOrders.createdAt, after.createdAt), gt(paymentOrders.id, after.id)),
            )
          : undefined,
      ),
    )
    .orderBy(asc(paymentOrders.createdAt), asc(paymentOrders.id))
    .limit(input.limit);
}
