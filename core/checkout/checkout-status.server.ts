import { desc, eq, sql } from "drizzle-orm";
import type { z } from "zod";
import { paymentAttempts, paymentOrders, refunds } from "#db/tables/payments.ts";
import { type Purchase, userPurchases } from "#db/tables/purchases.ts";
import { type AuthorisedContext, requireSignedIn, type SignedInActor } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { isOpenCheckout } from "../passes/purchase-states.ts";
import { isPaymentSettled } from "../payments/payment-attempts.server.ts";
import { findOrderWithPurchase } from "../payments/payment-orders.server.ts";
import { settleOrderOfPurchase, trySettleOrder } from "../payments/settle-order.server.ts";
import { findRefundMessage } from "../refund-reasons.ts";
import { confirmCheckoutInput, purchaseIdInput } from "./schemas.ts";

/** The status of a checkout, for its buyer. `paidPaise`: what was paid, or would have been; absent: the price. */
export type CheckoutStatus =
  | { state: "success"; orderNumber: string; startsAt: Date; expiresAt: Date; paidPaise?: number }
  /** Paid, or being paid. The pass is not created yet. */
  | { state: "confirming" }
  | { state: "waiting" }
  | { state: "refunded"; reason: string; paidPaise?: number }
  /** The bank approved a payment that the shop does not capture. The gateway returns it. */
  | { state: "not-taken"; reason: string; paidPaise?: number }
  /** The shop ended the purchase and retained the payment, if there was one. */
  | { state: "cancelled" }
  /** Ended without a known payment. `unsure`: the gateway could not be asked. */
  | { state: "ended"; unsure?: true };

/** What is recorded about the payments for a purchase. */
interface PaymentSummary {
  /** Why a payment is refunded; null: none is. */
  refundReason: string | null;
  /** Why the payment in question is not captured; null: it is, or this is not decided yet. */
  uncapturedReason: string | null;
  /** A payment is authorised and may still be captured. */
  authorised: boolean;
  /** The amounts of these payments, and of the payment that pays for the pass; absent: there is none. */
  paise: { kept?: number | undefined; refunded?: number | undefined; uncaptured?: number | undefined };
}

const NO_PAYMENTS: PaymentSummary = {
  refundReason: null,
  uncapturedReason: null,
  authorised: false,
  paise: {},
};

interface StatusHints {
  /** The payment that the buyer has proof of; null: no proof. */
  gatewayPaymentId: string | null;
}

/** Reads the status of a purchase, without asking the gateway. */
export async function readCheckoutStatus(
  ctx: AuthorisedContext,
  purchaseId: string,
  hints: StatusHints = { gatewayPaymentId: null },
): Promise<CheckoutStatus> {
  const rows = await ctx.db
    .select({ purchase: userPurchases, attempt: paymentAttempts, refundReason: refunds.reason })
    .from(userPurchases)
    .leftJoin(paymentOrders, eq(paymentOrders.purchaseId, userPurchases.id))
    .leftJoin(paymentAttempts, eq(paymentAttempts.orderId, paymentOrders.id))
    .leftJoin(refunds, eq(refunds.attemptId, paymentAttempts.id))
    .where(eq(userPurchases.id, purchaseId))
    // Ids are ordered by time.
    .orderBy(sql`${refunds.id} desc nulls last`, desc(paymentAttempts.id));
  const [first] = rows;
  if (!first) throw new DomainError("purchase-not-found");
  const attempts = rows.flatMap(({ attempt }) => attempt ?? []).toSorted((a, b) => (a.id < b.id ? 1 : -1));
  const proven = attempts.find(({ gatewayPaymentId }) => gatewayPaymentId === hints.gatewayPaymentId);
  const inQuestion = hints.gatewayPaymentId === null ? attempts[0] : proven;
  return checkoutStatusOf(first.purchase, {
    paid: hints.gatewayPaymentId !== null,
    payments: {
      refundReason: first.refundReason,
      uncapturedReason: inQuestion?.status === "authorized" ? inQuestion.uncapturedReason : null,
      authorised: attempts.some(
        ({ status, uncapturedReason }) => status === "authorized" && uncapturedReason === null,
      ),
      paise: {
        kept: attempts.find(({ outcome }) => outcome === "pass")?.amountPaise,
        refunded: first.attempt?.amountPaise,
        uncaptured: inQuestion?.amountPaise,
      },
    },
  });
}

