import { Hono, type MiddlewareHandler } from "hono";
import { z } from "zod";
import { sameSecret } from "../razorpay/signatures.ts";
import { errorBody, SandboxApiError } from "./api-error.ts";
import { collection, orderEntity, paymentEntity, refundEntity } from "./entities.ts";
import { createOrder, findOrder, listOrderPayments, listOrders, newOrder } from "./orders.ts";
import { capturePayment, findPayment } from "./payments.ts";
import { readJson } from "./read-json.ts";
import { findRefund, refundPayment } from "./refunds.ts";
import type { SandboxContext } from "./sandbox-context.ts";

const listQuery = z.object({
  receipt: z.string().optional(),
  count: z.coerce.number().int().min(1).max(100).default(10),
  skip: z.coerce.number().int().min(0).default(0),
});
const captureBody = z.object({ amount: z.int(), currency: z.string().default("INR") });
const refundBody = z.object({ amount: z.int().min(100, "The amount must be at least INR 1.00").optional() });
const refundKey = z
  .string()
  .regex(
    /^[A-Za-z0-9_-]{10,}$/,
    "The idempotency key needs 10 or more letters, digits, hyphens, underscores.",
  )
  .nullable();

/** The REST API for the shop's server: paths, schemas and errors as at Razorpay. */
export function apiRoutes(context: SandboxContext, keys: { keyId: string; keySecret: string }): Hono {
  const api = new Hono();
  api.use(requireKey(keys));

  api.post("/orders", async (c) =>
    c.json(orderEntity(await createOrder(context, await readJson(c, newOrder)))),
  );
  api.get("/orders", async (c) => {
    const query = listQuery.safeParse(c.req.query());
    if (!query.success) throw new SandboxApiError("The query is not valid.");
    const { receipt, count, skip } = query.data;
    return c.json(collection((await listOrders(context, { receipt, count, skip })).map(orderEntity)));
  });
  api.get("/orders/:id", async (c) => c.json(orderEntity(await findOrder(context, c.req.param("id")))));
  api.get("/orders/:id/payments", async (c) =>
    c.json(collection((await listOrderPayments(context, c.req.param("id"))).map(paymentEntity))),
  );

  api.get("/payments/:id", async (c) => c.json(paymentEntity(await findPayment(context, c.req.param("id")))));
  api.post("/payments/:id/capture", async (c) => {
    const { amount: amountPaise, currency } = await readJson(c, captureBody);
    const input = { amountPaise, currency };
    return c.json(paymentEntity(await capturePayment(context, c.req.param("id"), input)));
  });
  api.post("/payments/:id/refund", async (c) => {
    const { amount: amountPaise } = await readJson(c, refundBody);
    const key = refundKey.safeParse(c.req.header("x-refund-idempotency") ?? null);
    if (!key.success) throw new SandboxApiError(key.error.issues[0]?.message ?? "The key is not valid.");
    const input = { paymentId: c.req.param("id"), amountPaise, idempotencyKey: key.data };
    const { refund, payment } = await refundPayment(context, input);
    return c.json(refundEntity(refund, payment.currency));
  });

  api.get("/refunds/:id", async (c) => {
    const { refund, payment } = await findRefund(context, c.req.param("id"));
    return c.json(refundEntity(refund, payment.currency));
  });

  api.all("*", () => {
    throw new SandboxApiError("The requested URL was not found on the server.", { status: 404 });
  });
  return api;
}

function requireKey({ keyId, keySecret }: { keyId: string; keySecret: string }): MiddlewareHandler {
  const expected = `Basic ${Buffer.from(`${keyId}:${keySecret}`).toString("base64")}`;
  return async (c, next) => {
    if (sameSecret(c.req.header("authorization") ?? "", expected)) return next();
    return c.json(errorBody("BAD_REQUEST_ERROR", "Authentication failed"), 401);
  };
}
