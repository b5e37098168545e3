import { Agent, request } from "node:http";
import { createEvent, type GatewayEvent, hmac, isDelivered, type WebhookEvent } from "./webhook-event.ts";

/**
 * `at-once`: sent with retries, like the real gateway. `hold`: kept for `deliver`. `drop`: recorded, sent by `deliver`
 * only.
 */
export type WebhookMode = "at-once" | "hold" | "drop";

export interface DeliverOptions {
  order?: "chronological" | "shuffled";
  /** How often each event is sent. */
  times?: number;
  /** For shuffling; the same seed gives the same order. */
  seed?: number;
  /** How many are sent in parallel. */
  parallel?: number;
  /** Also the events that the shop has accepted. */
  includeDelivered?: boolean;
  eventIds?: string[];
}

export interface WebhookDelivery {
  eventId: string;
  /** Null without a response. */
  status: number | null;
}

export type Webhooks = ReturnType<typeof createWebhooks>;

const ATTEMPT_TIMEOUT_MS = 5_000;
const MAX_SOCKETS = 32;

export function createWebhooks(options: { now: () => number; retryPausesMs: readonly number[] }) {
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_SOCKETS });
  const events: WebhookEvent[] = [];
  const timers = new Set<NodeJS.Timeout>();
  const idleWaiters: (() => void)[] = [];
  let settings = { url: "", secret: "", mode: "at-once" as WebhookMode };
  let inProgress = 0;

  let closed = false;

  function emit(gatewayEvent: GatewayEvent): void {
    const event = createEvent(gatewayEvent, { now: options.now(), secret: settings.secret });
    events.push(event);
    if (settings.mode !== "at-once" || settings.url === "") return;
    inProgress++;
    schedule(0, () => deliverWithRetries(event, 0));
  }

  async function deliverWithRetries(event: WebhookEvent, attempts: number): Promise<void> {
    await send(event);
    // After a change of mode the event stays for `deliver`.
    if (isDelivered(event) || settings.mode !== "at-once") return finishDelivery();
    const pauses = options.retryPausesMs;
    schedule(pauses[Math.min(attempts, pauses.length - 1)] ?? 1_000, () =>
      deliverWithRetries(event, attempts + 1),
    );
  }

  function schedule(ms: number, work: () => Promise<void>): void {
    // A delivery in progress would schedule its next attempt and keep the process alive.
    if (closed) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      void work();
    }, ms);
    timers.add(timer);
  }

  function finishDelivery(): void {
    inProgress--;
    if (inProgress === 0) for (const resolve of idleWaiters.splice(0)) resolve();
  }

  async function send(event: WebhookEvent): Promise<number | null> {
    const { id: eventId, rawBody, signature } = event;
    const began = performance.now();
    const status = await post({ eventId, rawBody, signature });
    event.responses.push({ status, ms: performance.now() - began });
    return status;
  }

  /** Sends any message, such as a forged one. @returns the status of the response, or null */
  function post(message: {
    rawBody: string;
    signature?: string;
    eventId?: string | null;
  }): Promise<number | null> {
    if (settings.url === "") return Promise.resolve(null);
    const { rawBody, signature = hmac(rawBody, settings.secret), eventId = null } = message;
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(rawBody),
      "user-agent": "Razorpay-Webhook/v1",
      "x-razorpay-signature": signature,
      ...(eventId === null ? {} : { "x-razorpay-event-id": eventId }),
    };
    return new Promise((resolve) => {
      const sent = request(settings.url, { method: "POST", agent, headers, timeout: ATTEMPT_TIMEOUT_MS });
      sent.on("response", (response) => {
        response.on("error", () => resolve(null));
        response.on("end", () => resolve(response.statusCode ?? null));
        response.resume();
      });
      sent.on("timeout", () => sent.destroy());
      sent.on("error", () => resolve(null));
      sent.end(rawBody);
    });
  }

  /** Sends the events that the shop has not accepted yet. Refused ones stay for the next call. */
  async function deliver(deliverOptions: DeliverOptions = {}): Promise<WebhookDelivery[]> {
    const {
      order = "chronological",
      times = 1,
      seed = 1,
      parallel = 1,
      includeDelivered = false,
      eventIds,
    } = deliverOptions;
    const chosen = events.filter(
      (event) => (includeDelivered || !isDelivered(event)) && (eventIds?.includes(event.id) ?? true),
    );
    const copies = Array.from({ length: times }, () => chosen).flat();
    const queue = order === "shuffled" ? shuffle(copies, seed) : copies;
    const deliveries: WebhookDelivery[] = [];
    const worker = async () => {
      for (let event = queue.shift(); event; event = queue.shift()) {
        deliveries.push({ eventId: event.id, status: await send(event) });
      }
    };
    await Promise.all(Array.from({ length: parallel }, worker));
    return deliveries;
  }

  return {
    emit,
    /** All events, oldest first. */
    events: () => events,
    post,
    deliver,
    /** Applies to all later events. */
    configure(change: { url?: string; secret?: string; mode?: WebhookMode }): void {
      settings = { ...settings, ...change };
    },
    sign: (rawBody: string) => hmac(rawBody, settings.secret),
    /** Resolves when no `at-once` delivery is in progress or waits for a retry. */
    untilIdle: () =>
      inProgress === 0 ? Promise.resolve() : new Promise<void>((resolve) => idleWaiters.push(resolve)),
    clear(): void {
      events.length = 0;
      for (const timer of timers) {
        clearTimeout(timer);
        finishDelivery();
      }
      timers.clear();
    },
    close(): void {
      closed = true;
      for (const timer of timers) clearTimeout(timer);
      agent.destroy();
    },
  };
}

/** The same seed always gives the same order. */
export function shuffle<Item>(items: readonly Item[], seed: number): Item[] {
  const random = seededRandom(seed);
  const keyed = items.map((item) => ({ item, key: random() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}

/** Mulberry32: numbers from 0 to 1, good enough for shuffling. */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
