import { createHash } from "node:crypto";
import type { z } from "zod";
import { parseOrderNumber } from "#core/passes/order-number.ts";
import {
  type GatewayDispute,
  GatewayError,
  type GatewayName,
  type GatewayOrder,
  type GatewayPayment,
  type GatewayRefund,
  type ListedOrder,
  type OrderNotes,
  type PaymentGateway,
  type WebhookEvent,
} from "#core/payments/payment-gateway.ts";
import { type ApiCall, type ApiClientOptions, createApiClient, pathId } from "./api-client.ts";
import {
  type ApiDispute,
  type ApiOrder,
  type ApiPayment,
  type ApiRefund,
  apiDispute,
  apiList,
  apiOrder,
  apiOrderBalance,
  apiPayment,
  apiRefund,
  apiWebhookEvent,
} from "./api-schemas.ts";
import { isCheckoutSignature, isWebhookSignature } from "./signatures.ts";

export interface RazorpayGatewayOptions extends ApiClientOptions {
  /** The secrets that a webhook may be signed with: two during a rotation. */
  webhookSecrets: readonly string[];
  /** The address of the checkout script; for the sandbox a path of our own. */
  checkoutScriptUrl: string;
  /** "sandbox" for the shop's own gateway, which moves no money. */
  name: GatewayName;
}

/** A gateway with Razorpay's REST API: Razorpay itself or our sandbox. */
export function createRazorpayGateway(options: RazorpayGatewayOptions): PaymentGateway {
  const startCall = createApiClient(options);

  /** Each page is a call of its own. */
  async function* listPages<Item extends z.ZodType>(path: string, item: Item, range: Record<string, string>) {
    for (let page = 0; page < MAX_PAGES; page++) {
      const query = { ...range, count: String(PAGE_SIZE), skip: String(page * PAGE_SIZE) };
      const { items } = await startCall()(apiList(item), { method: "GET", path, query });
      if (items.length > 0) yield items;
      if (items.length < PAGE_SIZE) return;
    }
    throw new GatewayError(`there are too many ${path} to list`, { retryable: false });
  }

  return {
    name: options.name,
    testMode: options.name === "sandbox" || options.keyId.startsWith("rzp_test_"),
    checkout: { keyId: options.keyId, scriptUrl: options.checkoutScriptUrl },

    async createOrder({ receipt, amountPaise, currency, notes }) {
      const call = startCall();
      const body = {
        amount: amountPaise,
        currency,
        receipt,
        payment_capture: true,
        ...(notes && { notes: toApiNotes(notes) }),
      };
      // A second order of the same receipt would do no harm, because nobody pays it. This search avoids most of them.
      const findResult = async () => {
        const orders = await findOrders(call, receipt);
        return orders.find((order) => order.amount === amountPaise && order.currency === currency) ?? null;
      };
      return toOrder(await call(apiOrder, { method: "POST", path: "orders", body, findResult }), receipt);
    },

    async findOrderByReceipt(receipt) {
      const [first] = await findOrders(startCall(), receipt);
      return first ? toOrder(first, receipt) : null;
    },

    async *listOrders({ since, until }) {
      const range = { from: seconds(since), ...(until && { to: seconds(until) }) };
      for await (const orders of listPages("orders", apiOrder, range)) yield orders.map(toListedOrder);
    },

    async fetchOrderPayments(gatewayOrderId) {
      const path = `orders/${pathId(gatewayOrderId)}/payments`;
      const { items } = await startCall()(apiList(apiPayment), { method: "GET", path });
      return items.map(toPayment);
    },

    async fetchOrderBalance(gatewayOrderId) {
      const path = `orders/${pathId(gatewayOrderId)}`;
      const order = await startCall()(apiOrderBalance, { method: "GET", path });
      const { status, amount_paid: paidPaise, amount_due: duePaise, currency } = order;
      return { isPaid: status === "paid", paidPaise, duePaise, currency };
    },

    async capturePayment({ gatewayPaymentId, amountPaise, currency }) {
      const call = startCall();
      const path = `payments/${pathId(gatewayPaymentId)}`;
      const body = { amount: amountPaise, currency };
      try {
        return toPayment(await call(apiPayment, { method: "POST", path: `${path}/capture`, body }));
      } catch (error) {
        if (!(error instanceof GatewayError) || error.httpStatus !== 400) throw error;
        // The gateway also refuses with 400 when the payment was captured in the meantime: by an earlier attempt,
        // automatically or by another process.
        const payment = toPayment(await call(apiPayment, { method: "GET", path }));
        if (payment.status === "captured" || payment.status === "refunded") return payment;
        throw error;
      }
    },

    async refund({ gatewayPaymentId, amountPaise, idempotencyKey }) {
      const path = `payments/${pathId(gatewayPaymentId)}/refund`;
      const body = { amount: amountPaise };
      const request = { method: "POST", path, body, idempotencyKey } as const;
      return toRefund(await startCall()(apiRefund, request));
    },

    async fetchRefund({ gatewayRefundId }) {
      const path = `refunds/${pathId(gatewayRefundId)}`;
      try {
        return toRefund(await startCall()(apiRefund, { method: "GET", path }));
      } catch (error) {
        if (!(error instanceof GatewayError) || error.httpStatus !== 404) throw error;
        throw new GatewayError(error.message, { retryable: false, httpStatus: 404, cause: error });
      }
    },

    async *listDisputes({ since }) {
      const pages = listPages("disputes", apiDispute, { from: seconds(since) });
      for await (const disputes of pages) yield disputes.map(toDispute);
    },

    async fetchDispute({ gatewayDisputeId }) {
      const path = `disputes/${pathId(gatewayDisputeId)}`;
      return toDispute(await startCall()(apiDispute, { method: "GET", path }));
    },

    verifyCheckout: (input) => isCheckoutSignature(input, options.keySecret),

    parseWebhook({ rawBody, signature, eventId }) {
      if (!isWebhookSignature(rawBody, signature, options.webhookSecrets)) return null;
      return parseWebhookEvent(rawBody, eventId);
    },
  };
}

