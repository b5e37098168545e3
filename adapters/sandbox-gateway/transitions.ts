import { DAY } from "#core/time.ts";
import {
  type Change,
  type Dispute,
  exampleOfferPaise,
  findById,
  gatewayFeePaise,
  newId,
  type Payment,
  type Refund,
  reusedKey,
  SandboxApiError,
} from "./entities.ts";

const DECLINED_BY_BANK = "Your payment was declined by the bank.";

/** In what a payment differs from its order: a fee on top, an offer (paise), or for no good reason; and its payer. */
export interface PaymentOverrides {
  amountPaise?: number;
  currency?: string;
  buyerFeePaise?: number;
  offerPaise?: number;
  reportsFeeEarly?: boolean;
  payer?: Payment["payer"];
}

/** A buyer starts to pay; the bank has not answered. Amount and currency come from the order unless overridden. */
export function startPayment(
  { order, payments, now }: Change,
  { amountPaise, currency, ...terms }: PaymentOverrides = {},
): Payment {
  const { buyerFeePaise = 0, offerPaise = 0 } = terms;
  const payment: Payment = {
    ...terms,
    id: newId("pay"),
    orderId: order.id,
    amountPaise: amountPaise ?? order.amountPaise + buyerFeePaise - offerPaise,
    buyerFeePaise,
    offerPaise,
    currency: currency ?? order.currency,
    status: "created",
    captured: false,
    refundedPaise: 0,
    errorDescription: null,
    createdAt: now,
  };
  payments.push(payment);
  order.attempts++;
  if (order.status === "created") order.status = "attempted";
  return payment;
}

/** The bank authorises, at once or days later, even a payment that failed before. */
export function authorizePayment({ emit }: Change, payment: Payment): void {
  if (payment.status !== "created" && payment.status !== "failed")
    throw new SandboxApiError(`A payment that is ${payment.status} cannot be authorised`);
  payment.status = "authorized";
  payment.errorDescription = null;
  emit({ event: "payment.authorized", payment });
}

export function failPayment({ emit }: Change, payment: Payment, why = DECLINED_BY_BANK): void {
  if (payment.status !== "created")
    throw new SandboxApiError(`A payment that is ${payment.status} cannot fail`);
  payment.status = "failed";
  payment.errorDescription = why;
  emit({ event: "payment.failed", payment });
}

/** Captures, also a second payment of an order: callers refuse that where they must. */
export function capturePayment({ order, emit }: Change, payment: Payment): void {
  if (payment.captured) throw new SandboxApiError("This payment has already been captured");
  if (payment.status !== "authorized") {
    const only = "Only payments which have been authorized and not yet captured can be captured";
    throw new SandboxApiError(only);
  }
  payment.status = "captured";
  payment.captured = true;
  const wasPaid = order.status === "paid";
  const paidPaise = payment.amountPaise - payment.buyerFeePaise;
  if (!wasPaid && paidPaise + payment.offerPaise >= order.amountPaise) {
    order.status = "paid";
    order.amountPaidPaise = paidPaise;
  }
  emit({ event: "payment.captured", payment });
  if (!wasPaid && order.status === "paid") emit({ event: "order.paid", payment, order });
}

/** The buyer pays. For an order that is already paid it returns that payment. */
export function payOrder(change: Change, terms: PaymentOverrides = {}): Payment {
  const paid = paidPaymentOf(change);
  if (paid) return paid;
  const payment = startPayment(change, terms);
  authorizePayment(change, payment);
  capturePayment(change, payment);
  return payment;
}

/** The buyer bears the gateway's fee. */
export const payOrderWithFee = (change: Change) =>
  payOrder(change, { buyerFeePaise: gatewayFeePaise(change.order.amountPaise) });

/** The buyer uses an offer that the owner has made at the gateway. */
export const payOrderWithOffer = (change: Change) =>
  payOrder(change, { offerPaise: exampleOfferPaise(change.order.amountPaise) });

/** The buyer pays, and asks the bank for the money afterwards. For an order that is already paid it returns that payment. */
export function payThenDispute(change: Change): Payment {
  const payment = payOrder(change);
  if (change.disputes.length === 0) openDispute(change, payment.id);
  return payment;
}

/** The same, and the bank decides for the buyer. */
export function payThenLose(change: Change): Payment {
  const payment = payThenDispute(change);
  for (const dispute of change.disputes) if (dispute.status === "open") moveDispute(change, dispute, "lost");
  return payment;
}

/** The bank declines. For an order that is already paid it returns that payment. */
export function failOrder(change: Change): Payment {
  const paid = paidPaymentOf(change);
  if (paid) return paid;
  const payment = startPayment(change);
  failPayment(change, payment);
  return payment;
}

const paidPaymentOf = ({ payments }: Change) => payments.find(({ captured }) => captured);

