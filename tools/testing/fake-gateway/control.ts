import { findOrRefuse, type GatewayRecords, type Payment } from "./records.ts";
import { Refusal } from "./refusal.ts";
import type { Transitions } from "./transitions.ts";
import { hmac } from "./webhook-event.ts";

/** The result that the checkout gives to the buyer's browser. */
export interface SignedPayment {
  razorpay_payment_id: string;
  razorpay_order_id: string;
  razorpay_signature: string;
}

/** Amount or currency of a payment that differs from its order. */
export interface PaymentOverrides {
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
  /** Of all payments that were ever captured. */
  capturedPaise: number;
  /** The refunded part of these, pending refunds included. */
  refundedPaise: number;
  pendingRefunds: number;
}

export type Control = ReturnType<typeof createControl>;

/** Actions of buyers, banks and the shop's owner at the gateway, and queries of its records. @throws Refusal */
export function createControl(options: {
  records: GatewayRecords;
  transitions: Transitions;
  keySecret: string;
  setHoldRefunds: (hold: boolean) => void;
}) {
  const { records, transitions, keySecret } = options;
  const paymentOf = (paymentId: string) => findOrRefuse(records.payments, paymentId);

  function signPayment({ id, order }: Payment): SignedPayment {
    const signature = hmac(`${order.id}|${id}`, keySecret);
    return { razorpay_payment_id: id, razorpay_order_id: order.id, razorpay_signature: signature };
  }

  function authorize(orderId: string, overrides: PaymentOverrides = {}): SignedPayment {
    const payment = transitions.startPayment(orderId, overrides);
    transitions.authorize(payment);
    return signPayment(payment);
  }

  function payAgain(orderId: string, overrides: PaymentOverrides = {}): SignedPayment {
    const signedPayment = authorize(orderId, overrides);
    transitions.capture(paymentOf(signedPayment.razorpay_payment_id));
    return signedPayment;
  }

  return {
    /** The buyer pays. Captured at once when the order has automatic capture. Refused when the order is paid. */
    pay(orderId: string, overrides: PaymentOverrides = {}): SignedPayment {
      const order = findOrRefuse(records.orders, orderId);
      if (order.status === "paid") {
        throw new Refusal("Your payment has been declined as the order is already paid");
      }
      return order.automaticCapture ? payAgain(orderId, overrides) : authorize(orderId, overrides);
    },
    /** A captured payment, also for an order that is paid. */
    payAgain,
    /** The bank authorises too late for automatic capture: authorised only. */
    authorize,
    /** The bank declines. */
    fail(orderId: string, why?: string): { paymentId: string } {
      const payment = transitions.startPayment(orderId);
      transitions.fail(payment, why);
      return { paymentId: payment.id };
    },
    /** The bank has not answered yet: the payment stays 'created' until `authorizeNow` or `failNow`. */
    startPayment: (orderId: string, overrides: PaymentOverrides = {}): { paymentId: string } => ({
      paymentId: transitions.startPayment(orderId, overrides).id,
    }),
    /** For a payment that is 'created', or 'failed' before the bank answered. */
    authorizeNow(paymentId: string): SignedPayment {
      const payment = paymentOf(paymentId);
      transitions.authorize(payment);
      return signPayment(payment);
    },
    failNow: (paymentId: string, why?: string): void => transitions.fail(paymentOf(paymentId), why),
    /** The gateway captures an authorised payment itself. */
    captureNow: (paymentId: string): void => transitions.capture(paymentOf(paymentId)),
    /** The gateway returns an authorised payment that nobody captured: its status becomes 'refunded'. */
    returnUncaptured: (paymentId: string): { refundId: string } => ({
      refundId: transitions.returnUncaptured(paymentOf(paymentId)).id,
    }),

    /** The owner refunds on the gateway's pages; without an amount, everything that is not refunded yet. */
    refundAtGateway: (paymentId: string, amountPaise?: number): { refundId: string } => ({
      refundId: transitions.refund(paymentOf(paymentId), amountPaise, "dashboard").id,
    }),
    /** When true, new refunds stay 'pending' until `finishRefund` or `failRefund`. */
    holdRefunds: (hold: boolean): void => options.setHoldRefunds(hold),
    finishRefund: (refundId: string): void =>
      transitions.finishRefund(findOrRefuse(records.refunds, refundId)),
    failRefund: (refundId: string): void => transitions.failRefund(findOrRefuse(records.refunds, refundId)),

    totals: (): Totals => totalsOf(records),
    /** All payments that were ever captured, oldest first. */
    capturedPayments: (): PaymentFacts[] =>
      [...records.payments.values()]
        .filter(({ captured }) => captured)
        .map((payment) => paymentFacts(records, payment)),
    paymentsOf: (orderId: string): PaymentFacts[] =>
      (records.paymentsByOrder.get(orderId) ?? []).map((payment) => paymentFacts(records, payment)),
    /** The ids of all orders of a receipt, oldest first. */
    ordersOf: (receipt: string): string[] => (records.ordersByReceipt.get(receipt) ?? []).map(({ id }) => id),
  };
}

function paymentFacts(records: GatewayRecords, payment: Payment): PaymentFacts {
  const refunds = records.refundsByPayment.get(payment.id) ?? [];
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

function totalsOf(records: GatewayRecords): Totals {
  const totals: Totals = {
    orders: records.orders.size,
    payments: { created: 0, authorized: 0, captured: 0, failed: 0, refunded: 0 },
    capturedPaise: 0,
    refundedPaise: 0,
    pendingRefunds: 0,
  };
  for (const payment of records.payments.values()) {
    totals.payments[payment.status]++;
    if (!payment.captured) continue;
    totals.capturedPaise += payment.amount;
    totals.refundedPaise += payment.amountRefunded;
  }
  for (const refund of records.refunds.values()) if (refund.status === "pending") totals.pendingRefunds++;
  return totals;
}
