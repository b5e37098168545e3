import { and, asc, eq, gt, inArray, isNull, lte, min, sql } from "drizzle-orm";
import { DAY, MINUTE } from "#core/time.ts";
import type { Database } from "#db/database.ts";
import { sandboxWebhooks } from "#db/tables/sandbox.ts";

export type WebhookRow = typeof sandboxWebhooks.$inferSelect;

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
export async function claimDue(db: Database, now: Date, limit: number): Promise<WebhookRow[]> {
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

export async function markDelivered(db: Database, id: string, now: Date): Promise<void> {
  await db.update(sandboxWebhooks).set({ deliveredAt: now }).where(eq(sandboxWebhooks.id, id));
}

export async function scheduleRetry(db: Database, webhook: WebhookRow, now: Date): Promise<void> {
  const nextTryAt = nextAttempt(webhook.tries, webhook.createdAt, now) ?? PARKED;
  await db.update(sandboxWebhooks).set({ nextTryAt }).where(eq(sandboxWebhooks.id, webhook.id));
}

/** Makes every waiting webhook due at a start, except those that another process may be delivering. */
export async function makeWaitingDue(db: Database, now: Date): Promise<void> {
  const claimed = new Date(now.getTime() + CLAIM_MS);
  await db
    .update(sandboxWebhooks)
    .set({ nextTryAt: now })
    .where(and(undelivered, gt(sandboxWebhooks.nextTryAt, claimed)));
}

export async function findEarliestAttempt(db: Database): Promise<Date | null> {
  const [row] = await db
    .select({ at: min(sandboxWebhooks.nextTryAt) })
    .from(sandboxWebhooks)
    .where(undelivered);
  return row?.at ?? null;
}
