import type { Executor } from "#db/database.ts";
import { sandboxWebhooks } from "#db/tables/sandbox.ts";
import {
  newId,
  type OrderRow,
  orderEntity,
  type PaymentRow,
  paymentEntity,
  type RefundRow,
  refundEntity,
} from "./entities.ts";

export type SandboxEvent =
  | { event: "payment.captured" | "payment.failed"; payment: PaymentRow }
  | { event: "order.paid"; payment: PaymentRow; order: OrderRow }
  | { event: "refund.processed"; payment: PaymentRow; refund: RefundRow };

/**
 * Stores webhooks in the transaction that causes them, so that none is lost, and none reports a change that was rolled
 * back.
 */
export async function queueWebhooks(tx: Executor, now: Date, events: SandboxEvent[]): Promise<void> {
  await tx.insert(sandboxWebhooks).values(
    events.map((one) => ({
      id: newId("evt"),
      event: one.event,
      body: JSON.stringify(eventBody(one, now)),
      nextTryAt: now,
      createdAt: now,
    })),
  );
}

function eventBody(one: SandboxEvent, now: Date) {
  const payload = {
    payment: { entity: paymentEntity(one.payment) },
    ...("order" in one ? { order: { entity: orderEntity(one.order) } } : {}),
    ...("refund" in one ? { refund: { entity: refundEntity(one.refund, one.payment.currency) } } : {}),
  };
  return {
    entity: "event",
    account_id: "acc_sandbox",
    event: one.event,
    contains: Object.keys(payload),
    payload,
    created_at: Math.floor(now.getTime() / 1000),
  };
}
