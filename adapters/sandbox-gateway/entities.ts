import { createHash, randomInt } from "node:crypto";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { sandboxDisputes, sandboxOrders, sandboxPayments, sandboxRefunds } from "#db/tables/sandbox.ts";

const seconds = (date: Date) => Math.floor(date.getTime() / 1000);

export function orderEntity(order: Order) {
  const isPaid = order.status === "paid";
  const paid = order.amountPaidPaise ?? (isPaid ? order.amountPaise : 0);
  const notes: object = JSON.parse(order.notes);
  return {
    id: order.id,
    entity: "order",
    amount: order.amountPaise,
    amount_paid: paid,
    // An offer leaves nothing due of an order that is paid with less.
    amount_due: isPaid ? 0 : order.amountPaise - paid,
    currency: order.currency,
    receipt: order.receipt,
    offer_id: null,
    status: order.status,
    attempts: order.attempts,
    // The gateway writes empty notes as a list.
    notes: Object.keys(notes).length > 0 ? notes : [],
    created_at: seconds(order.createdAt),
  };
}

export function paymentEntity(payment: Payment) {
  const failed = payment.status === "failed";
  // Known once the payment is captured.
  const fee =
    payment.captured || payment.reportsFeeEarly
      ? payment.buyerFeePaise || gatewayFeePaise(payment.amountPaise)
      : null;
  return {
    id: payment.id,
    entity: "payment",
    amount: payment.amountPaise,
    currency: payment.currency,
    status: payment.status,
    order_id: payment.orderId,
    invoice_id: null,
    international: false,
    method: "upi",
    amount_refunded: payment.refundedPaise,
    refund_status: refundStatus(payment),
    captured: payment.captured,
    description: null,
    card_id: null,
    bank: null,
    wallet: null,
    vpa: "test@sandbox",
    email: "buyer@example.com",
    contact: "+919900000000",
    notes: [],
    ...(payment.offerPaise > 0 && { offers: collection([{ id: "offer_SandboxOffer00" }]) }),
    fee,
    tax: fee === null ? null : Math.round((fee * 18) / 118),
    error_code: failed ? "BAD_REQUEST_ERROR" : null,
    error_description: payment.errorDescription,
    error_source: failed ? "bank" : null,
    error_step: failed ? "payment_authorization" : null,
    error_reason: failed ? "payment_failed" : null,
    acquirer_data: { rrn: failed ? null : rrnOf(payment.id) },
    created_at: seconds(payment.createdAt),
    ...payment.payer,
  };
}

/** 2 %, and 18 % tax on it. */
export const gatewayFeePaise = (amountPaise: number) => Math.round(amountPaise * 0.0236);

/** A reference of UPI: twelve digits, others for each payment. */
function rrnOf(paymentId: string): string {
  const number = createHash("sha256").update(paymentId, "utf8").digest().readUIntBE(0, 5);
  return `3${String(number % 1e11).padStart(11, "0")}`;
}

/** 10 %. At least ₹1 remains to be paid. */
export const exampleOfferPaise = (amountPaise: number) =>
  Math.min(Math.round(amountPaise / 10), amountPaise - 100);

function refundStatus({ amountPaise, refundedPaise }: Payment): "full" | "partial" | null {
  if (refundedPaise === 0) return null;
  return refundedPaise === amountPaise ? "full" : "partial";
}

export function refundEntity(refund: Refund, { currency }: Payment) {
  return {
    id: refund.id,
    entity: "refund",
    amount: refund.amountPaise,
    currency,
    payment_id: refund.paymentId,
    notes: [],
    receipt: null,
    acquirer_data: { arn: refund.status === "processed" ? "10000000000000" : null },
    batch_id: null,
    status: refund.status,
    speed_processed: "normal",
    speed_requested: "normal",
    created_at: seconds(refund.createdAt),
  };
}

export function disputeEntity(dispute: Dispute, { currency }: Pick<Payment, "currency">) {
  return {
    id: dispute.id,
    entity: "dispute",
    payment_id: dispute.paymentId,
    amount: dispute.amountPaise,
    currency,
    amount_deducted: dispute.deductedPaise,
    gateway_dispute_id: null,
    reason_code: dispute.reasonCode,
    reason_description: dispute.reason,
    respond_by: seconds(dispute.respondBy),
    status: dispute.status,
    phase: dispute.phase,
    comments: null,
    evidence: {},
    created_at: seconds(dispute.createdAt),
  };
}

export function collection<Item>(items: Item[]) {
  return { entity: "collection", count: items.length, items };
}

