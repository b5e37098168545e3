import { findServersWithoutCode } from "../access-codes/find-servers-without-code.server.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { countPurchases } from "../counters/read-counts.server.ts";
import { readSales, readTestPayments } from "../counters/read-sales.server.ts";
import { acceptsTestPasses } from "../entitlements/test-passes.ts";
import { type DayOfSales, daysUntil, salesByDay } from "./days.ts";
import {
  type LowStock,
  type RecentPurchase,
  selectLowStock,
  selectRecentPurchases,
} from "./overview-queries.server.ts";

const DAYS_SHOWN = 30;

interface Sales {
  /** Captured payments that were not refunded in full. */
  sales: number;
  /** Captured payments less refunds, in paise. */
  revenuePaise: number;
}

export interface Overview {
  /** When it was read. */
  at: Date;
  today: Sales;
  last7Days: Sales;
  last30Days: Sales;
  /** The last 30 days with today, oldest first; days without a sale have zeros. */
  days: DayOfSales[];
  /** Active passes that this shop accepts. */
  passesRunning: number;
  /** Payments in test mode, which count in no revenue. */
  testPayments: Sales;
  recentPurchases: RecentPurchase[];
  /** Tools on sale with fewer than 5 units, the fewest first. */
  lowStock: LowStock[];
  /** Tools on sale with servers that have no active access code. */
  withoutCode: { toolId: string; toolName: string; servers: string[] }[];
}

/**
 * What the owner sees above the lists. Days begin at midnight in the store's time zone. A refund reduces the day of its
 * payment. Payments in test mode are left out of sales and revenue.
 *
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function readOverview(ctx: Context): Promise<Overview> {
  requireAdmin(ctx);
  const now = ctx.clock.now();
  const days = daysUntil(now, DAYS_SHOWN, ctx.store.timeZone);
  const first = days[0]?.startsAt ?? now;
  const counts = await countPurchases(ctx.db, now);
  const byDay = salesByDay(days, await readSales(ctx.db, first));
  return {
    at: now,
    today: sumOf(byDay.slice(-1)),
    last7Days: sumOf(byDay.slice(-7)),
    last30Days: sumOf(byDay),
    days: byDay,
    passesRunning: counts.running - (acceptsTestPasses(ctx) ? 0 : counts.runningInTestMode),
    testPayments: await readTestPayments(ctx.db),
    recentPurchases: await selectRecentPurchases(ctx.db),
    lowStock: await selectLowStock(ctx.db),
    withoutCode: await findServersWithoutCode(ctx.db),
  };
}

function sumOf(days: readonly Sales[]): Sales {
  return days.reduce(
    (sum, day) => ({ sales: sum.sales + day.sales, revenuePaise: sum.revenuePaise + day.revenuePaise }),
    { sales: 0, revenuePaise: 0 },
  );
}
