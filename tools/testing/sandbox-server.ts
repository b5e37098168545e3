import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { createRazorpayGateway } from "#adapters/razorpay/razorpay-gateway.ts";
import { createSandboxGateway } from "#adapters/sandbox-gateway/sandbox-gateway.ts";
import { systemClock } from "#core/time.ts";
import type { Database } from "#db/database.ts";
import { silentLog } from "./open-test-shop.ts";

export const SANDBOX_KEYS = {
  keyId: "rzp_test_sandbox",
  keySecret: "sandbox-key-secret",
  webhookSecret: "sandbox-webhook-secret",
};

export interface ReceivedWebhook {
  rawBody: string;
  signature: string;
  eventId: string | null;
}

/**
 * An HTTP server on loopback for the sandbox gateway and the shop's webhook endpoint, which are one server in
 * production too. The sandbox needs a database, and the shop on that database needs the server's address: call
 * `serveSandbox` once both are known.
 */
export async function startSandboxServer(options: {
  onWebhook: (webhook: ReceivedWebhook) => Response | Promise<Response>;
}) {
  /** `next` answers a request of the shop to the gateway's API in its place, unless it returns nothing. */
  const gatewayFaults: {
    next: ((request: Request) => Response | Promise<Response | undefined> | undefined) | null;
  } = { next: null };
  const http = new Hono();
  http.use("/sandbox-gateway/v1/*", async (c, next) => {
    const fault = await gatewayFaults.next?.(c.req.raw);
    return fault ?? next();
  });
  http.post("/webhooks/razorpay", async (c) =>
    options.onWebhook({
      rawBody: await c.req.text(),
      signature: c.req.header("x-razorpay-signature") ?? "",
      eventId: c.req.header("x-razorpay-event-id") ?? null,
    }),
  );
  const server = createServer(getRequestListener(http.fetch));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const bound = server.address();
  if (bound === null || typeof bound === "string") throw new Error("the test server has no port");
  const address = `http://127.0.0.1:${bound.port}`;

  const choose = (choice: "pay" | "fail", orderId: string) =>
    fetch(`${address}/sandbox-gateway/checkout/${choice}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ order_id: orderId }),
    });

  return {
    /** Without a trailing slash. */
    address,
    gatewayFaults,
    gateway: createRazorpayGateway({
      name: "sandbox",
      apiUrl: `${address}/sandbox-gateway`,
      keyId: SANDBOX_KEYS.keyId,
      keySecret: SANDBOX_KEYS.keySecret,
      webhookSecrets: [SANDBOX_KEYS.webhookSecret],
      checkoutScriptUrl: "/sandbox-gateway/checkout.js",
    }),
    serveSandbox(db: Database) {
      const sandbox = createSandboxGateway({
        ...SANDBOX_KEYS,
        db,
        deliverTo: () => `${address}/webhooks/razorpay`,
        log: silentLog,
        clock: systemClock,
      });
      http.route("/sandbox-gateway", sandbox.app);
      return sandbox;
    },
    /** Presses a button of the sandbox's checkout. */
    choose,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