/** The shop captures: the whole amount without a fee that the buyer bears, and only while the order is not paid. */
export function captureByApi(
  change: Change,
  paymentId: string,
  input: { amountPaise: number; currency: string },
): Payment {
  const payment = findById(change.payments, paymentId);
  if (payment.status === "authorized") {
    if (
      input.amountPaise !== payment.amountPaise - payment.buyerFeePaise ||
      input.currency !== payment.currency
    )
      throw new SandboxApiError("Capture amount must be equal to the amount authorized", { field: "amount" });
    if (change.order.status === "paid")
      throw new SandboxApiError("Your payment has been declined as the order is already paid");
  }
  capturePayment(change, payment);
  return payment;
}

export interface RefundInput {
  paymentId: string;
  /** Paise; everything that is not refunded yet when undefined. */
  amountPaise: number | undefined;
  idempotencyKey: string | null;
}

/**
 * Makes a pending refund. The same key with the same request returns the refund of the first request.
 *
 * @throws SandboxApiError for an uncaptured payment, an amount over the remaining one, or a key of another request
 */
export function requestRefund(change: Change, input: RefundInput): Refund {
  const payment = findById(change.payments, input.paymentId);
  const { idempotencyKey } = input;
  const earlier = change.refunds.find((one) => idempotencyKey && one.idempotencyKey === idempotencyKey);
  if (earlier) {
    const isSameRequest =
      earlier.paymentId === payment.id && (input.amountPaise ?? earlier.amountPaise) === earlier.amountPaise;
    if (!isSameRequest) throw reusedKey();
    return earlier;
  }
  return addRefund(change, payment, {
    amountPaise: amountToRefund(payment, input.amountPaise),
    idempotencyKey,
  });
}

export function addRefund(
  { refunds, now, emit }: Change,
  payment: Payment,
  { amountPaise, idempotencyKey }: { amountPaise: number; idempotencyKey: string | null },
): Refund {
  const refund: Refund = {
    id: newId("rfnd"),
    paymentId: payment.id,
    amountPaise,
    idempotencyKey,
    status: "pending",
    createdAt: now,
  };
  refunds.push(refund);
  payment.refundedPaise += amountPaise;
  if (payment.refundedPaise === payment.amountPaise) payment.status = "refunded";
  emit({ event: "refund.created", payment, refund });
  return refund;
}

/** The bank carries out a pending refund. */
export function finishRefund({ payments, emit }: Change, refund: Refund): void {
  if (refund.status !== "pending") throw new SandboxApiError(`The refund is ${refund.status} already`);
  refund.status = "processed";
  emit({ event: "refund.processed", payment: findById(payments, refund.paymentId), refund });
}

function amountToRefund(payment: Payment, requested: number | undefined): number {
  if (payment.status === "refunded") throw new SandboxApiError("The payment has been fully refunded already");
  if (payment.status !== "captured")
    throw new SandboxApiError("The payment status should be captured for action to be taken");
  const remaining = payment.amountPaise - payment.refundedPaise;
  const amountPaise = requested ?? remaining;
  const field = "amount";
  if (amountPaise < 100) throw new SandboxApiError("The amount must be at least INR 1.00", { field });
  if (amountPaise > remaining)
    throw new SandboxApiError("The total refund amount is greater than the refund payment amount", { field });
  return amountPaise;
}

export interface NewDispute {
  /** Paise; the whole payment when undefined. */
  amountPaise?: number;
  phase?: string;
  reasonCode?: string;
  reason?: string;
}

/** The bank of the payer wants the money of a captured payment back. */
export function openDispute(
  { payments, disputes, now, emit }: Change,
  paymentId: string,
  {
    amountPaise,
    phase = "chargeback",
    reasonCode = "goods_or_services_not_received_or_partially_received",
    reason = "The buyer says that nothing was delivered.",
  }: NewDispute = {},
): Dispute {
  const payment = findById(payments, paymentId);
  if (!payment.captured) throw new SandboxApiError("Only a captured payment can be disputed");
  const dispute: Dispute = {
    id: newId("disp"),
    paymentId,
    amountPaise: amountPaise ?? payment.amountPaise,
    deductedPaise: 0,
    phase,
    status: "open",
    reasonCode,
    reason,
    respondBy: new Date(now.getTime() + 7 * DAY),
    createdAt: now,
  };
  disputes.push(dispute);
  emit({ event: "payment.dispute.created", payment, dispute });
  return dispute;
}

/** The bank, or the owner on the gateway's pages, changes a dispute. The shop pays a lost one, except in the phase fraud. */
export function moveDispute({ payments, emit }: Change, dispute: Dispute, status: Dispute["status"]): void {
  if (dispute.status !== "open" && dispute.status !== "under_review")
    throw new SandboxApiError(`The dispute is ${dispute.status} already`);
  dispute.status = status;
  if (status === "lost" && dispute.phase !== "fraud") dispute.deductedPaise = dispute.amountPaise;
  const payment = findById(payments, dispute.paymentId);
  const event =
    status === "open" ? "payment.dispute.action_required" : (`payment.dispute.${status}` as const);
  emit({ event, payment, dispute });
}