/**
 * Reads one order, so that the gateway checks the keys. Changes nothing.
 *
 * @returns how far our clock is ahead of the gateway's, in milliseconds; null: the gateway does not tell its time
 * @throws GatewayError when the keys are refused, or the gateway does not answer
 */
export async function checkRazorpayKeys(options: ApiClientOptions): Promise<number | null> {
  let aheadMs: number | null = null;
  await createApiClient(options)()(apiList(apiOrder), {
    method: "GET",
    path: "orders",
    query: { count: "1" },
    onServerTime: (time) => {
      // The time has no milliseconds: on average it is half a second later.
      aheadMs = Date.now() - (time.getTime() + 500);
    },
  });
  return aheadMs;
}

/** The most orders that the gateway returns in one response. */
const PAGE_SIZE = 100;
/** A hundred thousand orders: more than a shop sells between two backups. */
const MAX_PAGES = 1_000;

const seconds = (date: Date) => String(Math.floor(date.getTime() / 1000));

/** The orders of a receipt, oldest first. Razorpay allows several; the shop uses the first. */
async function findOrders(call: ApiCall, receipt: string): Promise<ApiOrder[]> {
  const { items } = await call(apiList(apiOrder), { method: "GET", path: "orders", query: { receipt } });
  return items
    .filter((order) => order.receipt === receipt)
    .toSorted((one, other) => one.created_at - other.created_at);
}

function toOrder(order: ApiOrder, receipt: string): GatewayOrder {
  return { gatewayOrderId: order.id, receipt, amountPaise: order.amount, currency: order.currency };
}

/** At most 15 notes, each a text of at most 256 characters. */
function toApiNotes({ toolSlug, buyerId, validityDays, orderNumber }: OrderNotes): Record<string, string> {
  return { tool: toolSlug, account: buyerId, days: String(validityDays), order: orderNumber };
}

