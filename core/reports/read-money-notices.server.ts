import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { acceptsTestPasses } from "../entitlements/test-passes.ts";
import { DAY } from "../time.ts";
import { countUnaccounted } from "./discrepancies.ts";
import { selectLedgerAudit } from "./discrepancy-queries.server.ts";
import {
  type FailedRefund,
  selectFailedRefunds,
  sumOverdueRefunds,
  sumSoldOutRefunds,
} from "./money-notice-queries.server.ts";

const FAILED_REFUNDS_TOLD = 10;
const SOLD_OUT_TOLD_FOR = 7 * DAY;

/** Money that the admin has to look after, or should know of. Amounts in paise. */
export interface MoneyNotices {
  /** The oldest ten of `total`. */
  failedRefunds: { refunds: FailedRefund[]; total: number };
  /** Decided over 24 hours ago and not finished. */
  overdueRefunds: { number: number; paise: number };
  /** Captured payments without exactly one pass or refund, as the last look at the books found them. */
  unaccounted: { number: number; paymentIds: string[] };
  /** Payments of the last 7 days that went back because the tool was sold out when they arrived. */
  soldOut: Array<{ toolName: string; number: number; paise: number }>;
}

/** @throws DomainError unauthenticated, forbidden */
export async function readMoneyNotices(ctx: Context): Promise<MoneyNotices> {
  requireAdmin(ctx);
  const now = ctx.clock.now().getTime();
  const testMode = acceptsTestPasses(ctx);
  const [failedRefunds, overdueRefunds, watch, soldOut] = await Promise.all([
    selectFailedRefunds(ctx.db, testMode, FAILED_REFUNDS_TOLD),
    sumOverdueRefunds(ctx.db, testMode, new Date(now - DAY)),
    selectLedgerAudit(ctx.db),
    sumSoldOutRefunds(ctx.db, testMode, new Date(now - SOLD_OUT_TOLD_FOR)),
  ]);
  const unaccounted = { number: countUnaccounted(watch?.counts ?? {}), paymentIds: watch?.paymentIds ?? [] };
  return { failedRefunds, overdueRefunds, unaccounted, soldOut };
}
