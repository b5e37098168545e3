import { z } from "zod";

/** How a captured payment can fail to be exactly one pass, refund or audited cancellation. */
const PAYMENT_FINDINGS = [
  "no-outcome",
  "told-and-not-settled",
  "pass-missing",
  "refund-missing",
  "refund-beside-pass",
  "cancellation-unaudited",
  "order-kept-twice",
] as const;

const findingKind = z.enum([
  ...PAYMENT_FINDINGS,
  "refund-failed",
  "refund-overdue",
  "stock-below-zero",
  "coupon-miscounted",
]);

export type DiscrepancyKind = z.output<typeof findingKind>;

export const DISCREPANCY_KINDS = findingKind.options;

/** For the log. */
export const DISCREPANCY_MESSAGES: Record<DiscrepancyKind, string> = {
  "no-outcome": "a captured payment is neither a pass nor a refund nor a cancellation",
  "told-and-not-settled": "the payment provider told of a payment, and it is not in the books",
  "pass-missing": "a payment counts as a pass, and its purchase is none",
  "refund-missing": "a payment counts as a refund, without exactly one refund of its full amount",
  "refund-beside-pass": "a payment that was kept has a refund as well",
  "cancellation-unaudited": "a payment was kept for a cancelled purchase, and no audit row says who did it",
  "order-kept-twice": "more than one payment was kept for one order",
  "refund-failed": "a refund failed at the payment provider; it has to be paid back by hand",
  "refund-overdue": "a refund is not finished after 24 hours",
  "stock-below-zero": "a stock is below zero",
  "coupon-miscounted": "a coupon's counter differs from its held and used uses",
};

/** One row that is wrong, and how many of its kind there are in all. Facts hold ids and amounts (paise) alone. */
export const finding = z.object({
  kind: findingKind,
  total: z.coerce.number().int(),
  facts: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
});

export type Discrepancy = z.output<typeof finding>;

/** The setting that keeps what the last look found. */
export const LEDGER_AUDIT_KEY = "money-watch";

export const ledgerAudit = z.object({
  /** ISO 8601, UTC. */
  at: z.iso.datetime(),
  /** How many of each kind; kinds that were not found are left out. */
  counts: z.partialRecord(findingKind, z.number().int()),
  /** The provider's ids of the first few payments that are not accounted for. */
  paymentIds: z.array(z.string()),
});

export type LedgerAudit = z.output<typeof ledgerAudit>;

export const isPaymentDiscrepancy = (kind: DiscrepancyKind): boolean =>
  PAYMENT_FINDINGS.some((payment) => payment === kind);

/** Captured payments that are not exactly one pass, refund or audited cancellation. */
export function countUnaccounted(counts: LedgerAudit["counts"]): number {
  return PAYMENT_FINDINGS.reduce((sum, kind) => sum + (counts[kind] ?? 0), 0);
}
