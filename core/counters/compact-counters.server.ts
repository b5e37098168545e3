import { inTransaction } from "#db/transaction.ts";
import { requireSystem } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DAY } from "../time.ts";
import { addUpChanges, lockCompaction, mergeOldBuckets } from "./queries.server.ts";

/** A process whose clock is behind may still ask for the quarters of an hour of yesterday. */
export const PASSES_KEPT_MS = DAY;
/** Long enough for a chart of three months. Every reader of the revenue adds these up. */
export const PAYMENTS_KEPT_MS = 100 * DAY;

/**
 * Adds up the changes of the counters, so that reading them stays fast. It changes no value. Two runs at once do not
 * wait for each other: the second does nothing.
 *
 * @returns how many changes were added up
 * @throws DomainError forbidden
 */
export async function compactCounters(ctx: Context): Promise<{ changes: number }> {
  requireSystem(ctx);
  const now = ctx.clock.now().getTime();
  const changes = await inTransaction(ctx.db, async (tx) => {
    if (!(await lockCompaction(tx))) return 0;
    await mergeOldBuckets(tx, {
      passesBefore: new Date(now - PASSES_KEPT_MS),
      paymentsBefore: new Date(now - PAYMENTS_KEPT_MS),
    });
    return addUpChanges(tx);
  });
  return { changes };
}
