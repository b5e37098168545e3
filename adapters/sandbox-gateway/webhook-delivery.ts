import type { Log } from "#core/context.ts";
import type { Clock } from "#core/time.ts";
import type { Database } from "#db/database.ts";
import { signWebhook } from "../razorpay/signatures.ts";
import {
  claimDue,
  findEarliestAttempt,
  makeWaitingDue,
  markDelivered,
  scheduleRetry,
  type WebhookRow,
} from "./webhook-claims.ts";

const MOST_AT_ONCE = 8;
const ATTEMPT_TIMEOUT_MS = 5_000;
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
  /** Returns the absolute address of the webhook endpoint; called at every attempt. */
  deliverTo: () => string;
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
  const inProgress = new Set<Promise<void>>();
  const sleep = createInterruptibleSleep();
  let running = false;
  let loop: Promise<void> = Promise.resolve();

  async function claimAndDeliver(): Promise<number> {
    const claimed = await claimDue(db, clock.now(), MOST_AT_ONCE - inProgress.size);
    for (const webhook of claimed) {
      const one = deliver(options, webhook).finally(() => {
        inProgress.delete(one);
        sleep.wake();
      });
      inProgress.add(one);
    }
    return claimed.length;
  }

  async function run(): Promise<void> {
    let restarted = false;
    while (running) {
      try {
        if (!restarted) await makeWaitingDue(db, clock.now());
        restarted = true;
        const claimed = inProgress.size < MOST_AT_ONCE ? await claimAndDeliver() : 0;
        if (claimed === 0) await sleep.wait(await pauseUntilNext(db, clock, inProgress.size));
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

async function deliver({ db, clock, log, ...options }: DeliveryOptions, webhook: WebhookRow): Promise<void> {
  const refusal = await post(options, webhook);
  try {
    if (refusal === null) return await markDelivered(db, webhook.id, clock.now());
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
}

/** @returns null when the shop accepted the webhook, else the reason why not */
async function post(
  { webhookSecret, deliverTo }: Pick<DeliveryOptions, "webhookSecret" | "deliverTo">,
  webhook: WebhookRow,
): Promise<string | null> {
  try {
    const response = await fetch(deliverTo(), {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-razorpay-signature": signWebhook(webhook.body, webhookSecret),
        "x-razorpay-event-id": webhook.id,
      },
      body: webhook.body,
      redirect: "manual",
      signal: AbortSignal.timeout(ATTEMPT_TIMEOUT_MS),
    });
    await response.body?.cancel();
    return response.ok ? null : `answered ${response.status}`;
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : "no response";
  }
}

async function pauseUntilNext(db: Database, clock: Clock, inProgress: number): Promise<number> {
  const next = await findEarliestAttempt(db);
  if (next === null || inProgress >= MOST_AT_ONCE) return POLL_MS;
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
