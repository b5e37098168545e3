import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { acceptsTestPasses } from "../entitlements/test-passes.ts";
import { DAY } from "../time.ts";
import { countUnaccountedPayments } from "./discrepancies.ts";
import { selectLedgerAudit } from "./discrepancy-queries.server.ts";
import {
  type FailedRefund,
  selectFailedRefunds,
  sumOverdueRefunds,
  sumSoldOutRefunds,
} from "./payment-notice-queries.server.ts";

const FAILED_REFUNDS_LISTED = 10;
const OVERDUE_AFTER_MS = DAY;
const SOLD_OUT_WINDOW_MS = 7 * DAY;

/** Payments and refunds that need the admin's attention. */
export interface PaymentNotices {
  /** The oldest ten of `total`. */
  failedRefunds: { refunds: FailedRefund[]; total: number };
  /** Requested over 24 hours ago and not finished. */
  overdueRefunds: { number: number; paise: number };
  /** Captured payments without exactly one pass or refund, from the last ledger audit. */
  unaccounted: { number: number; paymentIds: string[] };
  /** Late payments of the last 7 days that are refunded because the tool was sold out. */
  soldOut: Array<{ toolName: string; number: number; paise: number }>;
}

/** @throws DomainError unauthenticated, forbidden */
export async function readPaymentNotices(ctx: Context): Promise<PaymentNotices> {
  requireAdmin(ctx);
  const now = ctx.clock.now().getTime();
  const includeTestMode = acceptsTestPasses(ctx);
  const [failedRefunds, overdueRefunds, audit, soldOut] = await Promise.all([
    selectFailedRefunds(ctx.db, includeTestMode, FAILED_REFUNDS_LISTED),
    sumOverdueRefunds(ctx.db, includeTestMode, new Date(now - OVERDUE_AFTER_MS)),
    selectLedgerAudit(ctx.db),
    sumSoldOutRefunds(ctx.db, includeTestMode, new Date(now - SOLD_OUT_WINDOW_MS)),
  ]);
  const unaccounted = {
    number: countUnaccountedPayments(audit?.counts ?? {}),
    paymentIds: audit?.paymentIds ?? [],
  };
  return { failedRefunds, overdueRefunds, unaccounted, soldOut };
}