function toListedOrder(order: ApiOrder): ListedOrder {
  const { tool, account, days, order: number } = order.notes;
  const textOf = (note: unknown) => (typeof note === "string" ? note.replaceAll("\0", "") : null);
  return {
    gatewayOrderId: order.id,
    receipt: order.receipt ?? null,
    amountPaise: order.amount,
    currency: order.currency,
    createdAt: new Date(order.created_at * 1000),
    wasTried: order.status !== "created",
    notes: {
      toolSlug: textOf(tool),
      buyerId: textOf(account),
      validityDays: typeof days === "string" && /^[1-9]\d{0,3}$/.test(days) ? Number(days) : null,
      orderNumber: typeof number === "string" ? parseOrderNumber(number) : null,
    },
  };
}

/** What the gateway writes for a payer who has entered no address. */
const NO_EMAIL = "void@razorpay.com";

function toPayment(payment: ApiPayment): GatewayPayment {
  // A payment that was never captured was not refunded either.
  const leftUncaptured = payment.status === "refunded" && payment.captured === false;
  const defaultRefunded = payment.status === "refunded" ? payment.amount : null;
  const refundedPaise = leftUncaptured ? 0 : (payment.amount_refunded ?? defaultRefunded);
  const isFullyRefunded = payment.status === "captured" && (refundedPaise ?? 0) >= payment.amount;
  return {
    gatewayPaymentId: payment.id,
    gatewayOrderId: payment.order_id,
    status: leftUncaptured ? "failed" : isFullyRefunded ? "refunded" : payment.status,
    amountPaise: payment.amount,
    currency: payment.currency,
    feePaise: payment.fee ?? null,
    taxPaise: payment.tax ?? null,
    refundedPaise,
    method: payment.method ?? null,
    errorDescription: payment.error_description ?? null,
    email: payment.email === NO_EMAIL ? null : payment.email || null,
    phone: payment.contact || null,
    vpa: payment.vpa || null,
    rrn: payment.acquirer_data.rrn || null,
    upiTransactionId: payment.acquirer_data.upi_transaction_id || null,
    bankTransactionId: payment.acquirer_data.bank_transaction_id || null,
    createdAt: new Date(payment.created_at * 1000),
  };
}

function toRefund(refund: ApiRefund): GatewayRefund {
  return {
    gatewayRefundId: refund.id,
    gatewayPaymentId: refund.payment_id,
    amountPaise: refund.amount,
    status: refund.status,
  };
}

function toDispute(dispute: ApiDispute): GatewayDispute {
  return {
    gatewayDisputeId: dispute.id,
    gatewayPaymentId: dispute.payment_id,
    amountPaise: dispute.amount,
    deductedPaise: dispute.amount_deducted ?? null,
    currency: dispute.currency,
    phase: dispute.phase,
    status: dispute.status,
    reasonCode: dispute.reason_code || null,
    reason: dispute.reason_description || null,
    respondBy: dispute.respond_by ? new Date(dispute.respond_by * 1000) : null,
    createdAt: new Date(dispute.created_at * 1000),
  };
}

/**
 * Parses the body of a webhook whose signature was checked.
 *
 * @param eventId the x-razorpay-event-id header. Without it the id is a hash of the body, so that a repeated delivery
 *   has the same id
 * @returns an event of type 'unreadable' for a body of an unknown shape: the gateway signed it, and would repeat it if
 *   it was refused
 */
export function parseWebhookEvent(rawBody: string | Uint8Array, eventId: string | null): WebhookEvent {
  const id = eventId ? toStorableId(eventId) : `body-${hashOf(rawBody)}`;
  const parsed = apiWebhookEvent.safeParse(
    parseJson(typeof rawBody === "string" ? rawBody : new TextDecoder().decode(rawBody)),
  );
  const { payment, order, refund, dispute } = parsed.data?.payload ?? {};
  return {
    eventId: id,
    type: parsed.data?.event ?? "unreadable",
    gatewayOrderId: payment?.entity.order_id ?? order?.entity.id ?? null,
    gatewayPaymentId: payment?.entity.id ?? (refund ?? dispute)?.entity.payment_id ?? null,
    gatewayDisputeId: dispute?.entity.id ?? null,
  };
}

const hashOf = (body: string | Uint8Array) => createHash("sha256").update(body).digest("hex");

/** More than any id needs, and less than a database index allows. */
const LONGEST_ID = 200;

const toStorableId = (id: string) => (id.length > LONGEST_ID ? `long-${hashOf(id)}` : id);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
