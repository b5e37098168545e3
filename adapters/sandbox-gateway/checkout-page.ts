import { html } from "hono/html";
import { formatPaise } from "#core/money.ts";
import type { Order } from "./records.ts";

type Markup = ReturnType<typeof html>;

/** The page of the hosted checkout: one order and three choices. Its addresses are relative to where it is mounted. */
export function checkoutPage(order: Order): Markup {
  return document(
    html`<main class="ticket" aria-label="Test payment" data-order="${order.id}" data-amount="${formatPaise(order.amountPaise)}">
      <p class="stamp">Test payment</p>
      <h1 tabindex="-1">Pay <span class="amount">${formatPaise(order.amountPaise)}</span></h1>
      <p class="muted">No real money moves. You decide what the bank says.</p>
      <div class="tear" aria-hidden="true"></div>
      <p class="order muted"><span>Order</span> <code>${order.id}</code></p>
      <p class="says" role="status"></p>
      <div class="choices">
        <button type="button" class="strong" data-choice="pay">Pay</button>
        <button type="button" data-choice="fail">Fail</button>
        <button type="button" data-choice="close">Close</button>
      </div>
      <noscript><p class="says">This page needs JavaScript.</p></noscript>
    </main>`,
  );
}

export function problemPage(): Markup {
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
