import { createServer, type IncomingMessage, type Server } from "node:http";
import { z } from "zod";
import type { Random } from "#tests/random.ts";

const body = z.object({
  event: z.string(),
  payload: z.object({ payment: z.object({ entity: z.object({ id: z.string(), order_id: z.string() }) }) }),
});

interface Webhook {
  eventId: string;
  rawBody: string;
  headers: Record<string, string>;
  paymentId: string;
  orderId: string;
}

export type ProxyMode =
  /** Forwards every webhook. */
  | "forward"
  /** Refuses every webhook, so that the gateway repeats it. */
  | "reject";

export interface ProxyCounts {
  arrived: number;
  /** Lost: accepted from the gateway and not forwarded. */
  dropped: number;
  duplicated: number;
  delayed: number;
  /** Accepted by the shop and refused to the gateway, which repeats it. */
  lostResponses: number;
}

const MAX_DELAY_MS = 1_200;

export type WebhookProxy = Awaited<ReturnType<typeof startWebhookProxy>>;

/**
 * A proxy between the gateway and the shop that randomly drops, duplicates, delays and reorders webhooks, and drops
 * responses. Orders with a mode of their own are exempt.
 */
export async function startWebhookProxy(options: { shopUrl: string; random: Random }) {
  const { random } = options;
  const target = `${options.shopUrl}/webhooks/razorpay`;
  const modes = new Map<string, ProxyMode>();
  /** By order or event: what is lost once is lost at every retry. */
  const lost = new Map<string, boolean>();
  /** Payments with at least one webhook that is or will be forwarded. */
  const deliveredPaymentIds = new Set<string>();
  const counts: ProxyCounts = { arrived: 0, dropped: 0, duplicated: 0, delayed: 0, lostResponses: 0 };

  function isLost(id: string, share: number): boolean {
    const known = lost.get(id) ?? random.chance(share);
    lost.set(id, known);
    return known;
  }

  async function forward(webhook: Webhook): Promise<number> {
    const signal = AbortSignal.timeout(4_000);
    const sent = { method: "POST", headers: webhook.headers, body: webhook.rawBody, signal };
    const response = await fetch(target, sent).catch(() => undefined);
    await response?.body?.cancel().catch(() => undefined);
    return response?.status ?? 502;
  }

  async function handleWebhook(webhook: Webhook): Promise<number> {
    const { eventId, orderId, paymentId } = webhook;
    const mode = modes.get(orderId);
    if (mode === "reject") return 503;
    if (mode !== "forward" && (isLost(orderId, 0.1) || isLost(eventId, 0.15))) {
      counts.dropped++;
      return 200;
    }
    deliveredPaymentIds.add(paymentId);
    if (mode === "forward") return forward(webhook);
    if (random.chance(0.3)) {
      counts.delayed++;
      await pause(random.between(20, MAX_DELAY_MS));
    }
    if (random.chance(0.25)) {
      counts.duplicated++;
      const copies = Array.from({ length: random.between(1, 2) }, () => forward(webhook));
      await Promise.all(copies);
    }
    const status = await forward(webhook);
    if (status >= 300 || !random.chance(0.1)) return status;
    counts.lostResponses++;
    return 500;
  }

  const server = createServer((request, response) => {
    counts.arrived++;
    void readWebhook(request)
      .then(handleWebhook)
      .catch(() => 502)
      .then((status) => response.writeHead(status).end());
  });
  server.keepAliveTimeout = 60_000;
  return {
    url: await listen(server),
    counts,
    setMode: (orderId: string, mode: ProxyMode) => void modes.set(orderId, mode),
    /** Whether all webhooks of the payment are lost, so that the shop finds it by polling only. */
    isUndelivered: (paymentId: string) => !deliveredPaymentIds.has(paymentId),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readWebhook(request: IncomingMessage): Promise<Webhook> {
  let rawBody = "";
  for await (const chunk of request.setEncoding("utf8")) rawBody += chunk;
  const { id: paymentId, order_id: orderId } = body.parse(JSON.parse(rawBody)).payload.payment.entity;
  const names = ["content-type", "x-razorpay-signature", "x-razorpay-event-id"];
  const headers = Object.fromEntries(names.map((name) => [name, String(request.headers[name] ?? "")]));
  return { eventId: headers["x-razorpay-event-id"] ?? "", rawBody, headers, paymentId, orderId };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("the proxy has no port");
  return `http://127.0.0.1:${address.port}`;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
