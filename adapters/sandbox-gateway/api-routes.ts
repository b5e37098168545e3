import { type Context, Hono, type MiddlewareHandler } from "hono";
import { z } from "zod";
import { containsNul } from "#core/parse.ts";
import type { Clock } from "#core/time.ts";
import { sameSecret } from "../razorpay/signatures.ts";
import {
  collection,
  disputeEntity,
  errorBody,
  findById,
  type GatewayStore,
  newId,
  type Order,
  orderEntity,
  paymentEntity,
  refundEntity,
  SandboxApiError,
} from "./entities.ts";
import { captureByApi, finishRefund, requestRefund } from "./transitions.ts";

const newOrder = z.object({
  amount: z.int("The amount must be an integer.").min(100, "The amount must be at least INR 1.00"),
  currency: z.literal("INR", "The currency should be INR."),
  receipt: z
    .string("The receipt field is required.")
    .min(1, "The receipt field is required.")
    .max(40, "The receipt may not be greater than 40 characters."),
  notes: z.union([z.record(z.string(), z.string()), z.array(z.never())]).default({}),
});
/** The year 9999. */
const MAX_SECONDS = 253_402_300_799;
const listQuery = z.object({
  receipt: z.string().optional(),
  from: z.coerce.number().int().min(0).max(MAX_SECONDS).optional(),
  to: z.coerce.number().int().min(0).max(MAX_SECONDS).optional(),
  count: z.coerce.number().int().min(1).max(100).default(10),
  skip: z.coerce.number().int().min(0).default(0),
});
const captureBody = z.object({ amount: z.int(), currency: z.string().default("INR") });
const refundBody = z.object({ amount: z.int("The amount must be an integer.").optional() });
const refundKey = z
  .string()
  .regex(
    /^[A-Za-z0-9_-]{10,}$/,
    "The idempotency key needs 10 or more letters, digits, hyphens, underscores.",
  )
  .nullable();

export interface ApiOptions {
  store: GatewayStore;
  clock: Clock;
  keyId: string;
  keySecret: string;
  /** Whether the bank carries out refunds at once; otherwise they stay pending. It does when unset. */
  finishesRefunds?: () => boolean;
}

/** The REST API for the shop's server: paths, schemas and errors as at Razorpay. */
export function apiRoutes({ store, clock, finishesRefunds = () => true, ...keys }: ApiOptions): Hono {
  const api = new Hono();
  api.use(requireKey(keys));

  api.post("/orders", async (c) => {
    const { amount, notes, ...input } = await readJson(c, newOrder);
    const order: Order = {
      ...input,
      id: newId("order"),
      amountPaise: amount,
      status: "created",
      amountPaidPaise: null,
      attempts: 0,
      notes: JSON.stringify(notes),
      createdAt: clock.now(),
    };
    if (await store.addOrder(order)) return c.json(orderEntity(order));
    throw new SandboxApiError("The receipt should be unique.", { field: "receipt" });
  });
  api.get("/orders", async (c) => {
    const { receipt, from, to, count, skip } = readQuery(c.req.query());
    const orders = await store.listOrders({ receipt, from, to, count, skip });
    return c.json(collection(orders.map(orderEntity)));
  });
  api.get("/orders/:id", async (c) =>
    c.json(orderEntity((await store.find({ orderId: c.req.param("id") })).order)),
  );
  api.get("/orders/:id/payments", async (c) => {
    const { payments } = await store.find({ orderId: c.req.param("id") });
    return c.json(collection(payments.toReversed().map(paymentEntity)));
  });

  api.get("/payments/:id", async (c) => {
    const paymentId = c.req.param("id");
    return c.json(paymentEntity(findById((await store.find({ paymentId })).payments, paymentId)));
  });
  api.post("/payments/:id/capture", async (c) => {
    const { amount: amountPaise, currency } = await readJson(c, captureBody);
    const paymentId = c.req.param("id");
    return c.json(
      await store.change({ paymentId }, (change) =>
        paymentEntity(captureByApi(change, paymentId, { amountPaise, currency })),
      ),
    );
  });
  api.post("/payments/:id/refund", async (c) => {
    const { amount: amountPaise } = await readJson(c, refundBody);
    const key = refundKey.safeParse(c.req.header("x-refund-idempotency") ?? null);
    if (!key.success) throw new SandboxApiError(key.error.issues[0]?.message ?? "The key is not valid.");
    const input = { paymentId: c.req.param("id"), amountPaise, idempotencyKey: key.data };
    return c.json(
      await store.change({ paymentId: input.paymentId }, (change) => {
        const requested = change.refunds.length;
        const refund = requestRefund(change, input);
        if (change.refunds.length > requested && finishesRefunds()) finishRefund(change, refund);
        return refundEntity(refund, findById(change.payments, refund.paymentId));
      }),
    );
  });
  api.get("/payments/:id/refunds", async (c) => {
    const paymentId = c.req.param("id");
    const { count, skip } = readQuery(c.req.query());
    const { payments, refunds } = await store.find({ paymentId });
    const payment = findById(payments, paymentId);
    const newestFirst = refunds.filter((refund) => refund.paymentId === paymentId).toReversed();
    const page = newestFirst.slice(skip, skip + count);
    return c.json(collection(page.map((refund) => refundEntity(refund, payment))));
  });

  api.get("/refunds/:id", async (c) => {
    const refundId = c.req.param("id");
    const { payments, refunds } = await store.find({ refundId });
    const refund = findById(refunds, refundId);
    return c.json(refundEntity(refund, findById(payments, refund.paymentId)));
  });

  api.get("/disputes", async (c) => {
    const { from, to, count, skip } = readQuery(c.req.query());
    const disputes = await store.listDisputes({ from, to, count, skip });
    return c.json(collection(disputes.map((dispute) => disputeEntity(dispute, dispute))));
  });
  api.get("/disputes/:id", async (c) => {
    const disputeId = c.req.param("id");
    const { payments, disputes } = await store.find({ disputeId });
    const dispute = findById(disputes, disputeId);
    return c.json(disputeEntity(dispute, findById(payments, dispute.paymentId)));
  });

  api.all("*", () => {
    throw new SandboxApiError("The requested URL was not found on the server.", { status: 404 });
  });
  return api;
}

function readQuery(sent: Record<string, string>): z.output<typeof listQuery> {
  const query = listQuery.safeParse(sent);
  if (!query.success) throw new SandboxApiError("The query is not valid.");
  return query.data;
}

function requireKey({ keyId, keySecret }: { keyId: string; keySecret: string }): MiddlewareHandler {
  const expected = `Basic ${Buffer.from(`${keyId}:${keySecret}`).toString("base64")}`;
  return async (c, next) => {
    if (sameSecret(c.req.header("authorization") ?? "", expected)) return next();
    return c.json(errorBody("BAD_REQUEST_ERROR", "Authentication failed"), 401);
  };
}

/**
 * Reads the JSON body of a request. The content type must be JSON, which a page of another site cannot send.
 *
 * @throws SandboxApiError naming the first invalid field
 */
export async function readJson<Schema extends z.ZodType>(
  c: Context,
  schema: Schema,
): Promise<z.output<Schema>> {
  if (!c.req.header("content-type")?.startsWith("application/json")) {
    throw new SandboxApiError("The request must be sent as application/json.");
  }
  const body: unknown = await c.req.json().catch(() => {
    throw new SandboxApiError("The request is not valid JSON.");
  });
  if (containsNul(body)) throw new SandboxApiError("The request is not valid.");
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const field = issue?.path.join(".");
  throw new SandboxApiError(issue?.message ?? "The request is not valid.", field ? { field } : {});
}
