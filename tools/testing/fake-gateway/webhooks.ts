import { Agent, request } from "node:http";
import { createEvent, type Happening, hmac, isDelivered, type WebhookEvent } from "./events.ts";
import { shuffle } from "./shuffle.ts";

/** `at-once`: like the real one, with retries. `hold`: kept for `deliver`. `drop`: never sent by itself. */
export type WebhookMode = "at-once" | "hold" | "drop";

export interface DeliverOptions {
  order?: "as-happened" | "shuffled";
  /** How often each is sent. */
  times?: number;
  /** Of the shuffling; the same seed gives the same order. */
  seed?: number;
  /** How many are under way together. */
  parallel?: number;
  /** Also those the shop has taken already. */
  again?: boolean;
  eventIds?: string[];
}

export interface WebhookDelivery {
  eventId: string;
  /** Of the shop's answer; null for none. */
  status: number | null;
}

export type Webhooks = ReturnType<typeof createWebhooks>;

const TRY_TIMEOUT_MS = 5_000;
const AT_ONCE = 32;

export function createWebhooks(options: { now: () => number; retryPausesMs: readonly number[] }) {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const events: WebhookEvent[] = [];
  const timers = new Set<NodeJS.Timeout>();
  const idle: (() => void)[] = [];
  let settings = { url: "", secret: "", mode: "at-once" as WebhookMode };
  let unsettled = 0;

  let closed = false;

  function tell(happening: Happening): void {
    const event = createEvent(happening, { now: options.now(), secret: settings.secret });
    events.push(event);
    if (settings.mode !== "at-once" || settings.url === "") return;
    unsettled++;
    later(0, () => keepTrying(event, 0));
  }

  async function keepTrying(event: WebhookEvent, tried: number): Promise<void> {
    await send(event);
    // Switched off meanwhile: it stays for `deliver`.
    if (isDelivered(event) || settings.mode !== "at-once") return settle();
    const pauses = options.retryPausesMs;
    later(pauses[Math.min(tried, pauses.length - 1)] ?? 1_000, () => keepTrying(event, tried + 1));
  }

  function later(ms: number, work: () => Promise<void>): void {
    // A delivery that was under way would go on planning, and keep the process.
    if (closed) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      void work();
    }, ms);
    timers.add(timer);
  }

  function settle(): void {
    unsettled--;
    if (unsettled === 0) for (const wake of idle.splice(0)) wake();
  }

  async function send(event: WebhookEvent): Promise<number | null> {
    const { id: eventId, rawBody, signature } = event;
    const began = performance.now();
    const status = await post({ eventId, rawBody, signature });
    event.answers.push({ status, ms: performance.now() - began });
    return status;
  }

  /** Sends anything, such as a body that was tampered with. @returns the status of the answer; null for none */
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
      const sent = request(settings.url, { method: "POST", agent, headers, timeout: TRY_TIMEOUT_MS });
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

  /** Sends what the shop has not taken yet, once each unless told otherwise; what it refuses stays for the next call. */
  async function deliver(how: DeliverOptions = {}): Promise<WebhookDelivery[]> {
    const { order = "as-happened", times = 1, seed = 1, parallel = 1, again = false, eventIds } = how;
    const chosen = events.filter(
      (event) => (again || !isDelivered(event)) && (eventIds?.includes(event.id) ?? true),
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
    tell,
    /** All that happened, oldest first. */
    events: () => events,
    post,
    deliver,
    /** Where webhooks go and how they are signed from now on. */
    configure(change: { url?: string; secret?: string; mode?: WebhookMode }): void {
      settings = { ...settings, ...change };
    },
    sign: (rawBody: string) => hmac(rawBody, settings.secret),
    /** Resolves when nothing that is sent `at-once` is under way or waits for a retry. */
    settled: () => (unsettled === 0 ? Promise.resolve() : new Promise<void>((resolve) => idle.push(resolve))),
    clear(): void {
      events.length = 0;
      for (const timer of timers) {
        clearTimeout(timer);
        settle();
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
