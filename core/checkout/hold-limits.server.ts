import { and, eq, exists, gt, inArray, sql } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { networkOf } from "../network.ts";
import { HOLDS_PER_ACCOUNT, HOLDS_PER_ADDRESS, STARTS_PER_ACCOUNT, STARTS_WINDOW_MS } from "./limits.ts";
import type { Purchase } from "./queries.server.ts";

export interface Buyer {
  hasBought: boolean;
  /** Checkouts started within the window of `STARTS_PER_ACCOUNT`. */
  startedLately: number;
}

/**
 * Locks the buyer's account row, the first lock of every checkout: starts of one buyer, and the end of the account, wait
 * for each other.
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
        gt(userPurchases.amount, 0),
      ),
    );
  const since = new Date(ctx.clock.now().getTime() - STARTS_WINDOW_MS);
  const lately = tx.$count(
    userPurchases,
    and(
      eq(userPurchases.userId, userId),
      eq(userPurchases.source, "checkout"),
      gt(userPurchases.createdAt, since),
    ),
  );
  const [buyer] = await tx
    .select({
      isActive: users.isActive,
      deletedAt: users.deletedAt,
      hasBought: exists(bought).mapWith(Boolean),
      startedLately: lately,
    })
    .from(users)
    .where(eq(users.id, userId))
    .for("no key update");
  if (!buyer || buyer.deletedAt) throw new DomainError("unauthenticated");
  if (!buyer.isActive) throw new DomainError("user-disabled");
  return { hasBought: buyer.hasBought, startedLately: buyer.startedLately };
}

/**
 * Refuses a checkout that would be one too many of this account, or of this address.
 *
 * @param input.others the account's other checkouts under way
 * @returns the network to write on the purchase, so that the next is counted; null for a buyer who is not counted
 * @throws DomainError too-many-checkouts, checkouts-too-fast, too-many-checkouts-here
 */
export async function checkHoldLimits(
  ctx: Context,
  tx: Transaction,
  input: { others: readonly Purchase[]; buyer: Buyer },
): Promise<string | null> {
  const now = ctx.clock.now();
  const open = input.others.filter(({ holdEndsAt }) => holdEndsAt !== null && holdEndsAt > now);
  if (open.length >= HOLDS_PER_ACCOUNT) {
    throw new DomainError("too-many-checkouts", { limit: HOLDS_PER_ACCOUNT });
  }
  if (input.buyer.startedLately >= STARTS_PER_ACCOUNT) throw new DomainError("checkouts-too-fast");
  const { perAddressFactor } = ctx.store;
  if (input.buyer.hasBought || !ctx.browser || perAddressFactor === 0) return null;
  const network = networkOf(ctx.browser.ipAddress);
  // Without the lock, many at once would each count the others as not yet there.
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`holds from ${network}`}, 0))`);
  const held = await tx.$count(
    userPurchases,
    and(
      eq(userPurchases.holdNetwork, network),
      eq(userPurchases.status, "pending"),
      gt(userPurchases.holdEndsAt, now),
    ),
  );
  if (held >= Math.max(1, Math.round(HOLDS_PER_ADDRESS * perAddressFactor))) {
    throw new DomainError("too-many-checkouts-here");
  }
  return network;
}
