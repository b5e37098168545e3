import type { Context, Hono } from "hono";
import { etag } from "hono/etag";
import { containsNul } from "#core/parse.ts";
import { SandboxApiError } from "./api-error.ts";
import styles from "./browser/checkout.css?raw";
import { defineTestCheckout } from "./browser/checkout.ts";
import { runCheckoutPage } from "./browser/checkout-page.ts";
import { checkoutPage, problemPage } from "./checkout-page.ts";
import type { GatewayStore } from "./records.ts";

const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join("; ");

/** Adds what the buyer's browser loads: the script that opens the checkout, and its page. */
export function addCheckoutPages(routes: Hono, store: GatewayStore, keyId: string): void {
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
      if (c.req.query("key") !== keyId) throw new SandboxApiError("The key is not this shop's.");
      const orderId = c.req.query("order_id") ?? "";
      if (containsNul(orderId)) throw new SandboxApiError("There is no such order.");
      return c.html(checkoutPage((await store.find({ orderId })).order));
    } catch (error) {
      if (!(error instanceof SandboxApiError)) throw error;
      return c.html(problemPage(), 400);
    }
  });
}

/** A script that calls the function in the browser. The compiler has removed its types. */
function scriptOf(run: () => void): string {
  return `(${run.toString()})();\n`;
}

function asset(c: Context, text: string, type: string) {
  c.header("Cache-Control", "public, max-age=300");
  return c.body(text, 200, { "Content-Type": `${type}; charset=utf-8` });
}
