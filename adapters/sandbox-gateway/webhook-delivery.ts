import { and, asc, eq, gt, inArray, isNull, lte, min, sql } from "drizzle-orm";
import type { Log } from "#core/context.ts";
import { type Clock, DAY, MINUTE } from "#core/time.ts";
import type { Database } from "#db/database.ts";
import { sandboxWebhooks } from "#db/tables/sandbox.ts";
import { createRequestSender } from "../razorpay/api-client.ts";
import { signWebhook } from "../razorpay/signatures.ts";

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

type WebhookRow = typeof sandboxWebhooks.$inferSelect;

const FIRST_RETRIES_MS = [1_000, 2_000, 5_000, 15_000, 60_000];
const LATER_RETRY_MS = 5 * MINUTE;
/** Longer than an attempt can take, so that no other process claims the webhook during it. */
const CLAIM_MS = 10_000;
/** When a webhook is due that could not be delivered for a day; a restart makes it due at once. */
const PARKED = new Date("9999-01-01T00:00:00Z");

/**
 * When to deliver a webhook again that was not accepted.
 *
 * @param attempts how often delivery was attempted, at least 1
 * @returns null after a day
 */
export function nextAttempt(attempts: number, createdAt: Date, now: Date): Date | null {
  if (now.getTime() - createdAt.getTime() >= DAY) return null;
  return new Date(now.getTime() + (FIRST_RETRIES_MS[attempts - 1] ?? LATER_RETRY_MS));
}

const undelivered = isNull(sandboxWebhooks.deliveredAt);

/**
 * Claims up to `limit` webhooks that are due. Other processes see them as not due for as long as an attempt can take.
 */
async function claimDue(db: Database, now: Date, limit: number): Promise<WebhookRow[]> {
  const due = db
    .select({ id: sandboxWebhooks.id })
    .from(sandboxWebhooks)
    .where(and(undelivered, lte(sandboxWebhooks.nextTryAt, now)))
    .orderBy(asc(sandboxWebhooks.nextTryAt), asc(sandboxWebhooks.createdAt))
    .limit(limit)
    .for("update", { skipLocked: true });
  return db
    .update(sandboxWebhooks)
    .set({
      nextTryAt: new Date(now.getTime() + CLAIM_MS),
      tries: sql`${sandboxWebhooks.tries} + 1`,
    })
    .where(inArray(sandboxWebhooks.id, due))
    .returning();
}

async function markDelivered(db: Database, id: string, now: Date): Promise<void> {
  await db.update(sandboxWebhooks).set({ deliveredAt: now }).where(eq(sandboxWebhooks.id, id));
}

async function scheduleRetry(db: Database, webhook: WebhookRow, now: Date): Promise<void> {
  const nextTryAt = nextAttempt(webhook.tries, webhook.createdAt, now) ?? PARKED;
  await db.update(sandboxWebhooks).set({ nextTryAt }).where(eq(sandboxWebhooks.id, webhook.id));
}

/**
 * At a start, makes webhooks due whose next try is more than a minute away. Nearer ones keep their time: another process,
 * whose clock may be ahead, may be delivering them.
 */
async function makeWaitingDue(db: Database, now: Date): Promise<void> {
  const soon = new Date(now.getTime() + MINUTE);
  await db
    .update(sandboxWebhooks)
    .set({ nextTryAt: now })
    .where(and(undelivered, gt(sandboxWebhooks.nextTryAt, soon)));
}

async function findEarliestAttempt(db: Database): Promise<Date | null> {
  const [row] = await db
    .select({ at: min(sandboxWebhooks.nextTryAt) })
    .from(sandboxWebhooks)
    .where(undelivered);
  return row?.at ?? null;
}

const ATTEMPT_TIMEOUT_MS = 5_000;

/** Sends a webhook once. @returns the status of the response; rejects without one */
export async function postWebhook(
  send: ReturnType<typeof createRequestSender>,
  address: string,
  { eventId, rawBody, signature }: { eventId: string | null; rawBody: string; signature: string },
): Promise<number> {
  const { status } = await send(address, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "user-agent": "Razorpay-Webhook/v1",
      "x-razorpay-signature": signature,
      ...(eventId === null ? {} : { "x-razorpay-event-id": eventId }),
    },
    body: rawBody,
    withinMs: ATTEMPT_TIMEOUT_MS,
  });
  return status;
}
