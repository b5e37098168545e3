import { eq } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { sandboxPayments, sandboxRefunds } from "#db/tables/sandbox.ts";
import { inTransaction, violatedConstraint } from "#db/transaction.ts";
import type { Books } from "./books.ts";
import { newId, type PaymentRow, type RefundRow } from "./entities.ts";
import { SandboxRefusal, unknownId } from "./refusal.ts";
import { queueWebhooks } from "./webhook-queue.ts";

export interface RefundInput {
  paymentId: string;
  /** Paise; all that is left when undefined. */
  amount: number | undefined;
  idempotencyKey: string | null;
}

const reusedKey = () =>
  new SandboxRefusal("Different request with the same idempotency key has already been processed.");

/**
 * Pays money back at once. The same key with the same request answers with the refund it made the first time.
 *
 * @throws SandboxRefusal for an unknown or uncaptured payment, more than is left, or a key used for something else
 */
export async function refundPayment(
  books: Books,
  input: RefundInput,
): Promise<{ refund: RefundRow; payment: PaymentRow }> {
  try {
    const result = await inTransaction(books.db, (tx) => refundLocked(books, tx, input));
    books.onQueued();
    return result;
  } catch (error) {
    // Two refunds of different payments took one key at the same moment.
    if (violatedConstraint(error)?.includes("idempotency_key")) throw reusedKey();
    throw error;
  }
}

/** @throws SandboxRefusal when there is no such refund */
export async function findRefund(
  { db }: Books,
  refundId: string,
): Promise<{ refund: RefundRow; payment: PaymentRow }> {
  const [found] = await db
    .select({ refund: sandboxRefunds, payment: sandboxPayments })
    .from(sandboxRefunds)
    .innerJoin(sandboxPayments, eq(sandboxPayments.id, sandboxRefunds.paymentId))
    .where(eq(sandboxRefunds.id, refundId));
  if (!found) throw unknownId();
  return found;
}

async function refundLocked(books: Books, tx: Transaction, input: RefundInput) {
  const { paymentId, idempotencyKey } = input;
  const byId = eq(sandboxPayments.id, paymentId);
  const [payment] = await tx.select().from(sandboxPayments).where(byId).for("update");
  if (!payment) throw unknownId();
  const earlier = await findByKey(tx, idempotencyKey);
  if (earlier) {
    const same = earlier.paymentId === paymentId && (input.amount ?? earlier.amount) === earlier.amount;
    if (!same) throw reusedKey();
    return { refund: earlier, payment };
  }
  const amount = amountToRefund(payment, input.amount);
  const now = books.clock.now();
  const [refund] = await tx
    .insert(sandboxRefunds)
    .values({ id: newId("rfnd"), paymentId, amount, idempotencyKey, status: "processed", createdAt: now })
    .returning();
  const amountRefunded = payment.amountRefunded + amount;
  const status = amountRefunded === payment.amount ? "refunded" : payment.status;
  const [after] = await tx.update(sandboxPayments).set({ amountRefunded, status }).where(byId).returning();
  if (!refund || !after) throw new Error("a sandbox refund was not stored");
  await queueWebhooks(tx, now, [{ event: "refund.processed", payment: after, refund }]);
  return { refund, payment: after };
}

async function findByKey(tx: Transaction, key: string | null): Promise<RefundRow | undefined> {
  if (key === null) return undefined;
  const [refund] = await tx.select().from(sandboxRefunds).where(eq(sandboxRefunds.idempotencyKey, key));
  return refund;
}

function amountToRefund(payment: PaymentRow, asked: number | undefined): number {
  if (payment.status === "refunded") throw new SandboxRefusal("The payment has been fully refunded already");
  if (payment.status !== "captured") {
    throw new SandboxRefusal("The payment status should be captured for action to be taken");
  }
  const left = payment.amount - payment.amountRefunded;
  if ((asked ?? left) > left) {
    throw new SandboxRefusal("The total refund amount is greater than the refund payment amount", {
      field: "amount",
    });
  }
  return asked ?? left;
}
