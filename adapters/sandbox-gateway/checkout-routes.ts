import type { Context, Hono } from "hono";
import { etag } from "hono/etag";
import { html } from "hono/html";
import { formatPaise } from "#core/money.ts";
import { containsNul } from "#core/parse.ts";
import styles from "./browser/checkout.css?raw";
import { defineTestCheckout } from "./browser/checkout.ts";
import { runCheckoutPage } from "./browser/checkout-page.ts";
import {
  exampleOfferPaise,
  type GatewayStore,
  gatewayFeePaise,
  type Order,
  SandboxApiError,
} from "./entities.ts";

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

type Markup = ReturnType<typeof html>;

/** The page of the hosted checkout: one order, and what may become of it. Its addresses are relative to where it is mounted. */
function checkoutPage(order: Order): Markup {
  const { amountPaise } = order;
  return document(
    html`<main class="ticket" aria-label="Test payment" data-order="${order.id}" data-amount="${formatPaise(amountPaise)}">
      <p class="stamp">Test payment</p>
      <h1 tabindex="-1">Pay <span class="amount">${formatPaise(amountPaise)}</span></h1>
      <p class="muted">No real money moves. You decide what the bank says.</p>
      <div class="tear" aria-hidden="true"></div>
      <p class="order muted"><span>Order</span> <code>${order.id}</code></p>
      <p class="says" role="status"></p>
      <div class="choices">
        <button type="button" class="strong" data-choice="pay">Pay</button>
        <button type="button" data-choice="fail">Fail</button>
        <button type="button" data-choice="close">Close</button>
      </div>
      <p class="muted more">If buyers bear Razorpay’s fee, or you have set up an offer there:</p>
      <div class="choices">
        <button type="button" data-choice="pay-with-fee">${formatPaise(amountPaise + gatewayFeePaise(amountPaise))} with the fee</button>
        <button type="button" data-choice="pay-with-offer">${formatPaise(amountPaise - exampleOfferPaise(amountPaise))} with an offer</button>
      </div>
      <p class="muted more">If the buyer later asks the bank for the money back:</p>
      <div class="choices">
        <button type="button" data-choice="pay-then-dispute">Pay, then dispute</button>
        <button type="button" data-choice="pay-then-lose">Pay, and lose it</button>
      </div>
      <noscript><p class="says">This page needs JavaScript.</p></noscript>
    </main>`,
  );
}

function problemPage(): Markup {
  return document(
    html`<main class="ticket" aria-label="Test payment">
      <p class="stamp">Test payment</p>
      <h1 tabindex="-1">This payment cannot be opened</h1>
      <p class="muted">The shop and its test payments do not agree on this order. You were not charged.</p>
      <p class="says" role="status"></p>
      <div class="choices"><button type="button" data-choice="close">Close</button></div>
    </main>`,
  );
}

function document(main: Markup): Markup {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>Test payment</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="color-scheme" content="light dark" />
        <link rel="stylesheet" href="checkout.css" />
        <script src="checkout-page.js" defer></script>
      </head>
      <body>
        ${main}
      </body>
    </html>`;
}
