import { and, eq, exists, ne, sql } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { paymentAttempts } from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { inTransaction, isExclusionViolation } from "#db/transaction.ts";
import type { Context } from "../context.ts";
import { isPassNow } from "../entitlements/running.server.ts";
import { movePurchase } from "./move-purchase.server.ts";
import type { GatewayPayment } from "./payment-gateway.ts";
import { nextPaymentMove, paymentStateOf } from "./payment-machine.ts";
import {
  finishFailedRefund,
  noteCheck,
  notePartRefund,
  reopenRefund,
  writeAttempt,
} from "./payment-records.server.ts";
import type { CaptureFacts } from "./purchase-machine.ts";
import { lockPurchase, type PaymentAttempt, type PaymentOrder, type Purchase } from "./queries.server.ts";
import { requestRefund } from "./request-refund.server.ts";
import type { Settled } from "./settle-payment.server.ts";

/** Writes down what the gateway said and turns every captured payment not yet accounted for into a pass or a refund. */
export async function accountForPayments(
  ctx: Context,
  order: PaymentOrder,
  payments: readonly GatewayPayment[],
): Promise<Settled> {
  if (payments.length === 0) {
    await noteCheck(ctx, ctx.db, order, { settled: false });
    return { result: "waiting", purchase: null };
  }
  try {
    return await account(ctx, { order, payments, overlaps: false });
  } catch (error) {
    if (!isExclusionViolation(error)) throw error;
    // Another pass for this tool came to life in between. What was rolled back is decided anew with that in mind.
    return account(ctx, { order, payments, overlaps: true });
  }
}

interface Accounting {
  order: PaymentOrder;
  payments: readonly GatewayPayment[];
  overlaps: boolean;
}

async function account(ctx: Context, input: Accounting): Promise<Settled> {
  const { order } = input;
  const { outcomes, refunds, purchase } = await inTransaction(ctx.db, async (tx) => {
    // First of all locks: whoever accounts for this order's money waits here for the others.
    const locked = await lockPurchase(tx, order.purchaseId);
    if (!locked) throw new Error(`order ${order.id} has no purchase`);
    const known = await tx.select().from(paymentAttempts).where(eq(paymentAttempts.orderId, order.id));
    const attempts = new Map(known.map((attempt) => [attempt.gatewayPaymentId, attempt]));
    let purchase = locked;
    let refunds = 0;
    for (const payment of input.payments) {
      const known = attempts.get(payment.paymentId) ?? null;
      const done = await accountForOne(ctx, tx, { ...input, payment, known, purchase });
      if (done.attempt) attempts.set(payment.paymentId, done.attempt);
      purchase = done.purchase;
      if (done.refunded) refunds++;
    }
    const outcomes = [...attempts.values()].map(({ outcome }) => outcome);
    await noteCheck(ctx, tx, order, { settled: outcomes.some((outcome) => outcome !== null) });
    return { outcomes, refunds, purchase };
  });
  if (refunds > 0) {
    ctx.ports.jobs.nudge("carry-out-refunds");
    ctx.ports.jobs.nudge("send-mail");
  }
  const accounted = outcomes.some((outcome) => outcome !== null) ? "refunded" : "waiting";
  return { result: outcomes.includes("pass") ? "pass" : accounted, purchase };
}

interface Told {
  order: PaymentOrder;
  purchase: Purchase;
  payment: GatewayPayment;
  /** Our row of this payment; null when it is news. */
  known: PaymentAttempt | null;
  overlaps: boolean;
}

interface Done {
  purchase: Purchase;
  attempt: PaymentAttempt | null;
  refunded: boolean;
}

