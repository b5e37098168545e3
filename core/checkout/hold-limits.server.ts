import { and, eq, exists, gt, inArray, isNotNull, or, sql } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { prepareStatement, valueFor } from "#db/prepared-statement.ts";
import { users } from "#db/tables/accounts.ts";
import { tools } from "#db/tables/catalog.ts";
import { type Purchase, userPurchases } from "#db/tables/purchases.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { acceptsTestPasses, IS_OPEN_CHECKOUT } from "../pass-validity.server.ts";
import { limitKeyOfAddress, networksOfAddress } from "../rate-limits/network.ts";
import {
  HOLDS_PER_ACCOUNT,
  HOLDS_PER_ADDRESS,
  SHARED_FROM_UNITS,
  STARTS_PER_ACCOUNT,
  STARTS_WINDOW_MS,
} from "./hold-rules.ts";

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
  const [buyer] = await lockBuyerRow(tx, { userId, acceptsTestPasses: acceptsTestPasses(ctx) });
  if (!buyer || buyer.deletedAt) throw new DomainError("unauthenticated");
  if (!buyer.isActive) throw new DomainError("user-disabled");
  return { userId, hasBought: buyer.hasBought };
}

const lockBuyerRow = prepareStatement("lock-buyer", (tx) => {
  const bought = tx
    .select({ one: sql`1` })
    .from(userPurchases)
    .where(
      and(
        eq(userPurchases.userId, users.id),
        // A purchase of an admin has an amount when it was paid by hand; an imported purchase was paid in the old shop.
        inArray(userPurchases.source, ["checkout", "admin", "import"]),
        inArray(userPurchases.status, ["completed", "active"]),
        gt(userPurchases.amountPaise, 0),
        or(eq(userPurchases.testMode, false), sql`${sql.placeholder("acceptsTestPasses")}::boolean`),
      ),
    );
  return tx
    .select({
      isActive: users.isActive,
      deletedAt: users.deletedAt,
      hasBought: exists(bought).mapWith(Boolean),
    })
    .from(users)
    .where(eq(users.id, valueFor(users.id, "userId")))
    .for("no key update");
});

/**
 * Refuses a checkout above the limit of this account, or of one of the networks of this address.
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
  const networks = network === null ? [] : networksOfAddress(network);
  // Without the lock of the widest one, parallel starts would not count each other.
  const widest = networks.at(-1);
  if (widest) {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`holds from ${widest.key}`}, 0))`);
  }
  const counts = await countHolds(tx, {
    userId: input.buyer.userId,
    replacedId: input.replacedId,
    // The first three groups of an IPv6 address, which every network of it begins with.
    prefix: network && `${networks.length > 1 ? network.slice(0, network.lastIndexOf(":")) : network}:`,
    now,
  });
  if (counts.recentStarts >= STARTS_PER_ACCOUNT) throw new DomainError("checkouts-too-fast");
  const limit = Math.max(1, Math.round(HOLDS_PER_ADDRESS * ctx.store.perAddressFactor));
  const held = counts.networks.flatMap((one) => networksOfAddress(one).map(({ key }) => key));
  for (const { key, times } of networks)
    if (held.filter((one) => one === key).length >= times * limit)
      throw new DomainError("too-many-checkouts-here");
  return network;
}

/**
 * Refuses a hold when buyers who have never bought would hold more than their share of a tool's units. The caller has
 * just taken the unit, so the tool is locked and parallel starts count each other.
 *
 * @throws DomainError units-being-paid-for
 */
export async function checkNewcomersShare(tx: Transaction, toolId: string): Promise<void> {
  const [stock] = await selectNewcomersShare(tx, { toolId });
  const { available, held } = stock ?? { available: 0, held: 0 };
  const units = available + held;
  if (units >= SHARED_FROM_UNITS && held > Math.ceil(units / 2))
    throw new DomainError("units-being-paid-for");
}

const selectNewcomersShare = prepareStatement("count-newcomers-holds", (tx) => {
  // A hold whose time is over keeps its unit until the hold is released.
  const held = tx.$count(
    userPurchases,
    and(
      eq(userPurchases.toolId, tools.id),
      isNotNull(userPurchases.holdNetwork),
      eq(userPurchases.stockState, "held"),
    ),
  );
  return tx
    .select({ available: tools.availableStock, held })
    .from(tools)
    .where(eq(tools.id, valueFor(tools.id, "toolId")));
});

function networkToCount(ctx: Context): string | null {
  return ctx.browser && ctx.store.perAddressFactor > 0 ? limitKeyOfAddress(ctx.browser.ipAddress) : null;
}

/** Counts after the locks: a statement that waits for a lock would count rows as they were before it. */
async function countHolds(
  tx: Transaction,
  by: { userId: string; replacedId: string | null; prefix: string | null; now: Date },
): Promise<{ recentStarts: number; networks: string[] }> {
  const [counts] = await selectHoldCounts(tx, {
    ...by,
    since: new Date(by.now.getTime() - STARTS_WINDOW_MS),
  });
  return counts ?? { recentStarts: 0, networks: [] };
}

const selectHoldCounts = prepareStatement("count-holds", (tx) => {
  const recentStarts = tx.$count(
    userPurchases,
    and(
      eq(userPurchases.userId, valueFor(userPurchases.userId, "userId")),
      eq(userPurchases.source, "checkout"),
      gt(userPurchases.createdAt, valueFor(userPurchases.createdAt, "since")),
    ),
  );
  // A buyer without a network is not counted: no row begins with null.
  const networks = tx
    .select({ all: sql<string[]>`coalesce(array_agg(${userPurchases.holdNetwork}), '{}')` })
    .from(userPurchases)
    .where(
      and(
        sql`starts_with(${userPurchases.holdNetwork} || ':', ${sql.placeholder("prefix")}::text)`,
        IS_OPEN_CHECKOUT,
        gt(userPurchases.holdEndsAt, valueFor(userPurchases.holdEndsAt, "now")),
        sql`${userPurchases.id} is distinct from ${valueFor(userPurchases.id, "replacedId")}`,
      ),
    );
  return tx.select({ recentStarts, networks: sql<string[]>`(${networks})` }).from(sql`(values (1)) one`);
});
