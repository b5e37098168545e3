import { and, desc, eq, or } from "drizzle-orm";
import type { Executor, Transaction } from "#db/database.ts";
import { prepareStatement, valueFor } from "#db/prepared-statement.ts";
import { couponCodes } from "#db/tables/catalog.ts";
import { paymentAttempts, paymentOrders } from "#db/tables/payments.ts";
import { couponRedemptions, type Purchase, userPurchases } from "#db/tables/purchases.ts";
import type { Context } from "../context.ts";
import {
  IN_LOCK_ORDER,
  IS_COMPLETED,
  IS_OPEN_CHECKOUT,
  isRunningPassPrepared,
  runningPassValues,
} from "../pass-validity.server.ts";

const lockCheckoutsAndPasses = prepareStatement("lock-checkouts-and-passes", (tx) =>
  tx
    .select()
    .from(userPurchases)
    .where(
      and(
        eq(userPurchases.userId, valueFor(userPurchases.userId, "userId")),
        or(
          IS_OPEN_CHECKOUT,
          and(eq(userPurchases.toolId, valueFor(userPurchases.toolId, "toolId")), isRunningPassPrepared),
        ),
      ),
    )
    .orderBy(...IN_LOCK_ORDER)
    .for("update"),
);

/** Locks the user's open checkouts, of all tools, and their active and waiting passes for one tool. */
export function lockOpenCheckoutsAndPasses(
  ctx: Context,
  tx: Transaction,
  by: { userId: string; toolId: string },
): Promise<Purchase[]> {
  return lockCheckoutsAndPasses(tx, { ...by, ...runningPassValues(ctx) });
}

/** A user's open checkouts and completed purchases of one tool, newest first, with their coupon's discount. */
export async function listOwnPurchases(executor: Executor, by: { userId: string; toolId: string }) {
  return executor
    .select({
      id: userPurchases.id,
      status: userPurchases.status,
      holdEndsAt: userPurchases.holdEndsAt,
      expiresAt: userPurchases.expiresAt,
      endedAt: userPurchases.endedAt,
      endedReason: userPurchases.endedReason,
      testMode: userPurchases.testMode,
      optionLabel: userPurchases.optionLabel,
      amountPaise: userPurchases.amountPaise,
      createdAt: userPurchases.createdAt,
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
        or(IS_OPEN_CHECKOUT, IS_COMPLETED),
      ),
    )
    .orderBy(desc(userPurchases.createdAt))
    .limit(50);
}

/** The payment attempts of a purchase, oldest first. */
export async function listAttempts(executor: Executor, purchaseId: string) {
  return (
    executor
      .select({ status: paymentAttempts.status })
      .from(paymentAttempts)
      .innerJoin(paymentOrders, eq(paymentOrders.id, paymentAttempts.orderId))
      .where(eq(paymentOrders.purchaseId, purchaseId))
      // Keys are UUIDv7, so they are in the order of creation.
      .orderBy(paymentAttempts.id)
  );
}

/** Whether the user has an open checkout or a completed purchase of the tool. */
export async function hasOpenCheckoutOrPass(
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
        or(IS_OPEN_CHECKOUT, IS_COMPLETED),
      ),
    )
    .limit(1);
  return row !== undefined;
}
