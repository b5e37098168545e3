import { createServer, type Server } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import type { WebhookEvent } from "#core/payments/payment-gateway.ts";
import { systemClock } from "#core/time.ts";
import { openDatabase } from "#db/database.ts";
import { createRazorpayGateway } from "../../razorpay/razorpay-gateway.ts";
import { createSandboxGateway } from "../sandbox-gateway.ts";

export const KEYS = {
  keyId: "rzp_test_sandbox",
  keySecret: "sandbox-key-secret",
  webhookSecret: "sandbox-hook",
};
const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore };

function ignore(): void {
  // Tests do not check the log.
}

export interface Delivery {
  rawBody: string;
  signature: string;
  eventId: string | null;
  /** null when the signature was wrong. */
  event: WebhookEvent | null;
}

/** Serves the sandbox and a shop that receives its webhooks on one loopback server, as in the real process. */
export async function startLoopbackShop(databaseUrl: string) {
  const { db, close: closePool } = openDatabase(databaseUrl, { onBrokenConnection: ignore });
  const deliveries: Delivery[] = [];
  let respond: () => Response | Promise<Response> = () => new Response(null, { status: 204 });
  let base = "";
  const sandbox = createSandboxGateway({
    ...KEYS,
    db,
    log: silent,
    clock: systemClock,
    deliverTo: () => `${base}/webhooks/razorpay`,
  });
  const shop = new Hono();
  shop.route("/sandbox-gateway", sandbox.app);
  shop.post("/webhooks/razorpay", async (c) => {
    const rawBody = await c.req.text();
    const signature = c.req.header("x-razorpay-signature") ?? "";
    const eventId = c.req.header("x-razorpay-event-id") ?? null;
    deliveries.push({
      rawBody,
      signature,
      eventId,
      event: gateway.parseWebhook({ rawBody, signature, eventId }),
    });
    return respond();
  });
  const server = createServer(getRequestListener(shop.fetch));
  base = await listen(server);
  const gateway = createRazorpayGateway({
    ...KEYS,
    apiUrl: `${base}/sandbox-gateway`,
    webhookSecrets: [KEYS.webhookSecret],
    checkoutScriptUrl: "/sandbox-gateway/checkout.js",
    name: "sandbox",
  });
  return {
    db,
    base,
    gateway,
    sandbox,
    deliveries,
    /** Sets how the shop answers webhooks from now on. */
    answerWebhooks: (answer: () => Response | Promise<Response>) => {
      respond = answer;
    },
    choose: (choice: "pay" | "fail", orderId: string) =>
      fetch(`${base}/sandbox-gateway/checkout/${choice}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ order_id: orderId }),
      }),
    async stop() {
      await sandbox.stopDelivery();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await closePool();
    },
  };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("the server has no address");
  return `http://127.0.0.1:${address.port}`;
}
