import { and, eq, exists, gt, inArray, ne, sql } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { type Purchase, userPurchases } from "#db/tables/purchases.ts";
import type { Context } from "../context.ts";
import { acceptsTestPasses } from "../entitlements/pass-validity.server.ts";
import { DomainError } from "../errors.ts";
import { limitKeyOfAddress } from "../network.ts";
import { HOLDS_PER_ACCOUNT, HOLDS_PER_ADDRESS, STARTS_PER_ACCOUNT, STARTS_WINDOW_MS } from "./limits.ts";

export interface Buyer {
  userId: string;
  hasBought: boolean;
}

/**
 * Locks the buyer's account row. It is the first lock of every checkout, so that starts of one buyer, and the deletion
 * of the account, wait for each other.
 *
 * @throws DomainError unauthenticated, user-disabled
 */
export async function lockBuyer(ctx: Context, tx: Transaction, userId: string): Promise<Buyer> {
  const bought = tx
    .select({ one: sql`1` })
    .from(userPurchases)
    .where(
      and(
        eq(userPurchases.userId, users.id),
        eq(userPurchases.source, "checkout"),
        inArray(userPurchases.status, ["completed", "active"]),
        gt(userPurchases.amountPaise, 0),
        acceptsTestPasses(ctx) ? undefined : eq(userPurchases.testMode, false),
      ),
    );
  const [buyer] = await tx
    .select({
      isActive: users.isActive,
      deletedAt: users.deletedAt,
      hasBought: exists(bought).mapWith(Boolean),
    })
    .from(users)
    .where(eq(users.id, userId))
    .for("no key update");
  if (!buyer || buyer.deletedAt) throw new DomainError("unauthenticated");
  if (!buyer.isActive) throw new DomainError("user-disabled");
  return { userId, hasBought: buyer.hasBought };
}

/**
 * Refuses a checkout above the limit of this account, or of this address.
 *
 * @param input.others the account's other open checkouts
 * @param input.replacedId the checkout that the new one replaces
 * @returns the network to store on the purchase, so that later checkouts count it; null for a buyer who is not counted
 * @throws DomainError too-many-checkouts, checkouts-too-fast, too-many-checkouts-here
 */
export async function checkHoldLimits(
  ctx: Context,
  tx: Transaction,
  input: { others: readonly Purchase[]; buyer: Buyer; replacedId: string | null },
): Promise<string | null> {
  const now = ctx.clock.now();
  const open = input.others.filter(({ holdEndsAt }) => holdEndsAt !== null && holdEndsAt > now);
  if (open.length >= HOLDS_PER_ACCOUNT) {
    throw new DomainError("too-many-checkouts", { limit: HOLDS_PER_ACCOUNT });
  }
  const network = input.buyer.hasBought ? null : networkToCount(ctx);
  // Without the lock, parallel starts would not count each other.
  if (network) {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`holds from ${network}`}, 0))`);
  }
  const counts = await countHolds(tx, {
    userId: input.buyer.userId,
    replacedId: input.replacedId,
    network,
    now,
  });
  if (counts.recentStarts >= STARTS_PER_ACCOUNT) throw new DomainError("checkouts-too-fast");
  const limit = Math.max(1, Math.round(HOLDS_PER_ADDRESS * ctx.store.perAddressFactor));
  if (network && counts.onNetwork >= limit) throw new DomainError("too-many-checkouts-here");
  return network;
}

function networkToCount(ctx: Context): string | null {
  return ctx.browser && ctx.store.perAddressFactor > 0 ? limitKeyOfAddress(ctx.browser.ipAddress) : null;
}

/** Counts after the locks: a statement that waits for a lock would count rows as they were before it. */
async function countHolds(
  tx: Transaction,
  by: { userId: string; replacedId: string | null; network: string | null; now: Date },
): Promise<{ recentStarts: number; onNetwork: number }> {
  const recentStarts = tx.$count(
    userPurchases,
    and(
      eq(userPurchases.userId, by.userId),
      eq(userPurchases.source, "checkout"),
      gt(userPurchases.createdAt, new Date(by.now.getTime() - STARTS_WINDOW_MS)),
    ),
  );
  const onNetwork = tx.$count(
    userPurchases,
    and(
      eq(userPurchases.holdNetwork, by.network ?? ""),
      eq(userPurchases.status, "pending"),
      gt(userPurchases.holdEndsAt, by.now),
      by.replacedId ? ne(userPurchases.id, by.replacedId) : undefined,
    ),
  );
  const [counts] = await tx
    .select({ recentStarts, onNetwork: by.network ? onNetwork : sql<number>`0`.mapWith(Number) })
    .from(sql`(values (1)) one`);
  return counts ?? { recentStarts: 0, onNetwork: 0 };
}
