import { and, asc, eq, gt, inArray, isNull, lte, min, sql } from "drizzle-orm";
import type { Database } from "#db/database.ts";
import { sandboxWebhooks } from "#db/tables/sandbox.ts";
import { nextTry } from "./backoff.ts";

export type WebhookRow = typeof sandboxWebhooks.$inferSelect;

/** Longer than one try can take, so a claimed webhook is nobody else's until its try has ended. */
const CLAIM_MS = 10_000;
/** Where a webhook waits that a day of tries did not deliver. */
const PARKED = new Date("9999-01-01T00:00:00Z");

const undelivered = isNull(sandboxWebhooks.deliveredAt);

/** Takes up to `limit` webhooks that are due. Other processes see them as not due for as long as a try can take. */
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
    .set({ nextTryAt: new Date(now.getTime() + CLAIM_MS), tries: sql`${sandboxWebhooks.tries} + 1` })
    .where(inArray(sandboxWebhooks.id, due))
    .returning();
}

export async function markDelivered(db: Database, id: string, now: Date): Promise<void> {
  await db.update(sandboxWebhooks).set({ deliveredAt: now }).where(eq(sandboxWebhooks.id, id));
}

export async function scheduleRetry(db: Database, webhook: WebhookRow, now: Date): Promise<void> {
  const nextTryAt = nextTry(webhook.tries, webhook.createdAt, now) ?? PARKED;
  await db.update(sandboxWebhooks).set({ nextTryAt }).where(eq(sandboxWebhooks.id, webhook.id));
}

/** At a start: what waited for the old process is due now, but for what another process may be trying at this moment. */
export async function makeWaitingDue(db: Database, now: Date): Promise<void> {
  const claimed = new Date(now.getTime() + CLAIM_MS);
  await db
    .update(sandboxWebhooks)
    .set({ nextTryAt: now })
    .where(and(undelivered, gt(sandboxWebhooks.nextTryAt, claimed)));
}

export async function earliestTry(db: Database): Promise<Date | null> {
  const [row] = await db
    .select({ at: min(sandboxWebhooks.nextTryAt) })
    .from(sandboxWebhooks)
    .where(undelivered);
  return row?.at ?? null;
}
