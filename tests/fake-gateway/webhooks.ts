import { createRequestSender } from "#adapters/razorpay/api-client.ts";
import { signWebhook } from "#adapters/razorpay/signatures.ts";
import { type GatewayEvent, newId } from "#adapters/sandbox-gateway/entities.ts";
import { postWebhook } from "#adapters/sandbox-gateway/webhook-delivery.ts";

/** One webhook as it is sent: a snapshot of the time of the event. */
export interface WebhookEvent {
  /** Sent as x-razorpay-event-id, the same at every delivery. */
  id: string;
  type: GatewayEvent["event"];
  orderId: string;
  paymentId: string;
  rawBody: string;
  /** Made with the secret at the time of the event. As at the real gateway, retries keep it when the secret changes. */
  signature: string;
  /** One per delivery: the status (null without a response) and the duration. */
  responses: { status: number | null; ms: number }[];
}

export const isDelivered = ({ responses }: WebhookEvent) =>
  responses.some(({ status }) => status !== null && status >= 200 && status < 300);

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

/** The webhooks of the fake gateway: what the shop receives of them, when, and in which order. */
export function createWebhooks(options: { retryPausesMs: readonly number[] }) {
  const request = createRequestSender("http://localhost");
  const events: WebhookEvent[] = [];
  const timers = new Set<NodeJS.Timeout>();
  const idleWaiters: (() => void)[] = [];
  let settings = { url: "", secret: "", mode: "at-once" as WebhookMode };
  let inProgress = 0;

  let closed = false;

  function emit({ event: type, payment }: GatewayEvent, rawBody: string): void {
    const event: WebhookEvent = {
      id: newId("evt"),
      type,
      orderId: payment.orderId,
      paymentId: payment.id,
      rawBody,
      signature: signWebhook(rawBody, settings.secret),
      responses: [],
    };
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
    const { rawBody, signature = signWebhook(rawBody, settings.secret), eventId = null } = message;
    return postWebhook(request, settings.url, { eventId, rawBody, signature }).catch(() => null);
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
