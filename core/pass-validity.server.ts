import { and, asc, eq, gt, inArray, isNull, lt, lte, or, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { valueFor } from "#db/prepared-statement.ts";
import { type Purchase, userPurchases } from "#db/tables/purchases.ts";
import type { Context } from "./context.ts";

/*
 * The one definition of an active pass: completed (an older version stored imported passes as 'active'), not ended, and startsAt
 * <= now < expiresAt. It exists in SQL and in TypeScript; pass-validity.server.test.ts checks that both give the same
 * result.
 */

const PASS_STATUSES = ["completed", "active"] as const;

/** The rule in SQL, for a query on `user_purchases`. */
export function isActivePassAt(now: Date | SQL): SQL | undefined {
  return and(
    inArray(userPurchases.status, [...PASS_STATUSES]),
    isNull(userPurchases.endedAt),
    lte(userPurchases.startsAt, now),
    gt(userPurchases.expiresAt, now),
  );
}

/** The same rule in TypeScript, for a row of `user_purchases`. */
export function isActivePassRow(
  { status, endedAt, startsAt, expiresAt }: Pick<Purchase, "status" | "endedAt" | "startsAt" | "expiresAt">,
  now: Date,
): boolean {
  const isPass = PASS_STATUSES.some((passStatus) => passStatus === status);
  return (
    isPass &&
    endedAt === null &&
    startsAt !== null &&
    startsAt <= now &&
    expiresAt !== null &&
    now < expiresAt
  );
}

/** An active pass that this shop accepts now. */
export function isActivePass(ctx: Context): SQL | undefined {
  return and(isActivePassAt(ctx.clock.now()), isInAcceptedMode(ctx));
}

/** A pass that has expired by itself, and that this shop accepts. */
export function isExpiredPass(ctx: Context): SQL | undefined {
  return and(
    inArray(userPurchases.status, [...PASS_STATUSES]),
    isNull(userPurchases.endedAt),
    lte(userPurchases.expiresAt, ctx.clock.now()),
    isInAcceptedMode(ctx),
  );
}

/** A pass that this shop accepts, and that a cancellation, a refund or a chargeback ended before it expired. */
export function isRevokedPass(ctx: Context): SQL | undefined {
  return and(
    inArray(userPurchases.status, [...PASS_STATUSES]),
    inArray(userPurchases.endedReason, ["cancelled", "refunded", "charged-back"]),
    lt(userPurchases.endedAt, userPurchases.expiresAt),
    isInAcceptedMode(ctx),
  );
}

/**
 * Open checkouts. A pending purchase of an imported shop is history: it holds nothing, and no payment of it can arrive.
 * `isOpenCheckout` of purchase-states.ts is the same rule in TypeScript.
 */
export const IS_OPEN_CHECKOUT = sql`(${userPurchases.status} = 'pending' and ${userPurchases.source} <> 'import')`;

/** Purchases that were completed, whatever became of them. It and the next one must match an index's WHERE clause verbatim. */
export const IS_COMPLETED = sql`${userPurchases.status} in ('completed', 'active')`;

export const IS_NOT_DELETED = sql`(${userPurchases.endedReason} is null
  or ${userPurchases.endedReason} not in ('deleted', 'user-deleted'))`;

/** Passes that are not ended and not expired, begun or not, in every mode. */
export const isRunning = (now: Date | SQL): SQL =>
  sql`${userPurchases.expiresAt} > ${now} and ${IS_COMPLETED} and ${userPurchases.endedAt} is null`;

const other = alias(userPurchases, "other");

/** Whether another pass of the same user, tool and mode ends later: the pass was renewed. */
export const IS_RENEWED: SQL = sql`exists (select from ${userPurchases} ${sql.identifier("other")}
  where ${other.userId} = ${userPurchases.userId} and ${other.toolId} = ${userPurchases.toolId}
    and ${other.status} in ('completed', 'active') and ${other.endedAt} is null
    and ${other.expiresAt} > ${userPurchases.expiresAt} and ${other.testMode} = ${userPurchases.testMode})`;

/** Whether the user is at the checkout for the tool of the pass. */
export const IS_BEING_RENEWED: SQL = sql`exists (select from ${userPurchases} ${sql.identifier("other")}
  where ${other.userId} = ${userPurchases.userId} and ${other.toolId} = ${userPurchases.toolId}
    and ${other.status} = 'pending' and ${other.source} <> 'import' and ${other.testMode} = ${userPurchases.testMode})`;

/** A pass that this shop accepts and that is active or waiting: paid, with its start in the future. */
export function isRunningPass(ctx: Context): SQL | undefined {
  return and(isRunning(ctx.clock.now()), isInAcceptedMode(ctx));
}

/** The rule of `isRunningPass` for a prepared statement, which runs with `runningPassValues`. */
export const isRunningPassPrepared: SQL | undefined = and(
  isRunning(valueFor(userPurchases.expiresAt, "now")),
  or(eq(userPurchases.testMode, false), sql`${sql.placeholder("acceptsTestPasses")}::boolean`),
);

export function runningPassValues(ctx: Context): { now: Date; acceptsTestPasses: boolean } {
  return { now: ctx.clock.now(), acceptsTestPasses: acceptsTestPasses(ctx) };
}

/**
 * The order in which a transaction locks several purchases: first those that are no pass, because a payment locks its own
 * purchase first and then the pass that it renews.
 */
export const IN_LOCK_ORDER = [sql`(${IS_COMPLETED})`, asc(userPurchases.id)];

const LOOPBACK = /^(?:localhost|.+\.localhost|127\.[\d.]+|\[::1\])$/;

/**
 * Whether the shop accepts test passes: with a gateway in test mode, and without a gateway only on a loopback origin. A
 * shop that takes real money, or a public shop without payments, does not.
 */
export function acceptsTestPasses(ctx: Context): boolean {
  return acceptsTestPassesOf(ctx.ports.gateway, ctx.store.origin);
}

/** The same for a command without the ports of a shop. */
export function acceptsTestPassesOf(gateway: { testMode: boolean } | null, origin: string): boolean {
  return gateway ? gateway.testMode : LOOPBACK.test(new URL(origin).hostname);
}

/** Purchases that this shop accepts: those in test mode only while it accepts test passes. */
export function isInAcceptedMode(ctx: Context): SQL | undefined {
  return acceptsTestPasses(ctx) ? undefined : eq(userPurchases.testMode, false);
}