async function accountForOne(ctx: Context, tx: Transaction, told: Told): Promise<Done> {
  const { payment, known, purchase } = told;
  const state = paymentStateOf(known);
  const move = nextPaymentMove(state, `told-${payment.status}`);
  const next = move.kind === "moves" ? move.to : state;
  if (next === "captured") return accountForCapture(ctx, tx, told);
  if (known && next === "refund" && payment.status === "refunded") return noteReversal(ctx, tx, told, known);
  if (known && next === "refund" && payment.status === "captured" && payment.refundedPaise < known.amount) {
    const refunded = await reopenRefund(ctx, tx, known.id);
    if (refunded)
      ctx.log.error({ paymentId: payment.paymentId }, "a refund made at the gateway failed there");
    return { purchase, attempt: known, refunded };
  }
  if (known && isPartRefund(payment, known)) {
    const attempt = await notePartRefund(ctx, tx, { purchaseId: purchase.id, payment, known });
    return { purchase, attempt, refunded: false };
  }
  if (move.kind !== "moves") return { purchase, attempt: known, refunded: false };
  const attempt = await writeAttempt(ctx, tx, { ...told, outcome: null });
  return { purchase, attempt, refunded: false };
}

/** Of money that goes back as a whole by our own hand no part is kept book of: the refund's row tells it. */
function isPartRefund(payment: GatewayPayment, known: PaymentAttempt): boolean {
  const kept = known.outcome === "pass" || known.outcome === "cancellation";
  return kept && payment.status === "captured" && payment.refundedPaise !== known.refundedAtGateway;
}

async function accountForCapture(ctx: Context, tx: Transaction, told: Told): Promise<Done> {
  const { order, payment } = told;
  const alreadyBack = payment.status === "refunded";
  const { purchase, refund } = await movePurchase(ctx, tx, told.purchase, {
    type: "captured",
    alreadyBack,
    amountMatches: payment.amountPaise === order.amount && payment.currency === order.currency,
    ...(await readBuyer(ctx, tx, told)),
  });
  const attempt = await writeAttempt(ctx, tx, { ...told, outcome: refund ? "refund" : "pass" });
  if (refund) await requestRefund(ctx, tx, { purchase, attempt, reason: refund, alreadyBack });
  else ctx.log.info({ purchaseId: purchase.id, paymentId: payment.paymentId }, "payment became a pass");
  return { purchase, attempt, refunded: refund !== null };
}

async function readBuyer(
  ctx: Context,
  tx: Transaction,
  { purchase, overlaps }: Told,
): Promise<Pick<CaptureFacts, "userUsable" | "ownsTool">> {
  const otherPass = tx
    .select({ one: sql`1` })
    .from(userPurchases)
    .where(
      and(
        eq(userPurchases.userId, purchase.userId),
        purchase.toolId ? eq(userPurchases.toolId, purchase.toolId) : sql`false`,
        ne(userPurchases.id, purchase.id),
        isPassNow(ctx),
      ),
    );
  const [buyer] = await tx
    .select({
      isActive: users.isActive,
      deletedAt: users.deletedAt,
      ownsTool: exists(otherPass).mapWith(Boolean),
    })
    .from(users)
    .where(eq(users.id, purchase.userId));
  return {
    userUsable: buyer?.isActive === true && buyer.deletedAt === null,
    ownsTool: overlaps || buyer?.ownsTool === true,
  };
}

/** Money that we have accounted for went back by the gateway's own hand: a pass that lived on it ends. */
async function noteReversal(
  ctx: Context,
  tx: Transaction,
  told: Told,
  attempt: PaymentAttempt,
): Promise<Done> {
  if (attempt.outcome === "refund") {
    await finishFailedRefund(ctx, tx, attempt.id);
    return { purchase: told.purchase, attempt, refunded: false };
  }
  const { purchase } =
    attempt.outcome === "pass"
      ? await movePurchase(ctx, tx, told.purchase, { type: "payment-reversed" })
      : told;
  await requestRefund(ctx, tx, { purchase, attempt, reason: "refunded-at-gateway", alreadyBack: true });
  return { purchase, attempt: { ...attempt, outcome: "refund" }, refunded: true };
}
