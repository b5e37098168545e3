import type { Log } from "#core/context.ts";
import type { Clock } from "#core/time.ts";
import type { Database } from "#db/database.ts";
import { createRequestSender } from "../razorpay/send-request.ts";
import { signWebhook } from "../razorpay/signatures.ts";
import { postWebhook } from "./post-webhook.ts";
import {
  claimDue,
  findEarliestAttempt,
  makeWaitingDue,
  markDelivered,
  scheduleRetry,
  type WebhookRow,
} from "./webhook-claims.ts";

const MAX_AT_ONCE = 8;
/** The longest time until webhooks that another process queued are found. */
const POLL_MS = 15_000;
const FAULT_PAUSE_MS = 1_000;
/** A due webhook that could not be claimed is being claimed by another process. */
const SHORTEST_PAUSE_MS = 20;

export interface DeliveryOptions {
  db: Database;
  clock: Clock;
  log: Log;
  webhookSecret: string;
  /** Returns the absolute http: address of the webhook endpoint; called at every attempt. */
  deliverTo: () => string;
}

interface Delivery extends DeliveryOptions {
  send: ReturnType<typeof createRequestSender>;
}

export interface WebhookDelivery {
  start(): void;
  /** Resolves when the attempts in progress have ended (5 s at most). Other webhooks stay stored. */
  stop(): Promise<void>;
  /** Looks for due webhooks at once. */
  wake(): void;
}

/** Delivers stored webhooks to the shop until it accepts them. Several processes may do so on one database. */
export function createWebhookDelivery(options: DeliveryOptions): WebhookDelivery {
  const { db, clock, log } = options;
  const send = createRequestSender("http://localhost");
  const inProgress = new Set<Promise<void>>();
  const sleep = createInterruptibleSleep();
  let running = false;
  let loop: Promise<void> = Promise.resolve();

  /** @returns whether more webhooks may be due than were claimed */
  async function claimAndDeliver(): Promise<boolean> {
    const free = MAX_AT_ONCE - inProgress.size;
    const claimed = free > 0 ? await claimDue(db, clock.now(), free) : [];
    for (const webhook of claimed) {
      const one = deliver({ ...options, send }, webhook).then((delivered) => {
        // The loop waits for room, or does not know yet when a refused webhook is due again.
        if (inProgress.size === MAX_AT_ONCE || !delivered) sleep.wake();
        inProgress.delete(one);
      });
      inProgress.add(one);
    }
    return claimed.length === free;
  }

  async function run(): Promise<void> {
    let restarted = false;
    while (running) {
      try {
        if (!restarted) await makeWaitingDue(db, clock.now());
        restarted = true;
        const mayBeMore = await claimAndDeliver();
        if (inProgress.size === MAX_AT_ONCE) await sleep.wait(POLL_MS);
        else if (!mayBeMore) await sleep.wait(await pauseUntilNext(db, clock));
      } catch (error) {
        log.warn({ err: error }, "sandbox webhooks could not be delivered: the database did not answer");
        await sleep.wait(FAULT_PAUSE_MS);
      }
    }
    await Promise.all(inProgress);
  }

  return {
    start() {
      if (running) return;
      running = true;
      loop = loop.then(run);
    },
    async stop() {
      running = false;
      sleep.wake();
      await loop;
    },
    wake: sleep.wake,
  };
}

/** @returns whether the shop accepted the webhook and this is stored */
async function deliver({ db, clock, log, ...options }: Delivery, webhook: WebhookRow): Promise<boolean> {
  const refusal = await post(options, webhook);
  try {
    if (refusal === null) {
      await markDelivered(db, webhook.id, clock.now());
      return true;
    }
    const facts = { webhookId: webhook.id, event: webhook.event, tries: webhook.tries, refusal };
    log.warn(facts, "sandbox webhook not accepted");
    await scheduleRetry(db, webhook, clock.now());
  } catch (error) {
    // The claim expires, and then the webhook is delivered again.
    log.warn(
      { err: error, webhookId: webhook.id },
      "sandbox webhook: the result of the delivery could not be stored",
    );
  }
  return false;
}

/** @returns null when the shop accepted the webhook, else the reason why not */
async function post(
  { webhookSecret, deliverTo, send }: Pick<Delivery, "webhookSecret" | "deliverTo" | "send">,
  { id: eventId, body: rawBody }: WebhookRow,
): Promise<string | null> {
  try {
    const signature = signWebhook(rawBody, webhookSecret);
    const status = await postWebhook(send, deliverTo(), { eventId, rawBody, signature });
    return status >= 200 && status < 300 ? null : `answered ${status}`;
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : "no response";
  }
}

async function pauseUntilNext(db: Database, clock: Clock): Promise<number> {
  const next = await findEarliestAttempt(db);
  if (next === null) return POLL_MS;
  return Math.min(POLL_MS, Math.max(SHORTEST_PAUSE_MS, next.getTime() - clock.now().getTime()));
}

/** A pause that `wake` ends early. A `wake` outside of a pause ends the next one, so that none is lost. */
function createInterruptibleSleep() {
  let isWoken = false;
  let end: (() => void) | undefined;
  return {
    wake: () => {
      isWoken = true;
      end?.();
    },
    async wait(ms: number): Promise<void> {
      if (!isWoken) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          end = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      isWoken = false;
      end = undefined;
    },
  };
}
