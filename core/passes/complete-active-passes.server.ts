import { and, asc, eq, gt, inArray, isNotNull, sql } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { requireSystem } from "../authorise.ts";
import type { Context } from "../context.ts";
import { storedStatus } from "./purchase-states.ts";

/** Small, so that the locks of one transaction are held briefly. */
const PASSES_AT_ONCE = 500;

/** Ids are greater. */
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

/**
 * Stores the passes as completed that an older version has stored as 'active', and remembers what they were called. Each part is
 * one transaction, so a process that is killed leaves the rest to the next start, and so is a row that somebody else has locked.
 * A purchase without both times stays as it is, because a completed one has them.
 *
 * @param signal ends it after the part in progress
 * @throws DomainError 'forbidden'
 */
export async function completeActivePasses(ctx: Context, signal: AbortSignal): Promise<void> {
  requireSystem(ctx);
  let after: string | undefined = FIRST_ID;
  while (after !== undefined && !signal.aborted) {
    const last: string = after;
    after = await inTransaction(ctx.db, (tx) => completeNext(tx, last));
  }
}

/** @returns the id of the last pass of this part; undefined when no further part is left */
async function completeNext(tx: Transaction, after: string): Promise<string | undefined> {
  const { id, status, startsAt, expiresAt, updatedAt } = userPurchases;
  const rows = await tx
    .select({ id })
    .from(userPurchases)
    .where(and(eq(status, "active"), isNotNull(startsAt), isNotNull(expiresAt), gt(id, after)))
    .orderBy(asc(id))
    .limit(PASSES_AT_ONCE)
    // Waiting for a purchase while others are locked could end in a deadlock.
    .for("update", { skipLocked: true });
  if (rows.length === 0) return undefined;
  const ids = rows.map((row) => row.id);
  await tx
    .update(userPurchases)
    .set({ ...storedStatus("active"), updatedAt: sql`${updatedAt}` })
    .where(inArray(id, ids));
  changed(tx, userPurchases);
  return ids.at(-1);
}
