import { type Books, have, listUnder, newId, type Order, type Payment, type Refund } from "./books.ts";
import type { Happening } from "./events.ts";
import { Refusal } from "./refusal.ts";

export interface LedgerOptions {
  books: Books;
  now: () => number;
  /** Told of everything the gateway sends a webhook for, after it is in the books. */
  tell: (happening: Happening) => void;
  /** Whether a new refund waits to be finished or failed by hand. */
  holdsRefunds: () => boolean;
}

export type Ledger = ReturnType<typeof createLedger>;

export interface NewOrder {
  amount: number;
  currency: string;
  receipt: string | null;
  notes: Record<string, string>;
  automaticCapture: boolean;
}

const DECLINED = "Your payment didn't go through as it was declined by the bank. Try another payment method.";

/** What can happen to orders, payments and refunds. Each function is one step: nothing comes between its parts. */
export function createLedger({ books, now, tell, holdsRefunds }: LedgerOptions) {
  function createOrder(input: NewOrder): Order {
    const state = { id: newId("order_"), amountPaid: 0, status: "created", attempts: 0 } as const;
    const order: Order = { ...input, ...state, createdAt: now() };
    books.orders.set(order.id, order);
    if (order.receipt !== null) listUnder(books.ordersByReceipt, order.receipt, order);
    return order;
  }

  /** A buyer begins to pay; nothing is known of the money yet. Amount and currency are the order's unless told. */
  function begin(orderId: string, change: { amountPaise?: number; currency?: string } = {}): Payment {
    const order = have(books.orders, orderId);
    const payment: Payment = {
      id: newId("pay_"),
      order,
      amount: change.amountPaise ?? order.amount,
      currency: change.currency ?? order.currency,
      status: "created",
      captured: false,
      capturedBy: null,
      amountRefunded: 0,
      errorDescription: null,
      createdAt: now(),
    };
    books.payments.set(payment.id, payment);
    listUnder(books.paymentsByOrder, order.id, payment);
    order.attempts++;
    if (order.status === "created") order.status = "attempted";
    return payment;
  }

  /** The bank says yes, at once or days later; a payment that failed before may still be told so. */
  function authorize(payment: Payment): void {
    if (payment.status !== "created" && payment.status !== "failed") {
      throw new Refusal(`A payment that is ${payment.status} cannot be authorised`);
    }
    payment.status = "authorized";
    payment.errorDescription = null;
    tell({ event: "payment.authorized", payment });
  }

  function fail(payment: Payment, why = DECLINED): void {
    if (payment.status !== "created") throw new Refusal(`A payment that is ${payment.status} cannot fail`);
    payment.status = "failed";
    payment.errorDescription = why;
    tell({ event: "payment.failed", payment });
  }

  /** Collects the money. An order can be paid twice this way: whoever asks for that is refused elsewhere. */
  function capture(payment: Payment, by: "api" | "gateway" = "gateway"): void {
    if (payment.status !== "authorized") throw notToBeCaptured(payment);
    payment.status = "captured";
    payment.captured = true;
    payment.capturedBy = by;
    const { order } = payment;
    const first = order.status !== "paid";
    order.status = "paid";
    if (first) order.amountPaid = payment.amount;
    tell({ event: "payment.captured", payment });
    if (first) tell({ event: "order.paid", payment, order });
  }

  /** As the API does it: the whole amount, and only for an order that is not paid yet. */
  function captureByApi(paymentId: string, input: { amount: number; currency: string }): Payment {
    const payment = have(books.payments, paymentId);
    if (payment.status !== "authorized") throw notToBeCaptured(payment);
    if (input.amount !== payment.amount || input.currency !== payment.currency) {
      throw new Refusal("Capture amount must be equal to the amount authorized", { field: "amount" });
    }
    if (payment.order.status === "paid") {
      throw new Refusal("Your payment has been declined as the order is already paid");
    }
    capture(payment, "api");
    return payment;
  }

  /** The gateway gives back an authorisation nobody collected. */
  function letGo(payment: Payment): Refund {
    if (payment.status !== "authorized") throw new Refusal("Only an authorised payment can be let go");
    return enterRefund(payment, payment.amount, "gateway");
  }

  /** @param amount paise; all that is left when undefined */
  function refund(payment: Payment, amount: number | undefined, by: Refund["by"]): Refund {
    if (payment.status === "refunded") throw new Refusal("The payment has been fully refunded already");
    if (payment.status !== "captured") {
      throw new Refusal("The payment status should be captured for action to be taken");
    }
    const left = payment.amount - payment.amountRefunded;
    const asked = amount ?? left;
    if (asked < 100) throw new Refusal("The amount must be at least INR 1.00", { field: "amount" });
    if (asked > left) {
      throw new Refusal("The total refund amount is greater than the refund payment amount", {
        field: "amount",
      });
    }
    return enterRefund(payment, asked, by);
  }

  function enterRefund(payment: Payment, amount: number, by: Refund["by"]): Refund {
    const made: Refund = { id: newId("rfnd_"), payment, amount, status: "pending", by, createdAt: now() };
    books.refunds.set(made.id, made);
    listUnder(books.refundsByPayment, payment.id, made);
    payment.amountRefunded += amount;
    if (payment.amountRefunded >= payment.amount) payment.status = "refunded";
    tell({ event: "refund.created", payment, refund: made });
    if (!holdsRefunds()) finishRefund(made);
    return made;
  }

  function finishRefund(one: Refund): void {
    if (one.status !== "pending") throw new Refusal(`The refund is ${one.status} already`);
    one.status = "processed";
    tell({ event: "refund.processed", payment: one.payment, refund: one });
  }

  /** The bank does not take the money back: it is the shop's again, and can be refunded again. */
  function failRefund(one: Refund): void {
    if (one.status !== "pending") throw new Refusal(`The refund is ${one.status} already`);
    one.status = "failed";
    one.payment.amountRefunded -= one.amount;
    one.payment.status = one.payment.captured ? "captured" : "authorized";
    tell({ event: "refund.failed", payment: one.payment, refund: one });
  }

  return {
    createOrder,
    begin,
    authorize,
    fail,
    capture,
    captureByApi,
    letGo,
    refund,
    finishRefund,
    failRefund,
  };
}

function notToBeCaptured({ captured }: Payment): Refusal {
  if (captured) return new Refusal("This payment has already been captured");
  return new Refusal("Only payments which have been authorized and not yet captured can be captured");
}
