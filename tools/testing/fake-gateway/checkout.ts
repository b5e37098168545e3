import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import { type Books, have } from "./books.ts";
import type { Control } from "./control.ts";
import { readBody, sendJson, sendText } from "./http.ts";
import { errorBody, Refusal } from "./refusal.ts";

type Serve = (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<void>;

const script = readFileSync(new URL("./browser/checkout.js", import.meta.url), "utf8");
const page = readFileSync(new URL("./browser/checkout.html", import.meta.url), "utf8");
const orderBody = z.object({ order_id: z.string() });

/**
 * What the buyer's browser meets: the script, which opens a frame as the real one does, the frame's page, and the
 * buyer's decisions. A browser test routes https://checkout.razorpay.com and https://api.razorpay.com here.
 */
export function serveCheckout(options: { books: Books; control: Control; keyId: string }) {
  const { books, control, keyId } = options;

  const decide =
    (decision: (orderId: string) => object): Serve =>
    async (request, response) => {
      if (request.method === "OPTIONS")
        return sendText(response, { status: 204, type: "text/plain", text: "" });
      const { order_id } = orderBody.parse(JSON.parse(await readBody(request)));
      sendJson(response, 200, decision(order_id));
    };

  const addresses: Record<string, Serve> = {
    "/v1/checkout.js": async (_, response) =>
      sendText(response, { status: 200, type: "text/javascript", text: script }),
    "/v1/checkout/public": async (_, response, url) => {
      if (url.searchParams.get("key_id") !== keyId) throw new Refusal("The id provided does not exist");
      const order = have(books.orders, url.searchParams.get("order_id") ?? "");
      const amount = `${order.currency} ${(order.amount / 100).toFixed(2)}`;
      sendText(response, { status: 200, type: "text/html", text: page.replace(/(?<=id="amount">)/, amount) });
    },
    "/v1/checkout/pay": decide((orderId) => control.pay(orderId)),
    "/v1/checkout/fail": decide((orderId) => {
      const { paymentId } = control.fail(orderId);
      const payment = have(books.payments, paymentId);
      const { error } = errorBody(payment.errorDescription ?? "Payment failed");
      const metadata = { payment_id: paymentId, order_id: orderId };
      const where = { source: "customer", step: "payment_authentication", reason: "payment_failed" };
      return { error: { ...error, ...where, metadata } };
    }),
  };
  return {
    /** undefined when the address is none of the checkout's. */
    serves: (url: URL): Serve | undefined => addresses[url.pathname],
  };
}
