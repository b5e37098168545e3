import { createServer, type Server } from "node:http";
import { createApi } from "./api.ts";
import { createBooks } from "./books.ts";
import { serveCheckout } from "./checkout.ts";
import { type Control, createControl } from "./control.ts";
import { createFaults, type Faults } from "./faults.ts";
import { sendJson } from "./http.ts";
import { createLedger } from "./ledger.ts";
import { errorBody, Refusal } from "./refusal.ts";
import { serveApi } from "./serve-api.ts";
import { serveControl } from "./serve-control.ts";
import { createWebhooks, type Webhooks } from "./webhooks.ts";

export interface FakeGatewayOptions {
  /** Any free one when unset. */
  port?: number;
  keyId?: string;
  keySecret?: string;
  webhookSecret?: string;
  /** Where webhooks go; nowhere when unset, but they are written down all the same. */
  webhookUrl?: string;
  /** Pauses before a webhook that was not taken is sent again; the last one goes on for ever. */
  webhookRetryPausesMs?: readonly number[];
  /** Refuse an order for a receipt that was used; the real gateway does so only for accounts that asked for it. */
  uniqueReceipts?: boolean;
  /** Milliseconds, for what the gateway says of its own times. */
  now?: () => number;
}

export interface FakeGateway extends Control {
  /** What RAZORPAY_API_URL is to be set to. */
  url: string;
  keyId: string;
  keySecret: string;
  webhooks: Webhooks;
  faults: Faults;
  close(): Promise<void>;
}

/**
 * Razorpay as the shop uses it, as a real HTTP server on loopback with books of its own in memory: its API, its
 * webhooks, its checkout in the browser, and everything that can go wrong with them. Written from what is published of
 * the real one, apart from the sandbox gateway, so that the two can be held against each other.
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
  const books = createBooks();
  let holdsRefunds = false;
  const ledger = createLedger({ books, now, tell: webhooks.tell, holdsRefunds: () => holdsRefunds });
  const control = createControl({
    books,
    ledger,
    keySecret,
    setHoldsRefunds: (holds) => {
      holdsRefunds = holds;
    },
  });

  const api = serveApi({
    api: createApi({ books, ledger, uniqueReceipts: options.uniqueReceipts ?? false }),
    faults,
    keyId,
    keySecret,
  });
  const checkout = serveCheckout({ books, control, keyId });
  const steering = serveControl({ control, webhooks, faults });
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://fake-gateway");
    const serve = url.pathname.startsWith("/control/") ? steering : (checkout.serves(url) ?? api);
    serve(request, response, url).catch((error: unknown) => {
      if (error instanceof Refusal) return sendJson(response, error.status, errorBody(error.message));
      sendJson(response, 500, errorBody(String(error), null, "SERVER_ERROR"));
    });
  });
  // Else a connection the shop kept for its next request would be cut under it.
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
