import { type Books, have, type Payment } from "./books.ts";
import { hmac } from "./events.ts";
import type { Ledger } from "./ledger.ts";
import { Refusal } from "./refusal.ts";

/** What the checkout hands to the buyer's browser. */
export interface Proof {
  razorpay_payment_id: string;
  razorpay_order_id: string;
  razorpay_signature: string;
}

/** A payment that is not what the order asked for. */
export interface Tampering {
  amountPaise?: number;
  currency?: string;
}

export interface PaymentFacts {
  paymentId: string;
  orderId: string;
  receipt: string | null;
  status: Payment["status"];
  captured: boolean;
  capturedBy: Payment["capturedBy"];
  amountPaise: number;
  refundedPaise: number;
  currency: string;
  refunds: RefundFacts[];
}

export interface RefundFacts {
  refundId: string;
  amountPaise: number;
  status: "pending" | "processed" | "failed";
  by: "api" | "dashboard" | "gateway";
}

export interface Totals {
  orders: number;
  payments: Record<Payment["status"], number>;
  /** Of all payments that were ever collected. */
  capturedPaise: number;
  /** Of these, what went back or is on its way. */
  refundedPaise: number;
  pendingRefunds: number;
}

export type Control = ReturnType<typeof createControl>;

/** What buyers, their banks and the shop's owner do at the gateway, and a look into its books. @throws Refusal */
export function createControl(options: {
  books: Books;
  ledger: Ledger;
  keySecret: string;
  setHoldsRefunds: (holds: boolean) => void;
}) {
  const { books, ledger, keySecret } = options;
  const paymentOf = (paymentId: string) => have(books.payments, paymentId);

  function proofOf({ id, order }: Payment): Proof {
    const signature = hmac(`${order.id}|${id}`, keySecret);
    return { razorpay_payment_id: id, razorpay_order_id: order.id, razorpay_signature: signature };
  }

  function authorize(orderId: string, tampering: Tampering = {}): Proof {
    const payment = ledger.begin(orderId, tampering);
    ledger.authorize(payment);
    return proofOf(payment);
  }

  function payAgain(orderId: string, tampering: Tampering = {}): Proof {
    const proof = authorize(orderId, tampering);
    ledger.capture(paymentOf(proof.razorpay_payment_id));
    return proof;
  }

  return {
    /** The buyer pays: captured at once when the order asked for that. Refused when the order is paid already. */
    pay(orderId: string, tampering: Tampering = {}): Proof {
      const order = have(books.orders, orderId);
      if (order.status === "paid") {
        throw new Refusal("Your payment has been declined as the order is already paid");
      }
      return order.automaticCapture ? payAgain(orderId, tampering) : authorize(orderId, tampering);
    },
    /** A captured payment, whether or not the order is paid already. */
    payAgain,
    /** The bank said yes too late to be collected by itself: authorised only. */
    authorize,
    /** The bank says no. */
    fail(orderId: string, why?: string): { paymentId: string } {
      const payment = ledger.begin(orderId);
      ledger.fail(payment, why);
      return { paymentId: payment.id };
    },
    /** The bank is silent: the payment stays 'created' until `authorizeNow` or `failNow`. */
    payLate: (orderId: string, tampering: Tampering = {}): { paymentId: string } => ({
      paymentId: ledger.begin(orderId, tampering).id,
    }),
    /** For a payment that is created, or failed before its bank spoke. */
    authorizeNow(paymentId: string): Proof {
      const payment = paymentOf(paymentId);
      ledger.authorize(payment);
      return proofOf(payment);
    },
    failNow: (paymentId: string, why?: string): void => ledger.fail(paymentOf(paymentId), why),
    /** The gateway collects an authorised payment by itself. */
    captureNow: (paymentId: string): void => ledger.capture(paymentOf(paymentId)),
    /** The gateway gives an authorised payment back that nobody collected: its status reads 'refunded'. */
    letGo: (paymentId: string): { refundId: string } => ({
      refundId: ledger.letGo(paymentOf(paymentId)).id,
    }),

    /** The owner pays back on the gateway's own pages; all that is left when no amount is told. */
    refundAtGateway: (paymentId: string, amountPaise?: number): { refundId: string } => ({
      refundId: ledger.refund(paymentOf(paymentId), amountPaise, "dashboard").id,
    }),
    /** From now on new refunds stay 'pending' until finished or failed. */
    holdRefunds: (holds: boolean): void => options.setHoldsRefunds(holds),
    finishRefund: (refundId: string): void => ledger.finishRefund(have(books.refunds, refundId)),
    failRefund: (refundId: string): void => ledger.failRefund(have(books.refunds, refundId)),

    totals: (): Totals => totalsOf(books),
    /** All payments that were ever collected, oldest first. */
    capturedPayments: (): PaymentFacts[] =>
      [...books.payments.values()]
        .filter(({ captured }) => captured)
        .map((payment) => paymentFacts(books, payment)),
    paymentsOf: (orderId: string): PaymentFacts[] =>
      (books.paymentsByOrder.get(orderId) ?? []).map((payment) => paymentFacts(books, payment)),
    /** The ids of all orders made for a receipt, oldest first. */
    ordersOf: (receipt: string): string[] => (books.ordersByReceipt.get(receipt) ?? []).map(({ id }) => id),
  };
}

function paymentFacts(books: Books, payment: Payment): PaymentFacts {
  const refunds = books.refundsByPayment.get(payment.id) ?? [];
  return {
    paymentId: payment.id,
    orderId: payment.order.id,
    receipt: payment.order.receipt,
    status: payment.status,
    captured: payment.captured,
    capturedBy: payment.capturedBy,
    amountPaise: payment.amount,
    refundedPaise: payment.amountRefunded,
    currency: payment.currency,
    refunds: refunds.map(({ id, amount, status, by }) => ({
      refundId: id,
      amountPaise: amount,
      status,
      by,
    })),
  };
}

function totalsOf(books: Books): Totals {
  const totals: Totals = {
    orders: books.orders.size,
    payments: { created: 0, authorized: 0, captured: 0, failed: 0, refunded: 0 },
    capturedPaise: 0,
    refundedPaise: 0,
    pendingRefunds: 0,
  };
  for (const payment of books.payments.values()) {
    totals.payments[payment.status]++;
    if (!payment.captured) continue;
    totals.capturedPaise += payment.amount;
    totals.refundedPaise += payment.amountRefunded;
  }
  for (const refund of books.refunds.values()) if (refund.status === "pending") totals.pendingRefunds++;
  return totals;
}
