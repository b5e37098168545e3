import type { Log } from "#core/context.ts";
import type { Clock } from "#core/time.ts";
import type { Database } from "#db/database.ts";
import { signWebhook } from "../razorpay/signatures.ts";
import {
  claimDue,
  earliestTry,
  makeWaitingDue,
  markDelivered,
  scheduleRetry,
  type WebhookRow,
} from "./webhook-claims.ts";

const AT_ONCE = 8;
const TRY_TIMEOUT_MS = 5_000;
/** How long webhooks queued by another process may stay unseen, and the pause after a fault of the database. */
const LOOK_AGAIN_MS = 15_000;
const FAULT_PAUSE_MS = 1_000;
/** Something due that was not claimed is being claimed by another process. */
const SHORTEST_PAUSE_MS = 20;

export interface DeliveryOptions {
  db: Database;
  clock: Clock;
  log: Log;
  webhookSecret: string;
  /** The absolute address that takes webhooks; asked for at every try. */
  deliverTo: () => string;
}

export interface WebhookDelivery {
  start(): void;
  /** Resolves when the tries under way have ended (5 s at most); the rest stays stored. */
  stop(): Promise<void>;
  /** Something new may be due. */
  wake(): void;
}

/** Hands stored webhooks to the shop until it took them: in this process, and safely beside others on one database. */
export function createWebhookDelivery(options: DeliveryOptions): WebhookDelivery {
  const { db, clock, log } = options;
  const underWay = new Set<Promise<void>>();
  const alarm = createAlarm();
  let running = false;
  let loop: Promise<void> = Promise.resolve();

  async function claimAndDeliver(): Promise<number> {
    const claimed = await claimDue(db, clock.now(), AT_ONCE - underWay.size);
    for (const webhook of claimed) {
      const one = deliver(options, webhook).finally(() => {
        underWay.delete(one);
        alarm.ring();
      });
      underWay.add(one);
    }
    return claimed.length;
  }

  async function run(): Promise<void> {
    let restarted = false;
    while (running) {
      try {
        if (!restarted) await makeWaitingDue(db, clock.now());
        restarted = true;
        const claimed = underWay.size < AT_ONCE ? await claimAndDeliver() : 0;
        if (claimed === 0) await alarm.wait(await pauseUntilNext(db, clock, underWay.size));
      } catch (error) {
        log.warn({ err: error }, "sandbox webhooks: the database did not answer");
        await alarm.wait(FAULT_PAUSE_MS);
      }
    }
    await Promise.all(underWay);
  }

  return {
    start() {
      if (running) return;
      running = true;
      loop = loop.then(run);
    },
    async stop() {
      running = false;
      alarm.ring();
      await loop;
    },
    wake: alarm.ring,
  };
}

async function deliver({ db, clock, log, ...options }: DeliveryOptions, webhook: WebhookRow): Promise<void> {
  const refusal = await post(options, webhook);
  try {
    if (refusal === null) return await markDelivered(db, webhook.id, clock.now());
    const facts = { webhookId: webhook.id, event: webhook.event, tries: webhook.tries, refusal };
    log.warn(facts, "sandbox webhook not taken");
    await scheduleRetry(db, webhook, clock.now());
  } catch (error) {
    // Its claim runs out by itself, and then it is tried again.
    log.warn({ err: error, webhookId: webhook.id }, "sandbox webhook: its try was not noted");
  }
}

/** @returns null when the webhook was taken, else why not */
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
      signal: AbortSignal.timeout(TRY_TIMEOUT_MS),
    });
    await response.body?.cancel();
    return response.ok ? null : `answered ${response.status}`;
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : "no answer";
  }
}

async function pauseUntilNext(db: Database, clock: Clock, underWay: number): Promise<number> {
  const next = await earliestTry(db);
  if (next === null || underWay >= AT_ONCE) return LOOK_AGAIN_MS;
  return Math.min(LOOK_AGAIN_MS, Math.max(SHORTEST_PAUSE_MS, next.getTime() - clock.now().getTime()));
}

/** A pause that can be ended early. A ring while nobody waits ends the next wait, so that none is missed. */
function createAlarm() {
  let rung = false;
  let end: (() => void) | undefined;
  return {
    ring: () => {
      rung = true;
      end?.();
    },
    async wait(ms: number): Promise<void> {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          end = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      rung = false;
      end = undefined;
    },
  };
}
