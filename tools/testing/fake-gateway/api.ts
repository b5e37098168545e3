import { z } from "zod";
import { collection, orderEntity, paymentEntity, refundEntity } from "./entities.ts";
import { findOrRefuse, type GatewayRecords } from "./records.ts";
import { Refusal } from "./refusal.ts";
import type { Transitions } from "./transitions.ts";

export type RequestName =
  | "create-order"
  | "list-orders"
  | "order"
  | "order-payments"
  | "payment"
  | "capture"
  | "refund"
  | "refund-status"
  | "payment-refunds";

export interface ApiRequest {
  /** The id in the path; empty where there is none. */
  id: string;
  query: URLSearchParams;
  rawBody: string;
  refundKey: string | null;
}

interface ApiRoute {
  name: RequestName;
  method: "GET" | "POST";
  /** The capture group is the id. */
  path: RegExp;
}

/** The first match counts. */
export const API_ROUTES: readonly ApiRoute[] = [
  { name: "create-order", method: "POST", path: /^\/v1\/orders$/ },
  { name: "list-orders", method: "GET", path: /^\/v1\/orders$/ },
  { name: "order-payments", method: "GET", path: /^\/v1\/orders\/([^/]+)\/payments$/ },
  { name: "order", method: "GET", path: /^\/v1\/orders\/([^/]+)$/ },
  { name: "capture", method: "POST", path: /^\/v1\/payments\/([^/]+)\/capture$/ },
  { name: "refund", method: "POST", path: /^\/v1\/payments\/([^/]+)\/refund$/ },
  { name: "payment-refunds", method: "GET", path: /^\/v1\/payments\/([^/]+)\/refunds$/ },
  { name: "payment", method: "GET", path: /^\/v1\/payments\/([^/]+)$/ },
  { name: "refund-status", method: "GET", path: /^\/v1\/refunds\/([^/]+)$/ },
];

const orderBody = z.object({
  amount: z.int("The amount must be an integer.").min(100, "Order amount less than minimum amount allowed"),
  currency: z.literal("INR", "Currency is not supported"),
  receipt: z.string().max(40, "The receipt may not be greater than 40 characters.").nullish(),
  payment_capture: z.union([z.boolean(), z.literal([0, 1])]).default(true),
  notes: z.union([z.record(z.string(), z.string()), z.array(z.never())]).default({}),
});
const listQuery = z.object({
  receipt: z.string().optional(),
  count: z.coerce
    .number()
    .int()
    .min(1, "The count must be at least 1.")
    .max(100, "The count may not be greater than 100.")
    .default(10),
  skip: z.coerce.number().int().min(0, "The skip must be at least 0.").default(0),
});
const captureBody = z.object({
  amount: z.int("The amount must be an integer."),
  currency: z.string().default("INR"),
});
const refundBody = z.object({ amount: z.int("The amount must be an integer.").optional() });
const refundKey = /^[A-Za-z0-9_-]{10,}$/;

export interface ApiOptions {
  records: GatewayRecords;
  transitions: Transitions;
  /** Refuse a second order for a receipt, an option of real accounts. */
  uniqueReceipts: boolean;
}

/** One handler per request. A handler returns the entity of the response. @throws Refusal */
export function createApi({ records, transitions, uniqueReceipts }: ApiOptions) {
  const handlers: Record<RequestName, (request: ApiRequest) => object> = {
    "create-order": ({ rawBody }) => {
      const {
        payment_capture,
        receipt = null,
        notes,
        ...body
      } = parseOrRefuse(orderBody, parseJson(rawBody));
      if (uniqueReceipts && receipt !== null && records.ordersByReceipt.has(receipt)) {
        throw new Refusal("Receipt should be unique.", { field: "receipt" });
      }
      const automaticCapture = Boolean(payment_capture);
      const order = { ...body, receipt, automaticCapture, notes: Array.isArray(notes) ? {} : notes };
      return orderEntity(transitions.createOrder(order));
    },
    "list-orders": ({ query }) => {
      const { receipt, count, skip } = parseOrRefuse(listQuery, Object.fromEntries(query));
      const orders =
        receipt === undefined ? [...records.orders.values()] : records.ordersByReceipt.get(receipt);
      return page(orders ?? [], { count, skip }, orderEntity);
    },
    order: ({ id }) => orderEntity(findOrRefuse(records.orders, id)),
    "order-payments": ({ id }) => {
      findOrRefuse(records.orders, id);
      return page(records.paymentsByOrder.get(id) ?? [], { count: 100, skip: 0 }, paymentEntity);
    },
    payment: ({ id }) => paymentEntity(findOrRefuse(records.payments, id)),
    capture: ({ id, rawBody }) =>
      paymentEntity(transitions.captureByApi(id, parseOrRefuse(captureBody, parseJson(rawBody)))),
    refund: (request) => refundEntity(refundIdempotently(records, transitions, request)),
    "refund-status": ({ id }) => refundEntity(findOrRefuse(records.refunds, id)),
    "payment-refunds": ({ id, query }) => {
      findOrRefuse(records.payments, id);
      const { count, skip } = parseOrRefuse(listQuery, Object.fromEntries(query));
      return page(records.refundsByPayment.get(id) ?? [], { count, skip }, refundEntity);
    },
  };
  return handlers;
}

/** The same key with the same request returns the refund of the first request, in its current status. */
function refundIdempotently(
  records: GatewayRecords,
  transitions: Transitions,
  { id, rawBody, refundKey: key }: ApiRequest,
) {
  const payment = findOrRefuse(records.payments, id);
  if (key !== null && !refundKey.test(key)) {
    throw new Refusal(
      "The idempotency key must be at least 10 characters of letters, digits, hyphens, underscores.",
    );
  }
  const body = parseOrRefuse(refundBody, rawBody === "" ? {} : parseJson(rawBody));
  const request = `${id} ${rawBody}`;
  const existing = key === null ? undefined : records.refundsByKey.get(key);
  if (existing) {
    if (existing.request === request) return existing.refund;
    throw new Refusal("Different request with the same idempotency key has already been processed.");
  }
  const refund = transitions.refund(payment, body.amount, "api");
  if (key !== null) records.refundsByKey.set(key, { request, refund });
  return refund;
}

/** Newest first. */
function page<Item>(
  oldestFirst: readonly Item[],
  { count, skip }: { count: number; skip: number },
  entity: (item: Item) => object,
) {
  const end = Math.max(0, oldestFirst.length - skip);
  return collection(
    oldestFirst
      .slice(Math.max(0, end - count), end)
      .reverse()
      .map(entity),
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal("The request is not valid JSON.");
  }
}

function parseOrRefuse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const field = issue?.path.join(".");
  throw new Refusal(issue?.message ?? "The request is not valid.", field ? { field } : {});
}
