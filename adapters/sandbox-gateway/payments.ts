import { and, eq, inArray } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { sandboxOrders, sandboxPayments } from "#db/tables/sandbox.ts";
import { inTransaction } from "#db/transaction.ts";
import type { Books } from "./books.ts";
import { newId, type OrderRow, type PaymentRow } from "./entities.ts";
import { SandboxRefusal, unknownId } from "./refusal.ts";
import { queueWebhooks } from "./webhook-queue.ts";

const REFUSED_BY_BANK = "Your payment was declined by the bank. You were not charged.";

/** Pays an order by the buyer's word. An order that is paid already answers with the payment that paid it. */
export function payOrder(books: Books, orderId: string): Promise<PaymentRow> {
  return onOrder(books, orderId, async (tx, order) => {
    const payment = await insertPayment(books, tx, order, "captured");
    await markPaid(books, tx, order, payment);
    return payment;
  });
}

/** Lets the bank say no. On an order that is paid already it answers with the payment that paid it. */
export function failOrder(books: Books, orderId: string): Promise<PaymentRow> {
  return onOrder(books, orderId, async (tx, order) => {
    const payment = await insertPayment(books, tx, order, "failed");
    await tx
      .update(sandboxOrders)
      .set({ status: "attempted", attempts: order.attempts + 1 })
      .where(eq(sandboxOrders.id, order.id));
    await queueWebhooks(tx, books.clock.now(), [{ event: "payment.failed", payment }]);
    return payment;
  });
}

/** @throws SandboxRefusal when there is no such payment */
export async function findPayment({ db }: Books, paymentId: string): Promise<PaymentRow> {
  const [payment] = await db.select().from(sandboxPayments).where(eq(sandboxPayments.id, paymentId));
  if (!payment) throw unknownId();
  return payment;
}

/** Collects an authorised payment. @throws SandboxRefusal when it is none, or when its order is paid already */
export async function capturePayment(
  books: Books,
  paymentId: string,
  input: { amount: number; currency: string },
): Promise<PaymentRow> {
  const { orderId } = await findPayment(books, paymentId);
  const payment = await inTransaction(books.db, async (tx) => {
    const order = await lockOrder(tx, orderId);
    const [current] = await tx.select().from(sandboxPayments).where(eq(sandboxPayments.id, paymentId));
    if (current?.status === "captured" || current?.status === "refunded") {
      throw new SandboxRefusal("This payment has already been captured");
    }
    if (current?.status !== "authorized") {
      throw new SandboxRefusal(
        "Only payments which have been authorized and not yet captured can be captured",
      );
    }
    if (input.amount !== current.amount || input.currency !== current.currency) {
      throw new SandboxRefusal("Capture amount must be equal to the amount authorized", { field: "amount" });
    }
    if (order.status === "paid") throw new SandboxRefusal("Order already paid");
    const [captured] = await tx
      .update(sandboxPayments)
      .set({ status: "captured" })
      .where(eq(sandboxPayments.id, paymentId))
      .returning();
    if (!captured) throw unknownId();
    await markPaid(books, tx, order, captured);
    return captured;
  });
  books.onQueued();
  return payment;
}

/** Everything that happens to one order happens in a row, so that it is paid once however many tabs show it. */
async function onOrder(
  books: Books,
  orderId: string,
  work: (tx: Transaction, order: OrderRow) => Promise<PaymentRow>,
): Promise<PaymentRow> {
  const payment = await inTransaction(books.db, async (tx) => {
    const order = await lockOrder(tx, orderId);
    return order.status === "paid" ? await paymentOf(tx, order) : await work(tx, order);
  });
  books.onQueued();
  return payment;
}

async function lockOrder(tx: Transaction, orderId: string): Promise<OrderRow> {
  const [order] = await tx.select().from(sandboxOrders).where(eq(sandboxOrders.id, orderId)).for("update");
  if (!order) throw unknownId();
  return order;
}

async function paymentOf(tx: Transaction, order: OrderRow): Promise<PaymentRow> {
  const paying = inArray(sandboxPayments.status, ["captured", "refunded"]);
  const [payment] = await tx
    .select()
    .from(sandboxPayments)
    .where(and(eq(sandboxPayments.orderId, order.id), paying));
  if (!payment) throw new Error(`the paid sandbox order ${order.id} has no payment`);
  return payment;
}

async function insertPayment(
  books: Books,
  tx: Transaction,
  order: OrderRow,
  status: "captured" | "failed",
): Promise<PaymentRow> {
  const [payment] = await tx
    .insert(sandboxPayments)
    .values({
      id: newId("pay"),
      orderId: order.id,
      amount: order.amount,
      currency: order.currency,
      status,
      errorDescription: status === "failed" ? REFUSED_BY_BANK : null,
      createdAt: books.clock.now(),
    })
    .returning();
  if (!payment) throw new Error("a sandbox payment was not stored");
  return payment;
}

async function markPaid(books: Books, tx: Transaction, order: OrderRow, payment: PaymentRow): Promise<void> {
  const [paid] = await tx
    .update(sandboxOrders)
    .set({ status: "paid", attempts: order.attempts + 1 })
    .where(eq(sandboxOrders.id, order.id))
    .returning();
  if (!paid) throw unknownId();
  await queueWebhooks(tx, books.clock.now(), [
    { event: "payment.captured", payment },
    { event: "order.paid", payment, order: paid },
  ]);
}
