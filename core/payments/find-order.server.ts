import { and, eq } from "drizzle-orm";
import type { Executor } from "#db/database.ts";
import { prepareStatement, valueFor } from "#db/prepared-statement.ts";
import { type PaymentOrder, paymentAttempts, paymentOrders } from "#db/tables/payments.ts";
import { type Purchase, userPurchases } from "#db/tables/purchases.ts";

type GatewayId = { gateway: string; gatewayOrderId: string };

export async function findOrder(
  executor: Executor,
  by: { purchaseId: string } | GatewayId,
): Promise<PaymentOrder | null> {
  const condition = "purchaseId" in by ? eq(paymentOrders.purchaseId, by.purchaseId) : hasGatewayId(by);
  const [order] = await executor.select().from(paymentOrders).where(condition);
  return order ?? null;
}

export async function findOrderWithPurchase(
  executor: Executor,
  by: GatewayId,
): Promise<{ order: PaymentOrder; purchase: Purchase } | null> {
  const [found] = await selectOrderWithPurchase(executor, by);
  return found ?? null;
}

const selectOrderWithPurchase = prepareStatement("find-order-with-purchase", (executor) =>
  executor
    .select({ order: paymentOrders, purchase: userPurchases })
    .from(paymentOrders)
    .innerJoin(userPurchases, eq(userPurchases.id, paymentOrders.purchaseId))
    .where(
      and(
        eq(paymentOrders.gateway, valueFor(paymentOrders.gateway, "gateway")),
        eq(paymentOrders.gatewayOrderId, valueFor(paymentOrders.gatewayOrderId, "gatewayOrderId")),
      ),
    ),
);

function hasGatewayId({ gateway, gatewayOrderId }: GatewayId) {
  return and(eq(paymentOrders.gateway, gateway), eq(paymentOrders.gatewayOrderId, gatewayOrderId));
}

/** Whether a captured payment has its outcome. */
export async function isPaymentSettled(executor: Executor, gatewayPaymentId: string): Promise<boolean> {
  const [attempt] = await executor
    .select({ outcome: paymentAttempts.outcome })
    .from(paymentAttempts)
    .where(eq(paymentAttempts.gatewayPaymentId, gatewayPaymentId));
  return (attempt?.outcome ?? null) !== null;
}
