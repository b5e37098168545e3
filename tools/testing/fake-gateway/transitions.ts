import {
  appendTo,
  findOrRefuse,
  type GatewayRecords,
  newId,
  type Order,
  type Payment,
  type Refund,
} from "./records.ts";
import { Refusal } from "./refusal.ts";
import type { GatewayEvent } from "./webhook-event.ts";

export interface TransitionsOptions {
  records: GatewayRecords;
  now: () => number;
  /** Called for every event that has a webhook, after the records are changed. */
  emit: (gatewayEvent: GatewayEvent) => void;
  /** Whether a new refund stays pending. */
  shouldHoldRefunds: () => boolean;
}

export type Transitions = ReturnType<typeof createTransitions>;

export interface OrderInput {
  amount: number;
  currency: string;
  receipt: string | null;
  notes: Record<string, string>;
  automaticCapture: boolean;
}

const DECLINED = "Your payment didn't go through as it was declined by the bank. Try another payment method.";

/** The transitions of orders, payments and refunds. Each function is synchronous, so nothing runs between its parts. */
export function createTransitions({ records, now, emit, shouldHoldRefunds }: TransitionsOptions) {
  function createOrder(input: OrderInput): Order {
    const state = { id: newId("order_"), amountPaid: 0, status: "created", attempts: 0 } as const;
    const order: Order = { ...input, ...state, createdAt: now() };
    records.orders.set(order.id, order);
    if (order.receipt !== null) appendTo(records.ordersByReceipt, order.receipt, order);
    return order;
  }

  /** A buyer starts to pay; the bank has not answered. Amount and currency are the order's unless overridden. */
  function startPayment(
    orderId: string,
    overrides: { amountPaise?: number; currency?: string } = {},
  ): Payment {
    const order = findOrRefuse(records.orders, orderId);
    const payment: Payment = {
      id: newId("pay_"),
      order,
      amount: overrides.amountPaise ?? order.amount,
      currency: overrides.currency ?? order.currency,
      status: "created",
      captured: false,
      capturedBy: null,
      amountRefunded: 0,
      errorDescription: null,
      createdAt: now(),
    };
    records.payments.set(payment.id, payment);
    appendTo(records.paymentsByOrder, order.id, payment);
    order.attempts++;
    if (order.status === "created") order.status = "attempted";
    return payment;
  }

  /** The bank authorises, at once or days later, even a payment that failed before. */
  function authorize(payment: Payment): void {
    if (payment.status !== "created" && payment.status !== "failed") {
      throw new Refusal(`A payment that is ${payment.status} cannot be authorised`);
    }
    payment.status = "authorized";
    payment.errorDescription = null;
    emit({ event: "payment.authorized", payment });
  }

  function fail(payment: Payment, why = DECLINED): void {
    if (payment.status !== "created") throw new Refusal(`A payment that is ${payment.status} cannot fail`);
    payment.status = "failed";
    payment.errorDescription = why;
    emit({ event: "payment.failed", payment });
  }

  /** Captures, also a second payment of an order: callers refuse that where they must. */
  function capture(payment: Payment, by: "api" | "gateway" = "gateway"): void {
    if (payment.status !== "authorized") throw captureRefusal(payment);
    payment.status = "captured";
    payment.captured = true;
    payment.capturedBy = by;
    const { order } = payment;
    const isFirstPayment = order.status !== "paid";
    order.status = "paid";
    if (isFirstPayment) order.amountPaid = payment.amount;
    emit({ event: "payment.captured", payment });
    if (isFirstPayment) emit({ event: "order.paid", payment, order });
  }

  /** With the checks of the API: the whole amount, and only for an order that is not paid yet. */
  function captureByApi(paymentId: string, input: { amount: number; currency: string }): Payment {
    const payment = findOrRefuse(records.payments, paymentId);
    if (payment.status !== "authorized") throw captureRefusal(payment);
    if (input.amount !== payment.amount || input.currency !== payment.currency) {
      throw new Refusal("Capture amount must be equal to the amount authorized", { field: "amount" });
    }
    if (payment.order.status === "paid") {
      throw new Refusal("Your payment has been declined as the order is already paid");
    }
    capture(payment, "api");
    return payment;
  }

  /** The gateway returns an authorised payment that nobody captured. */
  function returnUncaptured(payment: Payment): Refund {
    if (payment.status !== "authorized") throw new Refusal("Only an authorised payment can be returned");
    return addRefund(payment, payment.amount, "gateway");
  }

  /** @param amount paise; everything not refunded yet when undefined */
  function refund(payment: Payment, amount: number | undefined, by: Refund["by"]): Refund {
    if (payment.status === "refunded") throw new Refusal("The payment has been fully refunded already");
    if (payment.status !== "captured") {
      throw new Refusal("The payment status should be captured for action to be taken");
    }
    const refundablePaise = payment.amount - payment.amountRefunded;
    const requestedPaise = amount ?? refundablePaise;
    if (requestedPaise < 100) throw new Refusal("The amount must be at least INR 1.00", { field: "amount" });
    if (requestedPaise > refundablePaise) {
      throw new Refusal("The total refund amount is greater than the refund payment amount", {
        field: "amount",
      });
    }
    return addRefund(payment, requestedPaise, by);
  }

  function addRefund(payment: Payment, amount: number, by: Refund["by"]): Refund {
    const added: Refund = { id: newId("rfnd_"), payment, amount, status: "pending", by, createdAt: now() };
    records.refunds.set(added.id, added);
    appendTo(records.refundsByPayment, payment.id, added);
    payment.amountRefunded += amount;
    if (payment.amountRefunded >= payment.amount) payment.status = "refunded";
    emit({ event: "refund.created", payment, refund: added });
    if (!shouldHoldRefunds()) finishRefund(added);
    return added;
  }

  function finishRefund(one: Refund): void {
    if (one.status !== "pending") throw new Refusal(`The refund is ${one.status} already`);
    one.status = "processed";
    emit({ event: "refund.processed", payment: one.payment, refund: one });
  }

  /** The bank rejects the refund: the money stays with the shop and can be refunded again. */
  function failRefund(one: Refund): void {
    if (one.status !== "pending") throw new Refusal(`The refund is ${one.status} already`);
    one.status = "failed";
    one.payment.amountRefunded -= one.amount;
    one.payment.status = one.payment.captured ? "captured" : "authorized";
    emit({ event: "refund.failed", payment: one.payment, refund: one });
  }

  return {
    createOrder,
    startPayment,
    authorize,
    fail,
    capture,
    captureByApi,
    returnUncaptured,
    refund,
    finishRefund,
    failRefund,
  };
}

function captureRefusal({ captured }: Payment): Refusal {
  if (captured) return new Refusal("This payment has already been captured");
  return new Refusal("Only payments which have been authorized and not yet captured can be captured");
}
