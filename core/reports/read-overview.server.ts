import { acceptsTestPasses } from "../accepted-mode.server.ts";
import { findReportedCodes } from "../access-codes/find-reported-codes.server.ts";
import { findServersWithoutCode } from "../access-codes/find-servers-without-code.server.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { countPurchases } from "../counters/read-counts.server.ts";
import { readSales, readTestPayments, type Sales } from "../counters/read-sales.server.ts";
import {
  findToolsWithoutCredential,
  type ToolWithoutCredential,
} from "../credentials/find-tools-without-credential.server.ts";
import { type Day, daysUntil } from "./days.ts";
import {
  countToolsOnSale,
  type LowStock,
  type RecentPurchase,
  selectLowStock,
  selectRecentPurchases,
} from "./overview-queries.server.ts";

const DAYS_SHOWN = 30;

const NO_SALES: Sales = { sales: 0, revenuePaise: 0 };

export interface Overview {
  /** When it was read. */
  at: Date;
  today: Sales;
  last7Days: Sales;
  last30Days: Sales;
  /** The last 30 days with today, oldest first; days without a sale have zeros. */
  days: (Day & Sales)[];
  /** Active passes that this shop accepts. */
  passesRunning: number;
  /** Payments in test mode, which count in no revenue. */
  testPayments: Sales;
  recentPurchases: RecentPurchase[];
  toolsOnSale: number;
  /** Tools on sale with fewer than 5 units, the fewest first. */
  lowStock: LowStock[];
  /** Active tools with servers that have no active access code. */
  withoutCode: { toolId: string; toolName: string; servers: string[] }[];
  /** Active tools whose page offers a credential and gives none: there is none, or several fit. */
  withoutCredential: ToolWithoutCredential[];
  /** Active access codes that buyers have reported since they changed. */
  reportedCodes: { accessCodeId: string; toolName: string; serverName: string; reports: number }[];
}

/**
 * What the owner sees above the lists. Days begin at midnight in the store's time zone. A refund reduces the day of its
 * payment. Payments in test mode are left out of sales and revenue.
 *
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function readOverview(ctx: Context): Promise<Overview> {
  requireAdmin(ctx, "reads");
  const now = ctx.clock.now();
  const days = daysUntil(now, DAYS_SHOWN, ctx.store.timeZone);
  const counts = await countPurchases(ctx.db, now);
  const sales = await readSales(
    ctx.db,
    days.map(({ startsAt }) => startsAt),
  );
  const byDay = days.map((day, at) => ({ ...day, ...(sales[at] ?? NO_SALES) }));
  return {
    at: now,
    today: sumOf(byDay.slice(-1)),
    last7Days: sumOf(byDay.slice(-7)),
    last30Days: sumOf(byDay),
    days: byDay,
    passesRunning: counts.running - (acceptsTestPasses(ctx) ? 0 : counts.runningInTestMode),
    testPayments: await readTestPayments(ctx.db),
    recentPurchases: await selectRecentPurchases(ctx.db),
    toolsOnSale: await countToolsOnSale(ctx.db),
    lowStock: await selectLowStock(ctx.db),
    withoutCode: await findServersWithoutCode(ctx.db),
    withoutCredential: await findToolsWithoutCredential(ctx.db),
    reportedCodes: await findReportedCodes(ctx.db),
  };
}

function sumOf(days: readonly Sales[]): Sales {
  const add = (sum: Sales, { sales, revenuePaise }: Sales) => ({
    sales: sum.sales + sales,
    revenuePaise: sum.revenuePaise + revenuePaise,
  });
  return days.reduce(add, NO_SALES);
}
