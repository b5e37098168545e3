import type { Context, Hono } from "hono";
import { etag } from "hono/etag";
import { html } from "hono/html";
import { formatPaise } from "#core/money.ts";
import { containsNul } from "#core/parse.ts";
import { isLanguage, LANGUAGE_CODES, LANGUAGES, type Language } from "#languages/languages.ts";
import styles from "./browser/checkout.css?raw";
import { defineTestCheckout } from "./browser/checkout.ts";
import { runCheckoutPage } from "./browser/checkout-page.ts";
import { pageTexts, textsIn, windowTexts } from "./checkout-texts.ts";
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
    "/checkout.js": scriptOf(
      defineTestCheckout,
      Object.fromEntries(LANGUAGE_CODES.map((language) => [language, windowTexts(language)])),
    ),
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
    const asked = c.req.query("language");
    const language = isLanguage(asked) ? asked : "en";
    try {
      if (c.req.query("key") !== keyId) throw new SandboxApiError("The key is not this shop's.");
      const orderId = c.req.query("order_id") ?? "";
      if (containsNul(orderId)) throw new SandboxApiError("There is no such order.");
      return c.html(checkoutPage((await store.find({ orderId })).order, language));
    } catch (error) {
      if (!(error instanceof SandboxApiError)) throw error;
      return c.html(problemPage(language), 400);
    }
  });
}

/** A script that calls the function in the browser, with what it needs. The compiler has removed its types. */
function scriptOf(run: (input: never) => void, input?: object): string {
  return `(${run.toString()})(${JSON.stringify(input) ?? ""});\n`;
}

function asset(c: Context, text: string, type: string) {
  c.header("Cache-Control", "public, max-age=300");
  return c.body(text, 200, { "Content-Type": `${type}; charset=utf-8` });
}

/** Stands for the amount where the text is split around it. */
const AMOUNT = "\0";

type Markup = ReturnType<typeof html>;

/** The page of the hosted checkout: one order, and what may become of it. Its addresses are relative to where it is mounted. */
function checkoutPage(order: Order, language: Language): Markup {
  const { amountPaise } = order;
  const t = textsIn(language);
  const [before = "", after = ""] = t("Pay {amount}", { amount: AMOUNT }).split(AMOUNT);
  return document(
    language,
    html`<main class="ticket" aria-label="${t("Test payment")}" data-order="${order.id}" data-amount="${formatPaise(amountPaise)}" data-texts="${JSON.stringify(pageTexts(language))}">
      <p class="stamp">${t("Test payment")}</p>
      <h1 tabindex="-1">${before}<span class="amount">${formatPaise(amountPaise)}</span>${after}</h1>
      <p class="muted">${t("No real money moves. You decide what the bank says.")}</p>
      <div class="tear" aria-hidden="true"></div>
      <p class="order muted"><span>${t("Order")}</span> <code>${order.id}</code></p>
      <p class="says" role="status"></p>
      <div class="choices">
        <button type="button" class="strong" data-choice="pay">${t("Pay")}</button>
        <button type="button" data-choice="fail">${t("Fail")}</button>
        <button type="button" data-choice="close">${t("Close")}</button>
      </div>
      <p class="muted more">${t("If buyers bear Razorpay’s fee, or you have set up an offer there:")}</p>
      <div class="choices">
        <button type="button" data-choice="pay-with-fee">${t("{amount} with the fee", { amount: formatPaise(amountPaise + gatewayFeePaise(amountPaise)) })}</button>
        <button type="button" data-choice="pay-with-offer">${t("{amount} with an offer", { amount: formatPaise(amountPaise - exampleOfferPaise(amountPaise)) })}</button>
      </div>
      <p class="muted more">${t("If the buyer later asks the bank for the money back:")}</p>
      <div class="choices">
        <button type="button" data-choice="pay-then-dispute">${t("Pay, then dispute")}</button>
        <button type="button" data-choice="pay-then-lose">${t("Pay, and lose it")}</button>
      </div>
      <noscript><p class="says">${t("This page needs JavaScript.")}</p></noscript>
    </main>`,
  );
}

function problemPage(language: Language): Markup {
  const t = textsIn(language);
  return document(
    language,
    html`<main class="ticket" aria-label="${t("Test payment")}" data-texts="${JSON.stringify(pageTexts(language))}">
      <p class="stamp">${t("Test payment")}</p>
      <h1 tabindex="-1">${t("This payment cannot be opened")}</h1>
      <p class="muted">${t("The shop and its test payments do not agree on this order. You were not charged.")}</p>
      <p class="says" role="status"></p>
      <div class="choices"><button type="button" data-choice="close">${t("Close")}</button></div>
    </main>`,
  );
}

function document(language: Language, main: Markup): Markup {
  return html`<!doctype html>
    <html lang="${LANGUAGES[language].tag}">
      <head>
        <meta charset="utf-8" />
        <title>${textsIn(language)("Test payment")}</title>
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
