import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { createGatewayApp } from "#adapters/sandbox-gateway/gateway-app.ts";
import type { Log } from "#core/context.ts";
import { defineRazorpay } from "./browser/checkout.ts";
import { type Control, createControl } from "./control.ts";
import { createFaults, type Faults } from "./faults.ts";
import { injectFaults } from "./inject-faults.ts";
import { createMemoryStore, type MemoryStore } from "./memory-store.ts";
import { serveControl } from "./serve-control.ts";
import { createWebhooks, type Webhooks } from "./webhooks.ts";

export interface FakeGatewayOptions {
  /** A free port when unset. */
  port?: number;
  keyId?: string;
  keySecret?: string;
  webhookSecret?: string;
  /** Where webhooks are sent. When unset they are recorded only. */
  webhookUrl?: string;
  /** Delays between the attempts to deliver a webhook. The last one repeats. */
  webhookRetryPausesMs?: readonly number[];
  /** The clock of the gateway, in milliseconds. */
  now?: () => number;
}

export interface FakeGateway extends Control {
  /** For RAZORPAY_API_URL. */
  url: string;
  keyId: string;
  keySecret: string;
  store: MemoryStore;
  webhooks: Webhooks;
  faults: Faults;
  close(): Promise<void>;
}

const log: Log = {
  debug() {},
  info() {},
  warn() {},
  error: (facts, message) => console.error(message, facts),
};
const SCRIPT = `(${defineRazorpay.toString()})();\n`;
const PAGE = readFileSync(new URL("./browser/checkout.html", import.meta.url), "utf8");

/**
 * A fake of Razorpay: the sandbox gateway's protocol on a server of its own, with records in memory, injectable faults,
 * and the actions of buyers, banks and owners as functions. Its window in the browser is at other addresses than the
 * shop, as the window of the real gateway is: browser tests route https://checkout.razorpay.com and https://api.razorpay.com here.
 */
export async function startFakeGateway(options: FakeGatewayOptions = {}): Promise<FakeGateway> {
  const { keyId = "rzp_test_FakeGateway00", keySecret = "fake-key-secret", now = Date.now } = options;
  const webhooks = createWebhooks({
    retryPausesMs: options.webhookRetryPausesMs ?? [100, 300, 1_000, 3_000, 10_000, 30_000],
  });
  webhooks.configure({
    secret: options.webhookSecret ?? "fake-webhook-secret",
    url: options.webhookUrl ?? "",
  });
  const faults = createFaults();
  const clock = { now: () => new Date(now()) };
  const store = createMemoryStore({ now: clock.now, emit: webhooks.emit });
  const capturedByApi = new Set<string>();
  let holds = false;
  const control = createControl({
    store,
    keySecret,
    capturedByApi,
    holdsRefunds: () => holds,
    setHoldRefunds: (hold) => {
      holds = hold;
    },
  });

  const app = new Hono<{ Bindings: HttpBindings }>();
  app.post("/control/:name", serveControl({ control, webhooks, faults }));
  app.get("/v1/checkout.js", (c) => c.body(SCRIPT, 200, { "content-type": "text/javascript" }));
  app.get("/v1/checkout/public", async (c) => {
    const orderId = c.req.query("order_id") ?? "";
    const order = store.all().find((records) => records.order.id === orderId)?.order;
    if (!order || c.req.query("key_id") !== keyId) return c.text("The id provided does not exist", 400);
    const amount = `${order.currency} ${(order.amountPaise / 100).toFixed(2)}`;
    return c.html(PAGE.replace(/(?<=id="amount">)/, amount));
  });
  app.use("/v1/*", injectFaults(faults));
  app.use("/v1/payments/:id/capture", async (c, next) => {
    await next();
    if (c.res.ok) capturedByApi.add(c.req.param("id"));
  });
  const finishesRefunds = () => !holds;
  app.route("/", createGatewayApp({ store, clock, log, keyId, keySecret, finishesRefunds }));

  const server = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }));
  // Longer than the shop keeps idle connections, so that a request never meets a closing one.
  server.keepAliveTimeout = 60_000;
  const url = await listen(server, options.port ?? 0);

  return {
    ...control,
    url,
    keyId,
    keySecret,
    store,
    webhooks,
    faults,
    async close() {
      webhooks.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function listen(server: Server, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("the fake gateway has no port");
  return `http://127.0.0.1:${address.port}`;
}
