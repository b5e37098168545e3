import { eq } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { sandboxPayments, sandboxRefunds } from "#db/tables/sandbox.ts";
import { inTransaction, violatedConstraint } from "#db/transaction.ts";
import { SandboxApiError, unknownId } from "./api-error.ts";
import { newId, type PaymentRow, type RefundRow } from "./entities.ts";
import type { SandboxContext } from "./sandbox-context.ts";
import { queueWebhooks } from "./webhook-queue.ts";

export interface RefundInput {
  paymentId: string;
  /** Paise; the whole remaining amount when undefined. */
  amountPaise: number | undefined;
  idempotencyKey: string | null;
}

const reusedKey = () =>
  new SandboxApiError("Different request with the same idempotency key has already been processed.");

/**
 * Refunds a payment at once. The same key with the same request returns the first refund.
 *
 * @throws SandboxApiError for an unknown or uncaptured payment, an amount over the remaining one, or a key of another
 *   request
 */
export async function refundPayment(
  context: SandboxContext,
  input: RefundInput,
): Promise<{ refund: RefundRow; payment: PaymentRow }> {
  try {
    const result = await inTransaction(context.db, (tx) => refundLocked(context, tx, input));
    context.onQueued();
    return result;
  } catch (error) {
    // Two refunds of different payments used one key at the same moment.
    if (violatedConstraint(error)?.includes("idempotency_key")) throw reusedKey();
    throw error;
  }
}

/** @throws SandboxApiError when there is no such refund */
export async function findRefund(
  { db }: SandboxContext,
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

async function refundLocked(context: SandboxContext, tx: Transaction, input: RefundInput) {
  const { paymentId, idempotencyKey } = input;
  const byId = eq(sandboxPayments.id, paymentId);
  const [payment] = await tx.select().from(sandboxPayments).where(byId).for("update");
  if (!payment) throw unknownId();
  const earlier = await findByKey(tx, idempotencyKey);
  if (earlier) {
    const isSameRequest =
      earlier.paymentId === paymentId && (input.amountPaise ?? earlier.amountPaise) === earlier.amountPaise;
    if (!isSameRequest) throw reusedKey();
    return { refund: earlier, payment };
  }
  const amountPaise = amountToRefund(payment, input.amountPaise);
  const now = context.clock.now();
  const [refund] = await tx
    .insert(sandboxRefunds)
    .values({
      id: newId("rfnd"),
      paymentId,
      amountPaise,
      idempotencyKey,
      status: "processed",
      createdAt: now,
    })
    .returning();
  const refundedPaise = payment.refundedPaise + amountPaise;
  const status = refundedPaise === payment.amountPaise ? "refunded" : payment.status;
  const [after] = await tx.update(sandboxPayments).set({ refundedPaise, status }).where(byId).returning();
  if (!refund || !after) throw new Error("a sandbox refund was not stored");
  await queueWebhooks(tx, now, [{ event: "refund.processed", payment: after, refund }]);
  return { refund, payment: after };
}

async function findByKey(tx: Transaction, key: string | null): Promise<RefundRow | undefined> {
  if (key === null) return undefined;
  const [refund] = await tx.select().from(sandboxRefunds).where(eq(sandboxRefunds.idempotencyKey, key));
  return refund;
}

function amountToRefund(payment: PaymentRow, requested: number | undefined): number {
  if (payment.status === "refunded") throw new SandboxApiError("The payment has been fully refunded already");
  if (payment.status !== "captured") {
    throw new SandboxApiError("The payment status should be captured for action to be taken");
  }
  const remaining = payment.amountPaise - payment.refundedPaise;
  if ((requested ?? remaining) > remaining) {
    throw new SandboxApiError("The total refund amount is greater than the refund payment amount", {
      field: "amount",
    });
  }
  return requested ?? remaining;
}
