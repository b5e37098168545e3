import { z } from "zod";

/** Ways in which a captured payment is not exactly one pass, refund, audited cancellation or lost dispute. */
const PAYMENT_DISCREPANCIES = [
  "no-outcome",
  "reported-not-settled",
  "pass-missing",
  "refund-missing",
  "refund-beside-pass",
  "cancellation-unaudited",
  "order-kept-twice",
  "chargeback-wrong",
] as const;

const discrepancyKind = z.enum([
  ...PAYMENT_DISCREPANCIES,
  "refund-failed",
  "refund-overdue",
  "stock-below-zero",
  "coupon-miscounted",
]);

export type DiscrepancyKind = z.output<typeof discrepancyKind>;

export const DISCREPANCY_KINDS = discrepancyKind.options;

/** Log messages. */
export const DISCREPANCY_MESSAGES: Record<DiscrepancyKind, string> = {
  "no-outcome": "captured payment without an outcome",
  "reported-not-settled": "the gateway has reported a captured payment that is not settled",
  "pass-missing": "payment with the outcome pass, but its purchase is not a pass",
  "refund-missing": "payment with the outcome refund, but without exactly one refund of its full amount",
  "refund-beside-pass": "payment with a refund, but its outcome is not refund",
  "cancellation-unaudited": "payment retained for a cancelled purchase, but without an audit event",
  "order-kept-twice": "order with more than one payment that was not refunded",
  "chargeback-wrong":
    "payment that a dispute has lost in full, but its outcome is another, or the other way round",
  "refund-failed": "refund failed at the gateway; the owner must refund it by hand",
  "refund-overdue": "refund not finished after 24 hours",
  "stock-below-zero": "stock below zero",
  "coupon-miscounted": "counter of a coupon differs from its held and used redemptions",
};

/** One wrong row, and how many of its kind there are. `facts` hold only ids, counts and amounts (paise). */
export const discrepancySchema = z.object({
  kind: discrepancyKind,
  total: z.coerce.number().int(),
  facts: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
});

export type Discrepancy = z.output<typeof discrepancySchema>;

/** An older version has stored one kind under another name. */
const storedKind = z.preprocess(
  (kind) => (kind === "told-and-not-settled" ? "reported-not-settled" : kind),
  discrepancyKind,
);

/** The setting with the result of the last ledger audit. */
export const LEDGER_AUDIT_KEY = "money-watch";

export const ledgerAuditSchema = z.object({
  /** ISO 8601, UTC. */
  at: z.iso.datetime(),
  /** How many discrepancies of each kind; kinds without one are absent. */
  counts: z.partialRecord(storedKind, z.number().int()),
  /** The gateway's ids of the first payments with a discrepancy. */
  paymentIds: z.array(z.string()),
});

export type LedgerAudit = z.output<typeof ledgerAuditSchema>;

export const isPaymentDiscrepancy = (kind: DiscrepancyKind): boolean =>
  PAYMENT_DISCREPANCIES.some((payment) => payment === kind);

/** Captured payments that are not exactly one pass, refund, audited cancellation or lost dispute. */
export function countUnaccountedPayments(counts: LedgerAudit["counts"]): number {
  return PAYMENT_DISCREPANCIES.reduce((sum, kind) => sum + (counts[kind] ?? 0), 0);
}
