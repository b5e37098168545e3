import { and, asc, desc, lt, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { Executor } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { couponCodes, tools } from "#db/tables/catalog.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { accessCodes, credentials } from "#db/tables/vault.ts";
import { findServersWithoutCode } from "../access-codes/find-server-codes.server.ts";
import { findCodesAlike } from "../access-codes/key-simple-codes.server.ts";
import { findReportedCodes } from "../access-codes/report-access-code.server.ts";
import { requireAdmin } from "../authorise.ts";
import type { BackupHealth } from "../backups/backup-record.ts";
import { readBackupHealth } from "../backups/backups.server.ts";
import { LOW_STOCK } from "../catalog/limits.ts";
import { IS_ON_SALE } from "../catalog/on-sale.server.ts";
import type { Context } from "../context.ts";
import {
  findToolsWithoutCredential,
  type ToolWithoutCredential,
} from "../credentials/tool-credentials.server.ts";
import { MAX_COUNTED } from "../lists/paging.ts";
import { countUpTo } from "../lists/select-page.server.ts";
import { paidOf, selectPaymentsOf } from "../paid.server.ts";
import { acceptsTestPasses, IS_COMPLETED, IS_NOT_DELETED } from "../pass-validity.server.ts";
import { listUnknownPayments } from "../payments/unknown-payments.server.ts";
import { type Day, FIGURES_KEPT_MS, type Figures, readFigures, type Sales, sumOf } from "./figures.server.ts";
import { readGoLiveChecklist } from "./go-live-checklist.server.ts";
import type { ChecklistItem } from "./go-live-checklist.ts";
import { needsOwner } from "./payment-notices.ts";
import { readPaymentNotices } from "./read-payment-notices.server.ts";
import { type Renewals, readRenewals } from "./renewals.server.ts";

/** The six statistics of the admin's dashboard. */
export interface DashboardStatistics {
  /** Accounts that are not deleted, including admins. */
  totalUsers: number;
  /** Accounts that are neither deleted nor disabled. */
  activeUsers: number;
  /** Completed purchases of every source, including ended ones; without deleted purchases and purchases of deleted users. */
  totalPurchases: number;
  /**
   * Captured payments less buyers' fees, processed refunds and lost disputes, without test mode. Deleting a purchase or a user
   * does not change it.
   */
  totalRevenuePaise: number;
  /** Tools that are not deleted. */
  totalTools: number;
  /** Those on sale. */
  activeTools: number;
  /** The milliseconds until they are read again, because they were kept; null: they have just been read. */
  renewableInMs: number | null;
}

/**
 * They are exact, show an admin's own change at once, and a buyer's within ten seconds.
 *
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function readDashboardStatistics(ctx: Context): Promise<DashboardStatistics> {
  requireAdmin(ctx, "reads");
  const now = ctx.clock.now();
  const { at, users, activeUsers, completedPurchases, revenuePaise, tools, activeTools } =
    await readFigures(ctx);
  return {
    totalUsers: users,
    activeUsers,
    totalPurchases: completedPurchases,
    totalRevenuePaise: revenuePaise,
    totalTools: tools,
    activeTools,
    renewableInMs: at < now ? at.getTime() + FIGURES_KEPT_MS - now.getTime() : null,
  };
}

const tabCounts = z.object({
  users: z.int(),
  tools: z.int(),
  accessCodes: z.int(),
  purchases: z.int(),
  coupons: z.int(),
  credentials: z.int(),
});

/** 10,001 stands for more than 10,000. */
export type TabCounts = z.output<typeof tabCounts>;

const upTo = (from: SQL, where: SQL) => countUpTo(MAX_COUNTED + 1, from, where);

/**
 * How many rows each of the admin's lists has. `purchases` counts ended and expired ones too; deleted rows count nowhere.
 *
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function readTabCounts(ctx: Context): Promise<TabCounts> {
  requireAdmin(ctx, "reads");
  const { rows } = await ctx.db.execute(sql`
    select ${upTo(sql`${users}`, sql`${users.deletedAt} is null`)} as users,
      ${upTo(sql`${tools}`, sql`${tools.deletedAt} is null`)} as tools,
      ${upTo(sql`${accessCodes}`, sql`true`)} as "accessCodes",
      ${upTo(sql`${userPurchases}`, IS_NOT_DELETED)} as purchases,
      ${upTo(sql`${couponCodes}`, sql`${couponCodes.deletedAt} is null`)} as coupons,
      ${upTo(sql`${credentials}`, sql`true`)} as credentials`);
  return tabCounts.parse(rows[0]);
}

/** What runs out, is missing, or waits for the owner, apart from payments. */
interface Concerns {
  /** Tools on sale with fewer than 5 units, the fewest first: at most 20 of `lowStockTotal`. */
  lowStock: LowStock[];
  lowStockTotal: number;
  /** Active tools with servers that have no active access code. */
  withoutCode: { toolId: string; toolName: string; servers: string[] }[];
  /** Active tools whose page offers a credential and gives none: there is none, or several fit. */
  withoutCredential: ToolWithoutCredential[];
  /** Active access codes that buyers have reported since they changed. */
  reportedCodes: { accessCodeId: string; toolName: string; serverName: string; reports: number }[];
  /** Access codes that differ only in case from another code. */
  codesAlike: Awaited<ReturnType<typeof findCodesAlike>>;
  backup: BackupHealth;
}

export interface Overview extends Concerns {
  /** When its sums were read. */
  at: Date;
  today: Sales;
  last7Days: Sales;
  last30Days: Sales;
  /** The last 30 days with today, oldest first; days without a sale have zeros. */
  days: (Day & Sales)[];
  /** What brought the buyers of the last 30 days. */
  cameFrom: Figures["cameFrom"];
  /** The parts of the total revenue that were paid by hand, the largest first. */
  revenueByHand: Figures["byHand"];
  /** Active passes that this shop accepts. */
  passesRunning: number;
  /** Payments in test mode, which count in no revenue. */
  testPayments: Sales;
  recentPurchases: RecentPurchase[];
  toolsOnSale: number;
  renewals: Renewals;
}

/**
 * How the shop has been doing lately, and what needs the owner. Days begin at midnight in the store's time zone. A refund
 * reduces the day of its payment. Payments in test mode are left out of sales and revenue.
 *
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function readOverview(ctx: Context): Promise<Overview> {
  requireAdmin(ctx, "reads");
  const { at, days, cameFrom, byHand, testPayments, running, runningInTestMode } = await readFigures(ctx);
  return {
    at,
    today: sumOf(days.slice(-1)),
    last7Days: sumOf(days.slice(-7)),
    last30Days: sumOf(days),
    days,
    cameFrom,
    revenueByHand: byHand,
    passesRunning: running - (acceptsTestPasses(ctx) ? 0 : runningInTestMode),
    testPayments,
    recentPurchases: await selectRecentPurchases(ctx.db),
    toolsOnSale: await countToolsOnSale(ctx.db),
    renewals: await readRenewals(ctx),
    ...(await readConcerns(ctx)),
  };
}

async function readConcerns(ctx: Context): Promise<Concerns> {
  requireAdmin(ctx, "reads");
  return {
    lowStock: await selectLowStock(ctx.db),
    lowStockTotal: await ctx.db.$count(tools, HAS_LOW_STOCK),
    withoutCode: await findServersWithoutCode(ctx.db),
    withoutCredential: await findToolsWithoutCredential(ctx.db),
    reportedCodes: await findReportedCodes(ctx.db),
    codesAlike: await findCodesAlike(ctx.db),
    backup: await readBackupHealth(ctx),
  };
}

/**
 * How much needs the owner: what the checklist asks for, payments, refunds and disputes, tools, codes and credentials, and an
 * overdue backup. What the overview only tells, such as a dispute that is with the bank, does not count.
 *
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function countAttention(ctx: Context): Promise<number> {
  const [checklist, concerns, notices, unknown] = await Promise.all([
    readGoLiveChecklist(ctx),
    readConcerns(ctx),
    readPaymentNotices(ctx),
    listUnknownPayments(ctx),
  ]);
  const { lowStockTotal, withoutCode, withoutCredential, reportedCodes, codesAlike, backup } = concerns;
  const { unaccounted, failedRefunds, disputes, overdueRefunds, promisedPayouts } = notices;
  const asksFor = (id: ChecklistItem["id"]) => checklist.some((item) => item.id === id);
  const counts = [
    checklist.length,
    unknown.payments.filter(({ state }) => state === "waiting").length,
    unaccounted.number,
    failedRefunds.total,
    disputes.disputes.filter(needsOwner).length,
    promisedPayouts.total,
    overdueRefunds.number > 0 ? 1 : 0,
    lowStockTotal,
    asksFor("access-codes") ? 0 : withoutCode.length,
    withoutCredential.length,
    reportedCodes.length,
    codesAlike.length,
    backup.isOverdue && !asksFor("backup") ? 1 : 0,
  ];
  return counts.reduce((sum, count) => sum + count, 0);
}

const RECENT = 5;
const LOW_STOCK_LISTED = 20;
const HAS_LOW_STOCK = and(IS_ON_SALE, lt(tools.availableStock, LOW_STOCK));

type RecentPurchase = Awaited<ReturnType<typeof selectRecentPurchases>>[number];

/**
 * The newest purchases that were completed, whatever became of them, with what was paid, else with the price. Deleted ones are
 * left out.
 */
async function selectRecentPurchases(executor: Executor) {
  const recent = await executor
    .select({
      id: userPurchases.id,
      userEmail: userPurchases.userEmail,
      toolName: userPurchases.toolName,
      amountPaise: userPurchases.amountPaise,
      status: userPurchases.status,
      testMode: userPurchases.testMode,
      source: userPurchases.source,
      endedReason: userPurchases.endedReason,
      createdAt: userPurchases.createdAt,
    })
    .from(userPurchases)
    .where(and(IS_COMPLETED, IS_NOT_DELETED))
    .orderBy(desc(userPurchases.createdAt), desc(userPurchases.id))
    .limit(RECENT);
  const payments = await selectPaymentsOf(
    executor,
    recent.map(({ id }) => id),
  );
  return recent.map(({ status, amountPaise, ...purchase }) => {
    const own = payments.filter(({ purchaseId }) => purchaseId === purchase.id);
    return { ...purchase, amountPaise: paidOf({ status, amountPaise }, own)?.amountPaise ?? amountPaise };
  });
}

function countToolsOnSale(executor: Executor): Promise<number> {
  return executor.$count(tools, IS_ON_SALE);
}

type LowStock = Awaited<ReturnType<typeof selectLowStock>>[number];

/** Tools on sale that will soon be sold out, the fewest units first. */
function selectLowStock(executor: Executor) {
  return executor
    .select({ toolId: tools.id, toolName: tools.name, availableStock: tools.availableStock })
    .from(tools)
    .where(HAS_LOW_STOCK)
    .orderBy(asc(tools.availableStock), asc(tools.name))
    .limit(LOW_STOCK_LISTED);
}