/** The body of the webhook of an event, with the records as they are now. */
export function webhookBody(one: GatewayEvent, now: Date): string {
  const payload = {
    ...("refund" in one ? { refund: { entity: refundEntity(one.refund, one.payment) } } : {}),
    payment: { entity: paymentEntity(one.payment) },
    ...("dispute" in one ? { dispute: { entity: disputeEntity(one.dispute, one.payment) } } : {}),
    ...("order" in one ? { order: { entity: orderEntity(one.order) } } : {}),
  };
  return JSON.stringify({
    entity: "event",
    account_id: "acc_sandbox",
    event: one.event,
    contains: Object.keys(payload),
    payload,
    created_at: seconds(now),
  });
}

export type Order = typeof sandboxOrders.$inferSelect;
export type Payment = Omit<typeof sandboxPayments.$inferSelect, "updatedAt"> & {
  /** The gateway reports the fee before the capture. */
  reportsFeeEarly?: boolean;
  /** Stays false for an authorised payment that the gateway returned, although its status is 'refunded'. */
  captured: boolean;
  /** For tests: what the entity says about the payer instead, such as `vpa`. */
  payer?: Readonly<Record<string, unknown>> | undefined;
};
export type Refund = typeof sandboxRefunds.$inferSelect;
export type Dispute = typeof sandboxDisputes.$inferSelect;

/** An order with all its payments, refunds and disputes, oldest first. */
export interface OrderRecords {
  order: Order;
  payments: Payment[];
  refunds: Refund[];
  disputes: Dispute[];
}

export type GatewayEvent =
  | { event: "payment.authorized" | "payment.captured" | "payment.failed"; payment: Payment }
  | { event: "order.paid"; payment: Payment; order: Order }
  | { event: "refund.created" | "refund.processed" | "refund.failed"; payment: Payment; refund: Refund }
  | { event: `payment.dispute.${DisputeEvent}`; payment: Payment; dispute: Dispute };

type DisputeEvent = "created" | "under_review" | "action_required" | "won" | "lost" | "closed";

/** The records of an order while they are changed. What changes them emits an event. */
export interface Change extends OrderRecords {
  now: Date;
  /** Makes the webhook of an event, with the records as they are now. */
  emit(event: GatewayEvent): void;
}

/** Names an order by its id, or by the id of one of its payments, refunds or disputes. */
export type RecordId =
  | { orderId: string }
  | { paymentId: string }
  | { refundId: string }
  | { disputeId: string };

export interface OrderFilter extends ListFilter {
  receipt: string | undefined;
}

export interface ListFilter {
  /** Seconds since 1970. */
  from: number | undefined;
  to: number | undefined;
  count: number;
  skip: number;
}

/** Where a gateway keeps its records. */
export interface GatewayStore {
  /** @returns false when the store refuses a second order of its receipt */
  addOrder(order: Order): Promise<boolean>;
  /** Newest first. `from` and `to` are the first and the last second in which an order was created. */
  listOrders(filter: OrderFilter): Promise<Order[]>;
  /** As `listOrders`, each with the currency of its payment. */
  listDisputes(filter: ListFilter): Promise<(Dispute & { currency: string })[]>;
  /** @throws SandboxApiError when there is no such record */
  find(id: RecordId): Promise<OrderRecords>;
  /**
   * Changes the records of an order, one change at a time, and stores its webhooks with it.
   *
   * @param make changes the records, or throws before it changes any
   * @throws SandboxApiError when there is no such record
   */
  change<Result>(id: RecordId, make: (change: Change) => Result): Promise<Result>;
}

const LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** An id in the form of Razorpay: a prefix and 14 random letters or digits. */
export function newId(prefix: "order" | "pay" | "rfnd" | "disp" | "evt"): string {
  const letters = Array.from({ length: 14 }, () => LETTERS[randomInt(LETTERS.length)]);
  return `${prefix}_${letters.join("")}`;
}

/** @throws SandboxApiError when the list has no such id */
export function findById<Item extends { id: string }>(items: readonly Item[], id: string): Item {
  const found = items.find((item) => item.id === id);
  if (!found) throw unknownId();
  return found;
}

export const reusedKey = () =>
  new SandboxApiError("Different request with the same idempotency key has already been processed.");

/** A refusal of the sandbox's API, with Razorpay's own message where it is known. */
export class SandboxApiError extends Error {
  readonly status: ContentfulStatusCode;
  readonly field: string | null;

  constructor(description: string, options: { status?: ContentfulStatusCode; field?: string } = {}) {
    super(description);
    this.name = "SandboxApiError";
    this.status = options.status ?? 400;
    this.field = options.field ?? null;
  }
}

export const unknownId = () => new SandboxApiError("The id provided does not exist");

export function errorBody(code: "BAD_REQUEST_ERROR" | "SERVER_ERROR", description: string, field?: string) {
  return {
    error: {
      code,
      description,
      source: code === "SERVER_ERROR" ? "internal" : "business",
      step: "payment_initiation",
      reason: code === "SERVER_ERROR" ? "server_error" : "input_validation_failed",
      metadata: {},
      ...(field ? { field } : {}),
    },
  };
}
