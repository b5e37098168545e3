import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { z } from "zod";
import type { Log } from "#core/context.ts";
import { signCheckout } from "../razorpay/signatures.ts";
import { type ApiOptions, apiRoutes, readJson } from "./api-routes.ts";
import { errorBody, type Payment, SandboxApiError } from "./entities.ts";
import {
  failOrder,
  payOrder,
  payOrderWithFee,
  payOrderWithOffer,
  payThenDispute,
  payThenLose,
} from "./transitions.ts";

const orderBody = z.object({ order_id: z.string("The order_id field is required.").max(64) });

/**
 * Razorpay's protocol over the records of a store: the API under /v1, and what the buyer chooses in the checkout. May be
 * mounted at any path.
 */
export function createGatewayApp({ log, ...options }: ApiOptions & { log: Log }): Hono {
  const { store, keySecret } = options;
  const app = new Hono();
  app.onError((error, c) => {
    if (error instanceof SandboxApiError) {
      return c.json(errorBody("BAD_REQUEST_ERROR", error.message, error.field ?? undefined), error.status);
    }
    log.error({ err: error }, "sandbox gateway failed");
    return c.json(errorBody("SERVER_ERROR", "The server encountered an error."), 500);
  });
  app.use(
    bodyLimit({
      maxSize: 64 * 1024,
      onError: (c) => c.json(errorBody("BAD_REQUEST_ERROR", "The request is too large."), 413),
    }),
  );
  app.route("/v1", apiRoutes(options));
  const choices = {
    "/checkout/pay": payOrder,
    "/checkout/pay-with-fee": payOrderWithFee,
    "/checkout/pay-with-offer": payOrderWithOffer,
    "/checkout/pay-then-dispute": payThenDispute,
    "/checkout/pay-then-lose": payThenLose,
    "/checkout/fail": failOrder,
  };
  for (const [path, choose] of Object.entries(choices)) {
    app.post(path, async (c) => {
      const { order_id: orderId } = await readJson(c, orderBody);
      const payment = await store.change({ orderId }, (change) => choose(change));
      return c.json(checkoutResult(payment, keySecret));
    });
  }
  return app;
}

/** What the checkout passes to the shop: the signed callback of a payment, or the error of a failed one. */
function checkoutResult(payment: Payment, keySecret: string) {
  if (payment.status !== "failed") return signedCallback(payment, keySecret);
  const { error } = errorBody("BAD_REQUEST_ERROR", payment.errorDescription ?? "Payment failed");
  const metadata = { payment_id: payment.id, order_id: payment.orderId };
  const where = { source: "bank", step: "payment_authorization", reason: "payment_failed" };
  return { error: { ...error, ...where, metadata } };
}

export function signedCallback({ id, orderId }: Payment, keySecret: string) {
  return {
    razorpay_payment_id: id,
    razorpay_order_id: orderId,
    razorpay_signature: signCheckout(orderId, id, keySecret),
  };
}
