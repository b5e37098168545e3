import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import { defineRazorpay } from "./browser/checkout.ts";
import type { Control } from "./control.ts";
import { readBody, sendJson, sendText } from "./http.ts";
import { findOrRefuse, type GatewayRecords } from "./records.ts";
import { errorBody, Refusal } from "./refusal.ts";

type Handler = (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<void>;

const script = `(${defineRazorpay.toString()})();\n`;
const page = readFileSync(new URL("./browser/checkout.html", import.meta.url), "utf8");
const orderBody = z.object({ order_id: z.string() });

/**
 * Serves the buyer's browser: the script, which opens a frame, the page of the frame, and the endpoints of its buttons.
 * Browser tests route https://checkout.razorpay.com and https://api.razorpay.com here.
 */
export function serveCheckout(options: { records: GatewayRecords; control: Control; keyId: string }) {
  const { records, control, keyId } = options;

  const decide =
    (decision: (orderId: string) => object): Handler =>
    async (request, response) => {
      if (request.method === "OPTIONS")
        return sendText(response, { status: 204, type: "text/plain", text: "" });
      const { order_id } = orderBody.parse(JSON.parse(await readBody(request)));
      sendJson(response, 200, decision(order_id));
    };

  const handlers: Record<string, Handler> = {
    "/v1/checkout.js": async (_, response) =>
      sendText(response, { status: 200, type: "text/javascript", text: script }),
    "/v1/checkout/public": async (_, response, url) => {
      if (url.searchParams.get("key_id") !== keyId) throw new Refusal("The id provided does not exist");
      const order = findOrRefuse(records.orders, url.searchParams.get("order_id") ?? "");
      const amount = `${order.currency} ${(order.amount / 100).toFixed(2)}`;
      sendText(response, { status: 200, type: "text/html", text: page.replace(/(?<=id="amount">)/, amount) });
    },
    "/v1/checkout/pay": decide((orderId) => control.pay(orderId)),
    "/v1/checkout/fail": decide((orderId) => {
      const { paymentId } = control.fail(orderId);
      const payment = findOrRefuse(records.payments, paymentId);
      const { error } = errorBody(payment.errorDescription ?? "Payment failed");
      const metadata = { payment_id: paymentId, order_id: orderId };
      const errorDetails = { source: "customer", step: "payment_authentication", reason: "payment_failed" };
      return { error: { ...error, ...errorDetails, metadata } };
    }),
  };
  return {
    /** Undefined for an address that is not part of the checkout. */
    handlerFor: (url: URL): Handler | undefined => handlers[url.pathname],
  };
}
