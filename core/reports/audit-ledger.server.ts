import { acceptsTestPasses } from "../accepted-mode.server.ts";
import { requireSystem } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DAY, HOUR, MINUTE } from "../time.ts";
import { DISCREPANCY_MESSAGES, isPaymentDiscrepancy, type LedgerAudit } from "./discrepancies.ts";
import { saveLedgerAudit, selectDiscrepancies, selectLedgerAudit } from "./discrepancy-queries.server.ts";

const MAX_SETTLE_MS = 5 * MINUTE;
const MAX_REFUND_MS = DAY;
const PAYMENT_IDS_KEPT = 10;
/** Comparing the counters reads every account, purchase and payment. */
const COUNTERS_CHECKED_EVERY_MS = HOUR;

/**
 * Finds discrepancies: captured payments that are not exactly one pass, refund or audited cancellation after 5 minutes,
 * refunds that failed or take more than 24 hours, wrong counters. The counters of the statistics are checked once an
 * hour. It corrects nothing. Every run logs each discrepancy as
 * an error and saves their counts for the metrics and the admin's page.
 *
 * @throws DomainError forbidden
 */
export async function auditLedger(ctx: Context): Promise<LedgerAudit> {
  requireSystem(ctx);
  const now = ctx.clock.now();
  const last = await selectLedgerAudit(ctx.db);
  const checksCounters = isDue(last, now);
  const discrepancies = await selectDiscrepancies(ctx.db, {
    capturedBefore: new Date(now.getTime() - MAX_SETTLE_MS),
    refundDueBefore: new Date(now.getTime() - MAX_REFUND_MS),
    includeTestMode: acceptsTestPasses(ctx),
    countersAt: checksCounters ? now : null,
  });
  const audit: LedgerAudit = { at: now.toISOString(), counts: {}, paymentIds: [] };
  if (checksCounters) audit.countersCheckedAt = audit.at;
  else keepCounterCheck(audit, last);
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

/** A clock that was set back makes the check due as well. */
function isDue(last: LedgerAudit | null, now: Date): boolean {
  const checkedAt = last?.countersCheckedAt;
  if (checkedAt === undefined) return true;
  const age = now.getTime() - new Date(checkedAt).getTime();
  return age < 0 || age >= COUNTERS_CHECKED_EVERY_MS;
}

/** What the last check of the counters found is true until the next one. */
function keepCounterCheck(audit: LedgerAudit, last: LedgerAudit | null): void {
  if (last?.countersCheckedAt !== undefined) audit.countersCheckedAt = last.countersCheckedAt;
  const wrong = last?.counts["counter-wrong"];
  if (wrong !== undefined) audit.counts["counter-wrong"] = wrong;
}
