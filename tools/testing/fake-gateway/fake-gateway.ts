import { createServer, type Server } from "node:http";
import { createApi } from "./api.ts";
import { serveCheckout } from "./checkout.ts";
import { type Control, createControl } from "./control.ts";
import { createFaults, type Faults } from "./faults.ts";
import { sendJson } from "./http.ts";
import { createRecords } from "./records.ts";
import { errorBody, Refusal } from "./refusal.ts";
import { serveApi } from "./serve-api.ts";
import { serveControl } from "./serve-control.ts";
import { createTransitions } from "./transitions.ts";
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
  /** Refuse a second order for a receipt. At the real gateway an option of the account. */
  uniqueReceipts?: boolean;
  /** The clock of the gateway, in milliseconds. */
  now?: () => number;
}

export interface FakeGateway extends Control {
  /** For RAZORPAY_API_URL. */
  url: string;
  keyId: string;
  keySecret: string;
  webhooks: Webhooks;
  faults: Faults;
  close(): Promise<void>;
}

/**
 * A fake of Razorpay: an HTTP server on loopback with records in memory. It has the API, the webhooks and the browser
 * checkout that the shop uses, and injectable faults. It follows Razorpay's published documentation and shares no code
 * with the sandbox gateway, so that tests can compare the two.
 */
export async function startFakeGateway(options: FakeGatewayOptions = {}): Promise<FakeGateway> {
  const { keyId = "rzp_test_FakeGateway00", keySecret = "fake-key-secret", now = Date.now } = options;
  const webhooks = createWebhooks({
    now,
    retryPausesMs: options.webhookRetryPausesMs ?? [100, 300, 1_000, 3_000, 10_000, 30_000],
  });
  webhooks.configure({
    secret: options.webhookSecret ?? "fake-webhook-secret",
    url: options.webhookUrl ?? "",
  });
  const faults = createFaults();
  const records = createRecords();
  let shouldHoldRefunds = false;
  const transitions = createTransitions({
    records,
    now,
    emit: webhooks.emit,
    shouldHoldRefunds: () => shouldHoldRefunds,
  });
  const control = createControl({
    records,
    transitions,
    keySecret,
    setHoldRefunds: (hold) => {
      shouldHoldRefunds = hold;
    },
  });

  const api = serveApi({
    api: createApi({ records, transitions, uniqueReceipts: options.uniqueReceipts ?? false }),
    faults,
    keyId,
    keySecret,
  });
  const checkout = serveCheckout({ records, control, keyId });
  const controlHandler = serveControl({ control, webhooks, faults });
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://fake-gateway");
    const handler = url.pathname.startsWith("/control/") ? controlHandler : (checkout.handlerFor(url) ?? api);
    handler(request, response, url).catch((error: unknown) => {
      if (error instanceof Refusal) return sendJson(response, error.status, errorBody(error.message));
      sendJson(response, 500, errorBody(String(error), null, "SERVER_ERROR"));
    });
  });
  // Longer than the shop keeps idle connections, so that a request never meets a closing one.
  server.keepAliveTimeout = 60_000;
  const url = await listen(server, options.port ?? 0);

  return {
    ...control,
    url,
    keyId,
    keySecret,
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
