import { acceptsTestPasses } from "../accepted-mode.server.ts";
import { findServersWithoutCode } from "../access-codes/find-server-codes.server.ts";
import { findReportedCodes } from "../access-codes/report-access-code.server.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import {
  findToolsWithoutCredential,
  type ToolWithoutCredential,
} from "../credentials/tool-credentials.server.ts";
import type { Day } from "./days.ts";
import { FIGURES_KEPT_MS, readFigures, type Sales, sumOf } from "./figures.server.ts";
import {
  countToolsOnSale,
  type LowStock,
  type RecentPurchase,
  selectLowStock,
  selectRecentPurchases,
} from "./overview-queries.server.ts";

export interface Overview {
  /** When its sums were read. */
  at: Date;
  /** In so many milliseconds they are read again, because they were kept; null: they have just been read. */
  renewableInMs: number | null;
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
  const { at, days, testPayments, running, runningInTestMode } = await readFigures(ctx);
  const isKept = at < now;
  return {
    at,
    renewableInMs: isKept ? at.getTime() + FIGURES_KEPT_MS - now.getTime() : null,
    today: sumOf(days.slice(-1)),
    last7Days: sumOf(days.slice(-7)),
    last30Days: sumOf(days),
    days,
    passesRunning: running - (acceptsTestPasses(ctx) ? 0 : runningInTestMode),
    testPayments,
    recentPurchases: await selectRecentPurchases(ctx.db),
    toolsOnSale: await countToolsOnSale(ctx.db),
    lowStock: await selectLowStock(ctx.db),
    withoutCode: await findServersWithoutCode(ctx.db),
    withoutCredential: await findToolsWithoutCredential(ctx.db),
    reportedCodes: await findReportedCodes(ctx.db),
  };
}
