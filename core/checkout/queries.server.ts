import { and, asc, desc, eq, gt, inArray, lte, or, type SQL } from "drizzle-orm";
import type { Executor, Transaction } from "#db/database.ts";
import { couponCodes } from "#db/tables/catalog.ts";
import { paymentAttempts, paymentOrders } from "#db/tables/payments.ts";
import { couponRedemptions, userPurchases } from "#db/tables/purchases.ts";

export type Purchase = typeof userPurchases.$inferSelect;
export type PaymentOrder = typeof paymentOrders.$inferSelect;
export type PaymentAttempt = typeof paymentAttempts.$inferSelect;

export async function lockPurchase(tx: Transaction, purchaseId: string): Promise<Purchase | null> {
  const [row] = await tx.select().from(userPurchases).where(eq(userPurchases.id, purchaseId)).for("update");
  return row ?? null;
}

/**
 * The user's checkouts under way and their running passes of one tool, locked.
 *
 * @param by.isPass the condition of a pass that counts
 */
export async function lockPendingAndPasses(
  tx: Transaction,
  by: { userId: string; toolId: string; isPass: SQL | undefined },
): Promise<Purchase[]> {
  return tx
    .select()
    .from(userPurchases)
    .where(
      and(
        eq(userPurchases.userId, by.userId),
        or(eq(userPurchases.status, "pending"), and(eq(userPurchases.toolId, by.toolId), by.isPass)),
      ),
    )
    .orderBy(asc(userPurchases.id))
    .for("update");
}

/** An order with its purchase, by the gateway's id. */
export async function findOrderWithPurchase(
  executor: Executor,
  by: { gateway: string; gatewayOrderId: string },
): Promise<{ order: PaymentOrder; purchase: Purchase } | null> {
  const [row] = await executor
    .select({ order: paymentOrders, purchase: userPurchases })
    .from(paymentOrders)
    .innerJoin(userPurchases, eq(userPurchases.id, paymentOrders.purchaseId))
    .where(and(eq(paymentOrders.gateway, by.gateway), eq(paymentOrders.gatewayOrderId, by.gatewayOrderId)));
  return row ?? null;
}

/** A user's checkouts under way and completed purchases of one tool, newest first, with what their coupon takes off. */
export async function listOwnPurchases(executor: Executor, by: { userId: string; toolId: string }) {
  return executor
    .select({
      status: userPurchases.status,
      holdEndsAt: userPurchases.holdEndsAt,
      expiresAt: userPurchases.expiresAt,
      endedAt: userPurchases.endedAt,
      testMode: userPurchases.testMode,
      optionLabel: userPurchases.optionLabel,
      couponCode: userPurchases.couponCode,
      discountPercentage: couponCodes.discountPercentage,
    })
    .from(userPurchases)
    .leftJoin(couponRedemptions, eq(couponRedemptions.purchaseId, userPurchases.id))
    .leftJoin(couponCodes, eq(couponCodes.id, couponRedemptions.couponId))
    .where(
      and(
        eq(userPurchases.userId, by.userId),
        eq(userPurchases.toolId, by.toolId),
        inArray(userPurchases.status, ["pending", "completed", "active"]),
      ),
    )
    .orderBy(desc(userPurchases.createdAt))
    .limit(50);
}

/** Whether a payment has become a pass, a refund or a cancellation. */
export async function isAccountedFor(executor: Executor, gatewayPaymentId: string): Promise<boolean> {
  const [row] = await executor
    .select({ outcome: paymentAttempts.outcome })
    .from(paymentAttempts)
    .where(eq(paymentAttempts.gatewayPaymentId, gatewayPaymentId));
  return (row?.outcome ?? null) !== null;
}

/** Whether the user has a checkout under way or a completed purchase of the tool. */
export async function hasUnitOf(
  executor: Executor,
  by: { userId: string; toolId: string },
): Promise<boolean> {
  const [row] = await executor
    .select({ id: userPurchases.id })
    .from(userPurchases)
    .where(
      and(
        eq(userPurchases.userId, by.userId),
        eq(userPurchases.toolId, by.toolId),
        inArray(userPurchases.status, ["pending", "completed", "active"]),
      ),
    )
    .limit(1);
  return row !== undefined;
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

/** Test mode and live mode of one gateway are two: neither knows the other's orders. */
export function isOrderOf(gateway: { name: string; testMode: boolean }): SQL | undefined {
  return and(eq(paymentOrders.gateway, gateway.name), eq(paymentOrders.testMode, gateway.testMode));
}

/** Orders that are due for a look at the gateway, oldest first; `after` pages on. */
export async function listOrdersToCheck(
  executor: Executor,
  input: {
    gateway: { name: string; testMode: boolean };
    due: Date;
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
        isOrderOf(input.gateway),
        lte(paymentOrders.nextCheckAt, due),
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
