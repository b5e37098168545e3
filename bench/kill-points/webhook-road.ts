import { createServer, type IncomingMessage, type Server } from "node:http";
import { z } from "zod";
import type { Random } from "../../tools/testing/random.ts";

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

export type Treatment =
  /** Straight through. */
  | "straight"
  /** Refused until freed, so that the gateway sends it again and again. */
  | "held";

export interface RoadCounts {
  arrived: number;
  /** Swallowed for ever: the gateway was told that the shop has it. */
  dropped: number;
  duplicated: number;
  delayed: number;
  /** The shop has it, the gateway was told otherwise and sends it again. */
  answersLost: number;
}

const LATEST_MS = 1_200;

export type WebhookRoad = Awaited<ReturnType<typeof openWebhookRoad>>;

/**
 * The road between the gateway and the shop: on it webhooks get lost, doubled, late, out of order, or their answers do,
 * as the random numbers will. Orders with a treatment of their own are spared that.
 */
export async function openWebhookRoad(options: { shopUrl: string; random: Random }) {
  const { random } = options;
  const target = `${options.shopUrl}/webhooks/razorpay`;
  const treatments = new Map<string, Treatment>();
  /** By order or by event: what is lost once is lost at every further try too. */
  const lost = new Map<string, boolean>();
  /** Payments of which the shop has been, or will be, told at least once. */
  const told = new Set<string>();
  const counts: RoadCounts = { arrived: 0, dropped: 0, duplicated: 0, delayed: 0, answersLost: 0 };

  function isLost(id: string, share: number): boolean {
    const known = lost.get(id) ?? random.chance(share);
    lost.set(id, known);
    return known;
  }

  async function forward(webhook: Webhook): Promise<number> {
    const signal = AbortSignal.timeout(4_000);
    const sent = { method: "POST", headers: webhook.headers, body: webhook.rawBody, signal };
    const answer = await fetch(target, sent).catch(() => undefined);
    await answer?.body?.cancel().catch(() => undefined);
    return answer?.status ?? 502;
  }

  async function travel(webhook: Webhook): Promise<number> {
    const { eventId, orderId, paymentId } = webhook;
    const treatment = treatments.get(orderId);
    if (treatment === "held") return 503;
    if (treatment !== "straight" && (isLost(orderId, 0.1) || isLost(eventId, 0.15))) {
      counts.dropped++;
      return 200;
    }
    told.add(paymentId);
    if (treatment === "straight") return forward(webhook);
    if (random.chance(0.3)) {
      counts.delayed++;
      await pause(random.between(20, LATEST_MS));
    }
    if (random.chance(0.25)) {
      counts.duplicated++;
      const copies = Array.from({ length: random.between(1, 2) }, () => forward(webhook));
      await Promise.all(copies);
    }
    const status = await forward(webhook);
    if (status >= 300 || !random.chance(0.1)) return status;
    counts.answersLost++;
    return 500;
  }

  const server = createServer((request, response) => {
    counts.arrived++;
    void readWebhook(request)
      .then(travel)
      .catch(() => 502)
      .then((status) => response.writeHead(status).end());
  });
  server.keepAliveTimeout = 60_000;
  return {
    url: await listen(server),
    counts,
    treat: (orderId: string, treatment: Treatment) => void treatments.set(orderId, treatment),
    /** Whether every webhook of the payment was swallowed: only the shop's own questions can find it. */
    isUntold: (paymentId: string) => !told.has(paymentId),
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
  if (typeof address !== "object" || !address) throw new Error("the road has no port");
  return `http://127.0.0.1:${address.port}`;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
