import { and, eq } from "drizzle-orm";
import type { Executor } from "#db/database.ts";
import { type PaymentOrder, paymentAttempts, paymentOrders } from "#db/tables/payments.ts";
import { type Purchase, userPurchases } from "#db/tables/purchases.ts";

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

/** Whether a payment has become a pass, a refund or a cancellation. */
export async function isPaymentSettled(executor: Executor, gatewayPaymentId: string): Promise<boolean> {
  const [row] = await executor
    .select({ outcome: paymentAttempts.outcome })
    .from(paymentAttempts)
    .where(eq(paymentAttempts.gatewayPaymentId, gatewayPaymentId));
  return (row?.outcome ?? null) !== null;
}
