import { requireSystem } from "../authorise.ts";
import type { Context } from "../context.ts";
import { acceptsTestPasses } from "../entitlements/test-passes.ts";
import { DAY, MINUTE } from "../time.ts";
import { DISCREPANCY_MESSAGES, isPaymentDiscrepancy, type LedgerAudit } from "./discrepancies.ts";
import { saveLedgerAudit, selectDiscrepancies } from "./discrepancy-queries.server.ts";

const SETTLED_WITHIN = 5 * MINUTE;
const REFUNDED_WITHIN = DAY;
const PAYMENTS_KEPT = 10;

/**
 * Looks for what must not be: captured payments that are not exactly one pass, refund or audited cancellation 5 minutes
 * later, refunds that failed or take over 24 hours, counters that do not add up. Changes nothing about them: each one is
 * an error in the log at every run, and their numbers are kept for the metrics and the admin's page.
 *
 * @throws DomainError forbidden
 */
export async function auditLedger(ctx: Context): Promise<LedgerAudit> {
  requireSystem(ctx);
  const now = ctx.clock.now();
  const discrepancies = await selectDiscrepancies(ctx.db, {
    capturedBefore: new Date(now.getTime() - SETTLED_WITHIN),
    refundDueBefore: new Date(now.getTime() - REFUNDED_WITHIN),
    testMode: acceptsTestPasses(ctx),
  });
  const watch: LedgerAudit = { at: now.toISOString(), counts: {}, paymentIds: [] };
  for (const { kind, total, facts } of discrepancies) {
    ctx.log.error({ finding: kind, ofThem: total, ...facts }, DISCREPANCY_MESSAGES[kind]);
    watch.counts[kind] = total;
    const { paymentId } = facts;
    if (
      isPaymentDiscrepancy(kind) &&
      typeof paymentId === "string" &&
      watch.paymentIds.length < PAYMENTS_KEPT
    ) {
      watch.paymentIds.push(paymentId);
    }
  }
  await saveLedgerAudit(ctx.db, watch);
  return watch;
}