/** The status of a purchase, for its buyer. `paid`: the buyer has proof of a payment. */
function checkoutStatusOf(
  purchase: Purchase,
  hints: { paid: boolean; payments?: PaymentSummary },
): CheckoutStatus {
  const { refundReason, uncapturedReason, authorised, paise } = hints.payments ?? NO_PAYMENTS;
  const unlessPrice = (paidPaise: number | undefined) =>
    paidPaise === undefined || paidPaise === purchase.amountPaise ? {} : { paidPaise };
  if (purchase.status === "completed" && purchase.startsAt && purchase.expiresAt && !purchase.endedAt) {
    const { orderNumber, startsAt, expiresAt } = purchase;
    return { state: "success", orderNumber, startsAt, expiresAt, ...unlessPrice(paise.kept) };
  }
  if (refundReason !== null) {
    const reason = findRefundMessage(refundReason) ?? "";
    return { state: "refunded", reason, ...unlessPrice(paise.refunded) };
  }
  if (uncapturedReason !== null) {
    const reason = findRefundMessage(uncapturedReason) ?? "";
    return { state: "not-taken", reason, ...unlessPrice(paise.uncaptured) };
  }
  if (hints.paid || authorised) return { state: "confirming" };
  if (purchase.endedReason === "cancelled") return { state: "cancelled" };
  return { state: isOpenCheckout(purchase) ? "waiting" : "ended" };
}

/** @throws DomainError purchase-not-found (also for a purchase of another user) */
export async function requireOwnPurchase(
  ctx: AuthorisedContext<SignedInActor>,
  input: z.input<typeof purchaseIdInput> | UntrustedInput,
): Promise<Purchase> {
  const { purchaseId } = parseInput(purchaseIdInput, input);
  const [purchase] = await ctx.db.select().from(userPurchases).where(eq(userPurchases.id, purchaseId));
  if (purchase?.userId !== ctx.actor.userId) throw new DomainError("purchase-not-found");
  return purchase;
}

/** Pages ask more often than the gateway is polled. */
const MINIMUM_POLL_INTERVAL_MS = 1500;

/**
 * Settles the order of the buyer's own checkout, then reads its status, so that an open page shows a payment whose
 * confirmation was lost.
 *
 * @throws DomainError unauthenticated, purchase-not-found
 */
export async function refreshCheckoutStatus(
  ctx: Context,
  input: z.input<typeof purchaseIdInput>,
): Promise<CheckoutStatus> {
  requireSignedIn(ctx, "reads");
  const purchase = await requireOwnPurchase(ctx, input);
  if (purchase.status !== "completed") {
    await settleOrderOfPurchase(ctx, purchase.id, { minimumIntervalMs: MINIMUM_POLL_INTERVAL_MS });
  }
  return readCheckoutStatus(ctx, purchase.id);
}

/**
 * The buyer's browser returns from the gateway's window with a signature over the ids of order and payment. The
 * signature must be valid for an order of this buyer. Then the order is settled: only the gateway's own report creates
 * the pass.
 *
 * @returns the status of the purchase; 'confirming' when the gateway does not report the payment yet (a webhook will)
 * @throws DomainError unauthenticated, purchase-not-found, payment-not-verified
 */
export async function confirmCheckout(
  ctx: Context,
  input: z.input<typeof confirmCheckoutInput> | UntrustedInput,
): Promise<CheckoutStatus> {
  requireSignedIn(ctx, "own-account");
  const { actor } = ctx;
  const { gatewayOrderId, gatewayPaymentId, signature } = parseInput(confirmCheckoutInput, input);
  const { gateway } = ctx.ports;
  if (!gateway) throw new DomainError("payments-not-set-up");
  const found = await findOrderWithPurchase(ctx.db, { gateway: gateway.name, gatewayOrderId });
  if (!found?.order.gatewayOrderId || found.purchase.userId !== actor.userId) {
    throw new DomainError("purchase-not-found");
  }
  const { order, purchase } = found;
  const proof = { gatewayOrderId: found.order.gatewayOrderId, gatewayPaymentId, signature };
  if (!gateway.verifyCheckout(proof)) {
    ctx.log.warn({ purchaseId: purchase.id }, "confirmation with an invalid signature refused");
    throw new DomainError("payment-not-verified");
  }
  // A repeated confirmation needs no request to the gateway.
  if (order.state === "settled" && (await isPaymentSettled(ctx.db, gatewayPaymentId))) {
    return readCheckoutStatus(ctx, purchase.id, { gatewayPaymentId });
  }
  const settled = await trySettleOrder(ctx, order);
  if (settled.result === "pass" && settled.purchase) {
    const payments = { ...NO_PAYMENTS, paise: { kept: settled.paidPaise } };
    return checkoutStatusOf(settled.purchase, { paid: true, payments });
  }
  return readCheckoutStatus(ctx, purchase.id, { gatewayPaymentId });
}
