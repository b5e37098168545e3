import {
  type Change,
  type Dispute,
  findById,
  type OrderRecords,
  type Payment,
  type Refund,
  SandboxApiError,
} from "#adapters/sandbox-gateway/entities.ts";
import { signedCallback } from "#adapters/sandbox-gateway/gateway-app.ts";
import {
  addRefund,
  authorizePayment,
  capturePayment,
  failPayment,
  finishRefund,
  moveDispute,
  type NewDispute,
  openDispute,
  type PaymentOverrides,
  requestRefund,
  startPayment,
} from "#adapters/sandbox-gateway/transitions.ts";
import type { MemoryStore } from "./memory-store.ts";

/** The result that the checkout gives to the buyer's browser. */
export type SignedPayment = ReturnType<typeof signedCallback>;

export interface PaymentFacts {
  paymentId: string;
  orderId: string;
  receipt: string;
  status: Payment["status"];
  captured: boolean;
  /** Captured by the shop through the API, or by the gateway itself; null while not captured. */
  capturedBy: "api" | "gateway" | null;
  amountPaise: number;
  buyerFeePaise: number;
  offerPaise: number;
  /** The gateway reports the fee before the capture. */
  reportsFeeEarly: boolean;
  refundedPaise: number;
  currency: string;
  refunds: RefundFacts[];
  disputes: Pick<Dispute, "id" | "amountPaise" | "phase" | "status" | "deductedPaise">[];
}

export interface RefundFacts {
  refundId: string;
  amountPaise: number;
  status: Refund["status"];
  /** Requested by the shop, by its owner on the gateway's pages, or by the gateway for a payment that nobody captured. */
  by: "api" | "dashboard" | "gateway";
  createdAt: Date;
}

export interface Totals {
  orders: number;
  payments: Record<Payment["status"], number>;
  /** The sum of all payments that were ever captured. */
  capturedPaise: number;
  /** The refunded part of these, pending refunds included. */
  refundedPaise: number;
  /** What remains of these for the shop: without fees that buyers bear, and refunds. */
  keptPaise: number;
  pendingRefunds: number;
}

export type Control = ReturnType<typeof createControl>;

