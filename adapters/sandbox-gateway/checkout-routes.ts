import { type Context, Hono } from "hono";
import { etag } from "hono/etag";
import { z } from "zod";
import { containsNul } from "#core/parse.ts";
import { signCheckout } from "../razorpay/signatures.ts";
import { errorBody, SandboxApiError } from "./api-error.ts";
import styles from "./browser/checkout.css?raw";
import { defineTestCheckout } from "./browser/checkout.ts";
import { runCheckoutPage } from "./browser/checkout-page.ts";
import { checkoutPage, problemPage } from "./checkout-page.ts";
import type { PaymentRow } from "./entities.ts";
import { findOrder } from "./orders.ts";
import { failOrder, payOrder } from "./payments.ts";
import { readJson } from "./read-json.ts";
import type { SandboxContext } from "./sandbox-context.ts";

const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join("; ");

const orderBody = z.object({ order_id: z.string("The order_id field is required.").max(64) });

/** The routes for the buyer's browser: the script that opens the checkout, its page, and the buyer's choice. */
export function checkoutRoutes(context: SandboxContext, keys: { keyId: string; keySecret: string }): Hono {
  const routes = new Hono();
  const assets = {
    "/checkout.js": scriptOf(defineTestCheckout),
    "/checkout-page.js": scriptOf(runCheckoutPage),
    "/checkout.css": styles,
  };
  for (const [path, text] of Object.entries(assets)) {
    routes.get(path, etag(), (c) => asset(c, text, path.endsWith(".js") ? "text/javascript" : "text/css"));
  }

  routes.get("/checkout", async (c) => {
    c.header("Content-Security-Policy", PAGE_POLICY);
    c.header("X-Frame-Options", "SAMEORIGIN");
    c.header("Cache-Control", "no-store");
    try {
      if (c.req.query("key") !== keys.keyId) throw new SandboxApiError("The key is not this shop's.");
      const orderId = c.req.query("order_id") ?? "";
      if (containsNul(orderId)) throw new SandboxApiError("There is no such order.");
      const order = await findOrder(context, orderId);
      return c.html(checkoutPage(order));
    } catch (error) {
      if (!(error instanceof SandboxApiError)) throw error;
      return c.html(problemPage(), 400);
    }
  });

  routes.post("/checkout/pay", async (c) => {
    const { order_id } = await readJson(c, orderBody);
    return c.json(checkoutResult(await payOrder(context, order_id), keys.keySecret));
  });
  routes.post("/checkout/fail", async (c) => {
    const { order_id } = await readJson(c, orderBody);
    return c.json(checkoutResult(await failOrder(context, order_id), keys.keySecret));
  });
  return routes;
}

/** A script that calls the function in the browser. The compiler has removed its types. */
function scriptOf(run: () => void): string {
  return `(${run.toString()})();\n`;
}

function asset(c: Context, text: string, type: string) {
  c.header("Cache-Control", "public, max-age=300");
  return c.body(text, 200, { "Content-Type": `${type}; charset=utf-8` });
}

/** What the page passes to the shop: the signed callback of a payment, or the error of a failed one. */
function checkoutResult(payment: PaymentRow, keySecret: string) {
  if (payment.status !== "failed") {
    return {
      razorpay_payment_id: payment.id,
      razorpay_order_id: payment.orderId,
      razorpay_signature: signCheckout(payment.orderId, payment.id, keySecret),
    };
  }
  const { error } = errorBody("BAD_REQUEST_ERROR", payment.errorDescription ?? "Payment failed");
  const metadata = { payment_id: payment.id, order_id: payment.orderId };
  const where = { source: "bank", step: "payment_authorization", reason: "payment_failed" };
  return { error: { ...error, ...where, metadata } };
}
