import { and, asc, eq, inArray, isNull, lt, lte, or, sql } from "drizzle-orm";
import type { Executor, Transaction } from "#db/database.ts";
import { couponCodes, tools } from "#db/tables/catalog.ts";
import { type paymentAttempts, paymentOrders } from "#db/tables/payments.ts";
import { couponRedemptions, userPurchases } from "#db/tables/purchases.ts";
import { giveBackStock } from "../catalog/stock.server.ts";

export type Purchase = typeof userPurchases.$inferSelect;
export type PaymentOrder = typeof paymentOrders.$inferSelect;
export type PaymentAttempt = typeof paymentAttempts.$inferSelect;
export type FailedReason = NonNullable<Purchase["failedReason"]>;

/** A tool on sale, by slug. Inactive and deleted ones are not. */
export async function findToolOnSale(executor: Executor, slug: string) {
  const [tool] = await executor
    .select()
    .from(tools)
    .where(and(eq(tools.slug, slug), eq(tools.isActive, true), isNull(tools.deletedAt)));
  return tool ?? null;
}

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
  const [redemption] = await tx
    .update(couponRedemptions)
    .set({ state: "released" })
    .where(and(eq(couponRedemptions.purchaseId, locked.id), eq(couponRedemptions.state, "held")))
    .returning({ couponId: couponRedemptions.couponId });
  if (redemption) {
    await tx
      .update(couponCodes)
      .set({ usesTaken: sql`${couponCodes.usesTaken} - 1` })
      .where(eq(couponCodes.id, redemption.couponId));
  }
  if (locked.stockState === "held" && locked.toolId) await giveBackStock(tx, locked.toolId);
  return true;
}

/** Orders that may still bring money, oldest first: all of them, or those due for another look. */
export async function listUnsettledOrders(
  executor: Executor,
  input: { gateway: string; due: { before: Date; checkedBefore: Date } | "all"; limit: number },
): Promise<PaymentOrder[]> {
  return executor
    .select()
    .from(paymentOrders)
    .where(
      and(
        eq(paymentOrders.gateway, input.gateway),
        inArray(paymentOrders.state, ["creating", "open"]),
        input.due === "all"
          ? undefined
          : and(
              lt(paymentOrders.createdAt, input.due.before),
              or(isNull(paymentOrders.checkedAt), lte(paymentOrders.checkedAt, input.due.checkedBefore)),
            ),
      ),
    )
    .orderBy(asc(paymentOrders.checkedAt), asc(paymentOrders.createdAt))
    .limit(input.limit);
}
