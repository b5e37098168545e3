import { uuidv7 } from "uuidv7";
import { paymentAttempts, paymentOrders, refunds } from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import type { SandboxShop } from "../../../tools/testing/sandbox-shop.ts";
import { MINUTE } from "../../time.ts";

interface Payment {
  /** By default a completed purchase of ₹149 with a payment that was captured 6 minutes ago and became a pass. */
  purchase?: Partial<typeof userPurchases.$inferInsert>;
  order?: Partial<typeof paymentOrders.$inferInsert>;
  attempt?: Partial<typeof paymentAttempts.$inferInsert>;
  refunds?: Partial<typeof refunds.$inferInsert>[];
}

/** Inserts one purchase with its payment and refunds without any operation, so that the rows can contradict each other. */
export async function insertPayment(shop: SandboxShop, facts: Payment = {}) {
  const { actor } = await shop.user();
  const now = shop.clock.now();
  const capturedAt = new Date(now.getTime() - 6 * MINUTE);
  const [purchaseId, orderId, attemptId] = [uuidv7(), uuidv7(), uuidv7()];
  const amount = 14_900;
  await shop.db.insert(userPurchases).values({
    id: purchaseId,
    userId: actor.userId,
    userEmail: actor.email,
    toolName: "Canva",
    validityDays: 30,
    listPricePaise: amount,
    amountPaise: amount,
    status: "completed",
    source: "checkout",
    startsAt: now,
    expiresAt: new Date(now.getTime() + MINUTE),
    testMode: true,
    ...facts.purchase,
  });
  await shop.db.insert(paymentOrders).values({
    id: orderId,
    purchaseId,
    gateway: "sandbox",
    gatewayOrderId: `order_${orderId}`,
    receipt: purchaseId,
    amountPaise: amount,
    currency: "INR",
    testMode: true,
    state: "settled",
    ...facts.order,
  });
  const paymentId = `pay_${attemptId}`;
  await shop.db.insert(paymentAttempts).values({
    id: attemptId,
    orderId,
    gatewayPaymentId: paymentId,
    status: "captured",
    amountPaise: amount,
    capturedAt,
    outcome: "pass",
    ...facts.attempt,
  });
  for (const refund of facts.refunds ?? []) {
    await shop.db.insert(refunds).values({
      attemptId,
      amountPaise: amount,
      reason: "out-of-stock",
      status: "processed",
      idempotencyKey: uuidv7(),
      createdAt: capturedAt,
      updatedAt: capturedAt,
      ...refund,
    });
  }
  return { purchaseId, orderId, attemptId, paymentId, email: actor.email };
}
