import type { Payer } from "../vault/payer.ts";

export const GATEWAY_NAMES = ["razorpay", "sandbox"] as const;
export type GatewayName = (typeof GATEWAY_NAMES)[number];

/** The smallest amount a gateway collects, in paise. A lower price is charged as this. */
export const MINIMUM_CHARGE_PAISE = 100;

/** The smallest amount a gateway refunds, in paise. */
export const MINIMUM_REFUND_PAISE = 100;

/** An order at the gateway, to collect one amount (paise). */
export interface GatewayOrder {
  gatewayOrderId: string;
  receipt: string;
  amountPaise: number;
  currency: string;
}

/** How much of an order is paid, as the gateway counts: without a fee that the buyer bears, and less an offer. In paise. */
export interface OrderBalance {
  isPaid: boolean;
  paidPaise: number;
  duePaise: number;
  currency: string;
}

/**
 * Facts that the gateway keeps with an order and shows to nobody but the owner, so that a payment is recognised when the
 * shop has lost its purchase. They hold no name and no address.
 */
export interface OrderNotes {
  toolSlug: string;
  /** The buyer's account. */
  buyerId: string;
  validityDays: number;
  /** The order number of the purchase. */
  orderNumber: string;
}

/** An order in a list of the gateway. */
export interface ListedOrder extends Omit<GatewayOrder, "receipt"> {
  /** null: an order of another program may have none. */
  receipt: string | null;
  createdAt: Date;
  /** False when the gateway says that nobody has tried to pay it. */
  wasTried: boolean;
  /** What of the notes is there and has their form. */
  notes: { readonly [Note in keyof OrderNotes]: OrderNotes[Note] | null };
}

/**
 * One payment at the gateway. `captured`: the shop has the money. `refunded`: it was captured, and all of it was
 * refunded.
 */
export interface GatewayPayment extends Payer {
  gatewayPaymentId: string;
  gatewayOrderId: string;
  status: "created" | "authorized" | "captured" | "failed" | "refunded";
  /** What the buyer pays. It may differ from the order: see `readPaidAmount`. */
  amountPaise: number;
  currency: string;
  /** The gateway's fee with its tax, whoever bears it, and that tax; null: not reported, as before the capture. */
  feePaise: number | null;
  taxPaise: number | null;
  /**
   * What is refunded or being refunded, by the shop or by the owner. A failed refund does not count. null: not
   * reported.
   */
  refundedPaise: number | null;
  method: string | null;
  errorDescription: string | null;
  createdAt: Date;
}

export interface GatewayRefund {
  gatewayRefundId: string;
  gatewayPaymentId: string;
  amountPaise: number;
  status: "pending" | "processed" | "failed";
}

/** The bank of a payer wants the money of a payment back. A payment may have several. */
export interface GatewayDispute {
  gatewayDisputeId: string;
  gatewayPaymentId: string;
  /** May be less than the payment. */
  amountPaise: number;
  /** What the gateway says that it has taken; null: not reported. */
  deductedPaise: number | null;
  currency: string;
  /** fraud, retrieval, chargeback, pre_arbitration or arbitration; the gateway may add others. */
  phase: string;
  status: "open" | "under_review" | "won" | "lost" | "closed";
  reasonCode: string | null;
  reason: string | null;
  /** Until when the owner has to answer. */
  respondBy: Date | null;
  createdAt: Date;
}

/** A webhook event. It only makes the shop ask the gateway: its content is not trusted. */
export interface WebhookEvent {
  eventId: string;
  type: string;
  gatewayOrderId: string | null;
  gatewayPaymentId: string | null;
  gatewayDisputeId: string | null;
}

/**
 * A payment provider. Amounts are integer paise (at least 100), currency 'INR'. Every method but `verifyCheckout` and
 * `parseWebhook` sends HTTP requests, repeats them when that helps, and ends within a fixed time.
 *
 * @throws GatewayError from every method that sends requests
 */
export interface PaymentGateway {
  readonly name: GatewayName;
  /** True when no real money is involved. */
  readonly testMode: boolean;
  /** What the buyer's browser needs: the public key and the script that opens the hosted checkout. */
  readonly checkout: { readonly keyId: string; readonly scriptUrl: string };

  /** `receipt` is ours, unique, at most 40 characters. */
  createOrder(input: {
    receipt: string;
    amountPaise: number;
    currency: string;
    notes?: OrderNotes;
  }): Promise<GatewayOrder>;
  findOrderByReceipt(receipt: string): Promise<GatewayOrder | null>;
  /**
   * The orders that were created from `since` to `until` (null: now), both included, page by page and in no promised order. An
   * order that is created meanwhile may make another order appear twice. Each page is a call of its own, with its own time limit.
   */
  listOrders(input: { since: Date; until: Date | null }): AsyncIterable<ListedOrder[]>;
  fetchOrderPayments(gatewayOrderId: string): Promise<GatewayPayment[]>;
  fetchOrderBalance(gatewayOrderId: string): Promise<OrderBalance>;
  /**
   * Captures an authorised payment. The amount has no fee that the buyer bears: the gateway adds it itself. A payment that is
   * captured already is returned as captured.
   */
  capturePayment(input: {
    gatewayPaymentId: string;
    amountPaise: number;
    currency: string;
  }): Promise<GatewayPayment>;
  /** A refund with the same key is made once. */
  refund(input: {
    gatewayPaymentId: string;
    amountPaise: number;
    idempotencyKey: string;
  }): Promise<GatewayRefund>;
  /** Reads a refund. A refund that the gateway does not know throws an error that is not retryable. */
  fetchRefund(input: { gatewayRefundId: string }): Promise<GatewayRefund>;
  /** The disputes that were created from `since` on, page by page, as `listOrders`. */
  listDisputes(input: { since: Date }): AsyncIterable<GatewayDispute[]>;
  /** A dispute that the gateway does not know throws an error that is not retryable. */
  fetchDispute(input: { gatewayDisputeId: string }): Promise<GatewayDispute>;

  /**
   * Whether the callback's signature (hex HMAC-SHA256 of `order id|payment id` with the key secret) is genuine; compared
   * in constant time. It proves that the payment was authorised, not that it was captured.
   */
  verifyCheckout(input: { gatewayOrderId: string; gatewayPaymentId: string; signature: string }): boolean;
  /**
   * Checks a webhook's signature over its raw body and reads it.
   *
   * @returns null when the signature is wrong; an event of type 'unreadable' for a body of an unknown form
   */
  parseWebhook(input: {
    rawBody: string | Uint8Array;
    signature: string;
    eventId: string | null;
  }): WebhookEvent | null;
}

/** The gateway could not be reached, was too slow, or refused. */
export class GatewayError extends Error {
  /** True when trying the same call again may help (no answer, timeout, 429, 5xx). */
  readonly retryable: boolean;
  readonly httpStatus: number | null;

  constructor(message: string, options: { retryable: boolean; httpStatus?: number; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.name = "GatewayError";
    this.retryable = options.retryable;
    this.httpStatus = options.httpStatus ?? null;
  }
}
