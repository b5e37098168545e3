import { type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { z } from "zod";
import type { Database } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { tools } from "#db/tables/catalog.ts";
import { credits, paymentAttempts, paymentOrders, refunds } from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import type { AuthorisedContext } from "../authorise.ts";
import type { Context } from "../context.ts";
import { IS_COMPLETED, IS_NOT_DELETED, isRunning } from "../pass-validity.server.ts";
import { WAYS } from "../payments/schemas.ts";
import { DAY, HOUR } from "../time.ts";

/** A buyer's change is in the figures after this time at the latest. */
export const FIGURES_KEPT_MS = 10_000;

const DAYS_SHOWN = 30;

/**
 * A sale is a captured payment that was not refunded or lost in full; the revenue, in paise, is what was captured less fees that
 * buyers bear, refunds and what disputes have lost.
 */
export interface Sales {
  sales: number;
  revenuePaise: number;
}

/** The counts and sums of whole tables. */
export interface Figures extends z.output<typeof countsRow> {
  /** When they were read. */
  at: Date;
  /** The revenue of all time, without test mode. */
  revenuePaise: number;
  /** The parts of it that were paid by hand, the largest first. */
  byHand: z.output<typeof paymentsRow>["byHand"];
  /** The last 30 days with today, oldest first; days without a sale have zeros. Test mode is left out. */
  days: (Day & Sales)[];
  /**
   * What brought the buyers of these days, the most revenue first: at most 4, and then the others together. Purchases of which it
   * is unknown are left out.
   */
  cameFrom: CameFrom[];
  /** All payments in test mode. */
  testPayments: Sales;
}

interface CameFrom extends Sales {
  /** Null: the others. */
  name: string | null;
}

const keptIn = new WeakMap<object, { at: Date; figures: Promise<Figures> }>();

/**
 * The figures of the shop, which take some hundred milliseconds with a million purchases. So they are kept for ten seconds in this
 * process, and readers at the same time share one reading.
 */
export function readFigures(ctx: AuthorisedContext): Promise<Figures> {
  const at = ctx.clock.now();
  const kept = keptIn.get(ctx.db);
  const age = kept ? at.getTime() - kept.at.getTime() : -1;
  if (kept && age >= 0 && age < FIGURES_KEPT_MS) return kept.figures;
  const own = { at, figures: countFigures(ctx, at) };
  keptIn.set(ctx.db, own);
  own.figures.catch(() => {
    if (keptIn.get(ctx.db) === own) keptIn.delete(ctx.db);
  });
  return own.figures;
}

/** After an operation of an admin, whose page shows its effect at once. */
export function forgetFigures(ctx: Context): void {
  keptIn.delete(ctx.db);
}

async function countFigures(ctx: AuthorisedContext, at: Date): Promise<Figures> {
  const days = daysUntil(at, DAYS_SHOWN, ctx.store.timeZone);
  const starts = days.map(({ startsAt }) => startsAt);
  const [counts, totals, sales, cameFrom] = await Promise.all([
    countRows(ctx.db, at),
    sumPayments(ctx.db),
    sumByPeriod(ctx.db, starts),
    sumByCameFrom(ctx.db, starts[0] ?? at),
  ]);
  return {
    ...counts,
    ...totals,
    at,
    cameFrom,
    days: days.map((day, n) => ({ ...day, ...(sales.get(n + 1) ?? NO_SALES) })),
  };
}

const NO_SALES: Sales = { sales: 0, revenuePaise: 0 };

export function sumOf(parts: readonly Sales[]): Sales {
  const add = (sum: Sales, { sales, revenuePaise }: Sales) => ({
    sales: sum.sales + sales,
    revenuePaise: sum.revenuePaise + revenuePaise,
  });
  return parts.reduce(add, NO_SALES);
}

// Counts and sums are bigint, which the driver returns as text.
const wholeNumber = z.coerce.number().int().refine(Number.isSafeInteger);

const countsRow = z.object({
  users: wholeNumber,
  activeUsers: wholeNumber,
  completedPurchases: wholeNumber,
  tools: wholeNumber,
  activeTools: wholeNumber,
  /** Passes that have begun and are not ended and not expired. */
  running: wholeNumber,
  runningInTestMode: wholeNumber,
});

async function countRows(db: Database, now: Date): Promise<z.output<typeof countsRow>> {
  const { rows } = await db.execute(sql`
    select u.*, p.*, t.*, r.*
    from (select count(*) as users, count(*) filter (where ${users.isActive}) as "activeUsers"
        from ${users} where ${users.deletedAt} is null) u,
      (select count(*) as "completedPurchases" from ${userPurchases} where ${IS_COMPLETED} and ${IS_NOT_DELETED}) p,
      (select count(*) as tools, count(*) filter (where ${tools.isActive}) as "activeTools"
        from ${tools} where ${tools.deletedAt} is null) t,
      (select count(*) as running, count(*) filter (where ${userPurchases.testMode}) as "runningInTestMode"
        from ${userPurchases} where ${isRunning(now)} and ${userPurchases.startsAt} <= ${now}) r`);
  return countsRow.parse(rows[0]);
}

const IS_CAPTURED = sql`${paymentAttempts.status} = 'captured'`;
const IS_PROCESSED = sql`${refunds.status} = 'processed'`;

/** A fee that the buyer bears is the gateway's. A refund gives it back too, so the revenue stops at zero. */
const revenueAfter = (refundedPaise: SQL | PgColumn) =>
  sql`greatest(${paymentAttempts.amountPaise} - ${paymentAttempts.buyerFeePaise} - ${refundedPaise}, 0)`;

/** What a payment leaves when the shop has refunded nothing of it. Refunds on the gateway's own pages are subtracted. */
const AMOUNT = revenueAfter(paymentAttempts.refundedPaise);

/** What was lost in disputes: few payments. */
const LOST = sql`(select ${paymentAttempts.id}, ${paymentAttempts.lostPaise} from ${paymentAttempts} where lost > 0)`;

/** The captured payments: `captured_at`, `test_mode` and `kept`, which is the revenue. */
const PAYMENTS = sql`(
  select ${paymentAttempts.id}, ${paymentAttempts.orderId}, ${AMOUNT} as amount,
    coalesce(${paymentAttempts.capturedAt}, ${paymentAttempts.createdAt}) as captured_at,
    test.id is not null as test_mode,
    ${revenueAfter(sql`(greatest(coalesce(refunded.paise, 0), ${paymentAttempts.refundedPaise}) + coalesce(disputed.lost, 0))`)} as kept
  from ${paymentAttempts}
  left join (select ${paymentOrders.id} from ${paymentOrders} where ${paymentOrders.testMode}) test
    on test.id = ${paymentAttempts.orderId}
  left join (
    select ${refunds.attemptId} as attempt_id, sum(${refunds.amountPaise}) as paise
    from ${refunds} where ${IS_PROCESSED} group by ${refunds.attemptId}
  ) refunded on refunded.attempt_id = ${paymentAttempts.id}
  left join ${LOST} disputed on disputed.id = ${paymentAttempts.id}
  where ${IS_CAPTURED}
) payments`;

const paymentsRow = z.object({
  revenuePaise: wholeNumber,
  byHand: z.array(z.object({ way: z.enum(WAYS), revenuePaise: wholeNumber })),
  testPayments: z.object({ sales: wholeNumber, revenuePaise: wholeNumber }),
});

/**
 * All amounts are summed from an index, and then corrected for the few payments that were refunded, lost or in test mode.
 * Arrays, because Postgres would join them by reading all payments, which takes three times as long.
 */
async function sumPayments(db: Database): Promise<z.output<typeof paymentsRow>> {
  const { rows } = await db.execute(sql`
    select coalesce((select sum(${AMOUNT}) from ${paymentAttempts} where ${IS_CAPTURED}), 0)
        + coalesce(sum(case when test_mode then -amount else kept - amount end), 0) as "revenuePaise",
      json_build_object('sales', count(*) filter (where test_mode and kept > 0),
        'revenuePaise', coalesce(sum(kept) filter (where test_mode), 0)) as "testPayments",
      (select coalesce(json_agg(parts), '[]') from (
        select ${credits.way}, sum(kept) as "revenuePaise" from ${PAYMENTS}
        join ${credits} on ${credits.attemptId} = payments.id where order_id = any(array(
          select ${paymentOrders.id} from ${paymentOrders} where ${paymentOrders.gateway} = 'manual'))
        group by ${credits.way} having sum(kept) > 0 order by 2 desc) parts) as "byHand"
    from ${PAYMENTS}
    where id = any(array(select ${refunds.attemptId} from ${refunds} where ${IS_PROCESSED}))
      or id = any(array(select id from ${LOST} disputed))
      or order_id = any(array(select ${paymentOrders.id} from ${paymentOrders} where ${paymentOrders.testMode}))`);
  return paymentsRow.parse(rows[0]);
}

const periodRows = z.array(z.object({ period: z.int(), sales: wholeNumber, revenuePaise: wholeNumber }));

/**
 * The sales of each period without test mode, by its number from 1. A period ends where the next one starts; the last
 * one has no end. A refund reduces the period of its payment.
 */
async function sumByPeriod(db: Database, starts: readonly Date[]): Promise<ReadonlyMap<number, Sales>> {
  const texts = starts.map((start) => start.toISOString());
  const { rows } = await db.execute(sql`
    select width_bucket(captured_at, ${sql.param(texts)}::timestamptz[]) as period,
      count(*) filter (where kept > 0) as sales, sum(kept) as "revenuePaise"
    from ${PAYMENTS} where captured_at >= ${texts[0]} and not test_mode group by period`);
  return new Map(periodRows.parse(rows).map(({ period, ...sales }) => [period, sales]));
}

const cameFromRows = z.array(
  z.object({ name: z.string().nullable(), sales: wholeNumber, revenuePaise: wholeNumber }),
);

const NAMED = 4;

async function sumByCameFrom(db: Database, since: Date): Promise<CameFrom[]> {
  const { rows } = await db.execute(sql`
    select case when place <= ${NAMED} then name end as name, sum(sales) as sales, sum(revenue) as "revenuePaise"
    from (
      select name, sales, revenue, row_number() over (order by revenue desc, sales desc, name) as place
      from (
        select ${userPurchases.cameFrom} as name, count(*) filter (where kept > 0) as sales, sum(kept) as revenue
        from ${PAYMENTS}
        join ${paymentOrders} on ${paymentOrders.id} = payments.order_id
        join ${userPurchases} on ${userPurchases.id} = ${paymentOrders.purchaseId}
        where payments.captured_at >= ${since} and not payments.test_mode and ${userPurchases.cameFrom} is not null
        group by 1) sums) places
    group by 1 order by min(place)`);
  return cameFromRows.parse(rows);
}

export interface Day {
  /** YYYY-MM-DD in the store's time zone. */
  date: string;
  startsAt: Date;
}

/** The last `count` days with the day of `now`, oldest first, in a time zone. */
export function daysUntil(now: Date, count: number, timeZone: string): Day[] {
  const options = { timeZone, year: "numeric", month: "2-digit", day: "2-digit" } as const;
  // The Canadian form is YYYY-MM-DD.
  const format = new Intl.DateTimeFormat("en-CA", options);
  const dateAt = (at: Date) => format.format(at);
  const days: Day[] = [];
  let startsAt = startOfDay(now, dateAt);
  for (let left = count; left > 0; left--) {
    days.unshift({ date: dateAt(startsAt), startsAt });
    // This moment is in the day before, whether that day has 23, 24 or 25 hours.
    startsAt = startOfDay(new Date(startsAt.getTime() - HOUR), dateAt);
  }
  return days;
}

const QUARTER = HOUR / 4;
/** Longer than any day. */
const LONGEST_DAY = DAY + 3 * HOUR;

/** The first moment of the day of `at`. Days begin at full quarters of an hour of UTC in every time zone. */
function startOfDay(at: Date, dateAt: (at: Date) => string): Date {
  const date = dateAt(at);
  let within = Math.floor(at.getTime() / QUARTER);
  let before = within - LONGEST_DAY / QUARTER;
  while (within - before > 1) {
    const middle = Math.floor((before + within) / 2);
    if (dateAt(new Date(middle * QUARTER)) === date) within = middle;
    else before = middle;
  }
  return new Date(within * QUARTER);
}
