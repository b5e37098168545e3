import { acceptsTestPasses } from "../accepted-mode.server.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { countUnaccountedPayments } from "./discrepancies.ts";
import { selectLedgerAudit } from "./discrepancy-queries.server.ts";
import {
  selectFailedRefunds,
  sumOverdueRefunds,
  sumSoldOutRefunds,
} from "./payment-notice-queries.server.ts";
import { OVERDUE_AFTER_MS, type PaymentNotices, SOLD_OUT_WINDOW_MS } from "./payment-notices.ts";

const FAILED_REFUNDS_LISTED = 10;

/** @throws DomainError unauthenticated, forbidden */
export async function readPaymentNotices(ctx: Context): Promise<PaymentNotices> {
  requireAdmin(ctx, "reads");
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