/** Actions of buyers, banks and the shop's owner at the gateway, and queries of its records. @throws SandboxApiError */
export function createControl(options: {
  store: MemoryStore;
  keySecret: string;
  setHoldRefunds: (hold: boolean) => void;
  holdsRefunds: () => boolean;
  /** The ids of the payments that the shop captured. */
  capturedByApi: ReadonlySet<string>;
}) {
  const { store, keySecret, holdsRefunds, capturedByApi } = options;
  /** Who made the refunds that the shop did not request. */
  const refundedBy = new Map<string, "dashboard" | "gateway">();

  const onOrder = <Result>(orderId: string, make: (change: Change) => Result) =>
    store.changeNow({ orderId }, make);
  const onPayment = <Result>(paymentId: string, make: (change: Change, payment: Payment) => Result) =>
    store.changeNow({ paymentId }, (change) => make(change, findById(change.payments, paymentId)));
  const onRefund = (refundId: string, make: (change: Change, refund: Refund) => void) =>
    store.changeNow({ refundId }, (change) => make(change, findById(change.refunds, refundId)));

  function authorizeIn(change: Change, overrides: PaymentOverrides): Payment {
    const payment = startPayment(change, overrides);
    authorizePayment(change, payment);
    return payment;
  }
  function payIn(change: Change, overrides: PaymentOverrides): SignedPayment {
    const payment = authorizeIn(change, overrides);
    capturePayment(change, payment);
    return signedCallback(payment, keySecret);
  }
  function refundIn(change: Change, refund: Refund, by: "dashboard" | "gateway"): { refundId: string } {
    refundedBy.set(refund.id, by);
    if (!holdsRefunds()) finishRefund(change, refund);
    return { refundId: refund.id };
  }

  function paymentFacts(records: OrderRecords, payment: Payment): PaymentFacts {
    const { id: paymentId, status, captured, amountPaise, buyerFeePaise, offerPaise } = payment;
    return {
      paymentId,
      orderId: records.order.id,
      receipt: records.order.receipt,
      status,
      captured,
      capturedBy: !captured ? null : capturedByApi.has(paymentId) ? "api" : "gateway",
      amountPaise,
      buyerFeePaise,
      offerPaise,
      reportsFeeEarly: payment.reportsFeeEarly === true,
      refundedPaise: payment.refundedPaise,
      currency: payment.currency,
      refunds: records.refunds
        .filter((refund) => refund.paymentId === paymentId)
        .map((refund) => ({
          refundId: refund.id,
          amountPaise: refund.amountPaise,
          status: refund.status,
          by: refundedBy.get(refund.id) ?? "api",
          createdAt: refund.createdAt,
        })),
      disputes: records.disputes.filter((dispute) => dispute.paymentId === paymentId),
    };
  }
  const allPayments = () =>
    store.all().flatMap((records) => records.payments.map((payment) => paymentFacts(records, payment)));

  return {
    /** The buyer pays, and the payment is captured at once. Refused when the order is paid. */
    pay: (orderId: string, overrides: PaymentOverrides = {}): SignedPayment =>
      onOrder(orderId, (change) => {
        if (change.order.status === "paid")
          throw new SandboxApiError("Your payment has been declined as the order is already paid");
        return payIn(change, overrides);
      }),
    /** A captured payment, also for an order that is paid. */
    payAgain: (orderId: string, overrides: PaymentOverrides = {}): SignedPayment =>
      onOrder(orderId, (change) => payIn(change, overrides)),
    /** The bank authorises too late for automatic capture: authorised only. */
    authorize: (orderId: string, overrides: PaymentOverrides = {}): SignedPayment =>
      onOrder(orderId, (change) => signedCallback(authorizeIn(change, overrides), keySecret)),
    /** The bank declines. */
    fail: (orderId: string, why?: string): { paymentId: string } =>
      onOrder(orderId, (change) => {
        const payment = startPayment(change);
        failPayment(change, payment, why);
        return { paymentId: payment.id };
      }),
    /** The bank has not answered yet: the payment stays 'created' until `authorizeNow` or `failNow`. */
    startPayment: (orderId: string, overrides: PaymentOverrides = {}): { paymentId: string } =>
      onOrder(orderId, (change) => ({ paymentId: startPayment(change, overrides).id })),
    /** For a payment that is 'created', or 'failed' before the bank answered. */
    authorizeNow: (paymentId: string): SignedPayment =>
      onPayment(paymentId, (change, payment) => {
        authorizePayment(change, payment);
        return signedCallback(payment, keySecret);
      }),
    failNow: (paymentId: string, why?: string): void =>
      onPayment(paymentId, (change, payment) => failPayment(change, payment, why)),
    /** The gateway captures an authorised payment itself. */
    captureNow: (paymentId: string): void => onPayment(paymentId, capturePayment),
    /** The gateway returns an authorised payment that nobody captured: its status becomes 'refunded'. */
    returnUncaptured: (paymentId: string): { refundId: string } =>
      onPayment(paymentId, (change, payment) => {
        if (payment.status !== "authorized")
          throw new SandboxApiError("Only an authorised payment can be returned");
        const { amountPaise } = payment;
        return refundIn(change, addRefund(change, payment, { amountPaise, idempotencyKey: null }), "gateway");
      }),

    /** The owner refunds on the gateway's pages; without an amount, everything that is not refunded yet. */
    refundAtGateway: (paymentId: string, amountPaise?: number): { refundId: string } =>
      store.changeNow({ paymentId }, (change) =>
        refundIn(
          change,
          requestRefund(change, { paymentId, amountPaise, idempotencyKey: null }),
          "dashboard",
        ),
      ),
    /** When true, new refunds stay 'pending' until `finishRefund` or `failRefund`. */
    holdRefunds: (hold: boolean): void => options.setHoldRefunds(hold),
    finishRefund: (refundId: string): void => onRefund(refundId, finishRefund),
    /** The bank rejects the refund: the money stays with the shop and can be refunded again. */
    failRefund: (refundId: string): void =>
      onRefund(refundId, ({ payments, emit }, refund) => {
        if (refund.status !== "pending") throw new SandboxApiError(`The refund is ${refund.status} already`);
        const payment = findById(payments, refund.paymentId);
        refund.status = "failed";
        payment.refundedPaise -= refund.amountPaise;
        payment.status = payment.captured ? "captured" : "authorized";
        emit({ event: "refund.failed", payment, refund });
      }),

    /** The bank of the payer opens a dispute: of the whole payment in the phase chargeback unless `facts` differ. */
    openDispute: (paymentId: string, facts: NewDispute = {}): { disputeId: string } =>
      store.changeNow({ paymentId }, (change) => ({ disputeId: openDispute(change, paymentId, facts).id })),
    moveDispute: (disputeId: string, status: Dispute["status"]): void =>
      store.changeNow({ disputeId }, (change) =>
        moveDispute(change, findById(change.disputes, disputeId), status),
      ),

    totals: (): Totals => totalsOf(store.all()),
    /** All payments that were ever captured, payments of the oldest order first. */
    capturedPayments: (): PaymentFacts[] => allPayments().filter(({ captured }) => captured),
    paymentsOf: (orderId: string): PaymentFacts[] =>
      store
        .all()
        .filter(({ order }) => order.id === orderId)
        .flatMap((records) => records.payments.map((payment) => paymentFacts(records, payment))),
    /** The ids of all orders of a receipt, oldest first. */
    ordersOf: (receipt: string): string[] =>
      store.all().flatMap(({ order }) => (order.receipt === receipt ? [order.id] : [])),
  };
}

function totalsOf(orders: OrderRecords[]): Totals {
  const totals: Totals = {
    orders: orders.length,
    payments: { created: 0, authorized: 0, captured: 0, failed: 0, refunded: 0 },
    capturedPaise: 0,
    refundedPaise: 0,
    keptPaise: 0,
    pendingRefunds: 0,
  };
  for (const { payments, refunds } of orders) {
    for (const payment of payments) {
      totals.payments[payment.status]++;
      if (!payment.captured) continue;
      totals.capturedPaise += payment.amountPaise;
      totals.refundedPaise += payment.refundedPaise;
      totals.keptPaise += Math.max(0, payment.amountPaise - payment.buyerFeePaise - payment.refundedPaise);
    }
    totals.pendingRefunds += refunds.filter(({ status }) => status === "pending").length;
  }
  return totals;
}
