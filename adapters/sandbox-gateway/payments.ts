import { and, eq, inArray, sql } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { sandboxOrders, sandboxPayments } from "#db/tables/sandbox.ts";
import { inTransaction } from "#db/transaction.ts";
import { SandboxApiError, unknownId } from "./api-error.ts";
import { newId, type OrderRow, type PaymentRow } from "./entities.ts";
import type { SandboxContext } from "./sandbox-context.ts";
import { queueWebhooks } from "./webhook-queue.ts";

const DECLINED_BY_BANK = "Your payment was declined by the bank. You were not charged.";

/** Pays an order. For an order that is already paid it returns that payment. */
export function payOrder(context: SandboxContext, orderId: string): Promise<PaymentRow> {
  return withLockedOrder(context, orderId, async (tx, order) => {
    const payment = await insertPayment(context, tx, order, "captured");
    await markPaid(context, tx, order, payment);
    return payment;
  });
}

/** Makes a failed payment. For an order that is already paid it returns that payment. */
export function failOrder(context: SandboxContext, orderId: string): Promise<PaymentRow> {
  return withLockedOrder(context, orderId, async (tx, order) => {
    const payment = await insertPayment(context, tx, order, "failed");
    await tx
      .update(sandboxOrders)
      .set({ status: "attempted", attempts: order.attempts + 1 })
      .where(eq(sandboxOrders.id, order.id));
    await queueWebhooks(tx, context.clock.now(), [{ event: "payment.failed", payment }]);
    return payment;
  });
}

/** @throws SandboxApiError when there is no such payment */
export async function findPayment({ db }: SandboxContext, paymentId: string): Promise<PaymentRow> {
  const [payment] = await db.select().from(sandboxPayments).where(eq(sandboxPayments.id, paymentId));
  if (!payment) throw unknownId();
  return payment;
}

/** Captures an authorised payment. @throws SandboxApiError when it is not authorised or its order is already paid */
export async function capturePayment(
  context: SandboxContext,
  paymentId: string,
  input: { amountPaise: number; currency: string },
): Promise<PaymentRow> {
  const { orderId } = await findPayment(context, paymentId);
  const payment = await inTransaction(context.db, async (tx) => {
    const order = await lockOrder(tx, orderId);
    const [current] = await tx.select().from(sandboxPayments).where(eq(sandboxPayments.id, paymentId));
    if (current?.status === "captured" || current?.status === "refunded") {
      throw new SandboxApiError("This payment has already been captured");
    }
    if (current?.status !== "authorized") {
      throw new SandboxApiError(
        "Only payments which have been authorized and not yet captured can be captured",
      );
    }
    if (input.amountPaise !== current.amountPaise || input.currency !== current.currency) {
      throw new SandboxApiError("Capture amount must be equal to the amount authorized", { field: "amount" });
    }
    if (order.status === "paid") throw new SandboxApiError("Order already paid");
    const [captured] = await tx
      .update(sandboxPayments)
      .set({ status: "captured" })
      .where(eq(sandboxPayments.id, paymentId))
      .returning();
    if (!captured) throw unknownId();
    await markPaid(context, tx, order, captured);
    return captured;
  });
  context.onQueued();
  return payment;
}

/** Runs `work` with the order locked, so that it is paid once, however many tabs show it. */
async function withLockedOrder(
  context: SandboxContext,
  orderId: string,
  work: (tx: Transaction, order: OrderRow) => Promise<PaymentRow>,
): Promise<PaymentRow> {
  const payment = await inTransaction(context.db, async (tx) => {
    const order = await lockOrder(tx, orderId);
    return order.status === "paid" ? await findPaymentOf(tx, order) : await work(tx, order);
  });
  context.onQueued();
  return payment;
}

async function lockOrder(tx: Transaction, orderId: string): Promise<OrderRow> {
  const [order] = await tx.select().from(sandboxOrders).where(eq(sandboxOrders.id, orderId)).for("update");
  if (!order) throw unknownId();
  return order;
}

async function findPaymentOf(tx: Transaction, order: OrderRow): Promise<PaymentRow> {
  const isPaid = inArray(sandboxPayments.status, ["captured", "refunded"]);
  const [payment] = await tx
    .select()
    .from(sandboxPayments)
    .where(and(eq(sandboxPayments.orderId, order.id), isPaid));
  if (!payment) throw new Error(`the paid sandbox order ${order.id} has no payment`);
  return payment;
}

async function insertPayment(
  context: SandboxContext,
  tx: Transaction,
  order: OrderRow,
  status: "captured" | "failed",
): Promise<PaymentRow> {
  const now = context.clock.now();
  const [payment] = await tx
    .insert(sandboxPayments)
    .values({
      id: newId("pay"),
      orderId: order.id,
      amountPaise: order.amountPaise,
      currency: order.currency,
      status,
      errorDescription: status === "failed" ? DECLINED_BY_BANK : null,
      createdAt: now,
      updatedAt: now,
    })
    .returning();
  if (!payment) throw new Error("a sandbox payment was not stored");
  return payment;
}

async function markPaid(
  context: SandboxContext,
  tx: Transaction,
  order: OrderRow,
  payment: PaymentRow,
): Promise<void> {
  const [paid] = await tx
    .update(sandboxOrders)
    .set({ status: "paid", attempts: sql`${sandboxOrders.attempts} + 1` })
    .where(eq(sandboxOrders.id, order.id))
    .returning();
  if (!paid) throw unknownId();
  await queueWebhooks(tx, context.clock.now(), [
    { event: "payment.captured", payment },
    { event: "order.paid", payment, order: paid },
  ]);
}
