import { acceptsTestPasses } from "../accepted-mode.server.ts";
import { requireSystem } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DAY, MINUTE } from "../time.ts";
import { DISCREPANCY_MESSAGES, isPaymentDiscrepancy, type LedgerAudit } from "./discrepancies.ts";
import { saveLedgerAudit, selectDiscrepancies } from "./discrepancy-queries.server.ts";

const MAX_SETTLE_MS = 5 * MINUTE;
const MAX_REFUND_MS = DAY;
const PAYMENT_IDS_KEPT = 10;

/**
 * Finds discrepancies: captured payments that are not exactly one pass, refund or audited cancellation after 5 minutes,
 * refunds that failed or take more than 24 hours, wrong counters of stock and coupons. It corrects nothing. Every run
 * logs each discrepancy as an error and saves their counts for the metrics and the admin's page.
 *
 * @throws DomainError forbidden
 */
export async function auditLedger(ctx: Context): Promise<LedgerAudit> {
  requireSystem(ctx);
  const now = ctx.clock.now();
  const discrepancies = await selectDiscrepancies(ctx.db, {
    capturedBefore: new Date(now.getTime() - MAX_SETTLE_MS),
    refundDueBefore: new Date(now.getTime() - MAX_REFUND_MS),
    includeTestMode: acceptsTestPasses(ctx),
  });
  const audit: LedgerAudit = { at: now.toISOString(), counts: {}, paymentIds: [] };
  for (const { kind, total, facts } of discrepancies) {
    ctx.log.error({ finding: kind, total, ...facts }, DISCREPANCY_MESSAGES[kind]);
    audit.counts[kind] = total;
    const { paymentId } = facts;
    if (
      isPaymentDiscrepancy(kind) &&
      typeof paymentId === "string" &&
      audit.paymentIds.length < PAYMENT_IDS_KEPT
    ) {
      audit.paymentIds.push(paymentId);
    }
  }
  await saveLedgerAudit(ctx.db, audit);
  return audit;
}
