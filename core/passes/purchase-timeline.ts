import type { PaymentAttempt, PaymentDispute, PaymentOrder, Refund } from "#db/tables/payments.ts";
import type { Purchase } from "#db/tables/purchases.ts";
import type { Paid } from "../paid.server.ts";
import { wasCompleted } from "./purchase-states.ts";

/** The longest timeline. The newest entries are kept. */
export const TIMELINE_LENGTH = 200;

/** What happened to a purchase. Amounts in paise, validity in days. No entry has a code, a password or a raw payload. */
export type TimelineEntry = { at: Date } & (
  | { kind: "purchase-created"; source: Purchase["source"]; toolName: string; amountPaise: number }
  /** A paid renewal, which starts when the pass before it ends. */
  | { kind: "renewal-paid"; startsAt: Date; expiresAt: Date }
  | { kind: "pass-started"; expiresAt: Date }
  | { kind: "pass-expired" }
  | { kind: "purchase-failed"; reason: Purchase["failedReason"]; message: string | null }
  | { kind: "purchase-ended"; reason: Purchase["endedReason"] }
  | {
      kind: "order-created";
      gateway: string;
      gatewayOrderId: string | null;
      amountPaise: number;
      state: PaymentOrder["state"];
    }
  | { kind: "payment-seen"; paymentId: string; amountPaise: number; method: string | null }
  | ({ kind: "payment-captured"; paymentId: string; outcome: PaymentAttempt["outcome"] } & Paid)
  | { kind: "payment-failed"; paymentId: string; message: string | null }
  | { kind: "payment-left-uncaptured"; paymentId: string; reason: string }
  | { kind: "refund-requested"; paymentId: string; amountPaise: number; reason: string }
  /** The last change of a refund that the gateway has answered. */
  | {
      kind: "refund-updated";
      paymentId: string;
      amountPaise: number;
      status: Refund["status"];
      gatewayRefundId: string | null;
    }
  | {
      kind: "dispute-opened";
      disputeId: string;
      paymentId: string;
      amountPaise: number;
      phase: string;
      reason: string | null;
      respondBy: Date | null;
    }
  /** The last change of a dispute. */
  | {
      kind: "dispute-updated";
      disputeId: string;
      amountPaise: number;
      deductedPaise: number | null;
      status: PaymentDispute["status"];
      /** It is lost, and its payment was refunded as well. */
      isSecondLoss: boolean;
    }
  | { kind: "gateway-event"; type: string; paymentId: string | null; processedAt: Date | null }
  /** The buyer was shown an access code or a credential of the tool's page, or redeemed a code with the extension. */
  | { kind: "hand-out"; action: string; toolName: string | null; serverName: string | null }
  | {
      kind: "audit";
      action: string;
      actorKind: "visitor" | "user" | "admin" | "system";
      actorId: string | null;
      details: Record<string, unknown>;
    }
);

/** The entries that a purchase's own row tells. */
export function entriesOfPurchase(purchase: Purchase, now: Date): TimelineEntry[] {
  const { source, toolName, amountPaise, startsAt, expiresAt, endedAt, failedReason } = purchase;
  const entries: TimelineEntry[] = [
    { at: purchase.createdAt, kind: "purchase-created", source, toolName, amountPaise },
  ];
  const isPass = wasCompleted(purchase);
  const { isRenewal, capturedAt } = purchase;
  if (isPass && isRenewal && startsAt && expiresAt && capturedAt && startsAt > capturedAt)
    entries.push({ at: capturedAt, kind: "renewal-paid", startsAt, expiresAt });
  if (isPass && startsAt && expiresAt && startsAt <= (endedAt ?? now))
    entries.push({ at: startsAt, kind: "pass-started", expiresAt });
  if (isPass && expiresAt && expiresAt <= (endedAt ?? now))
    entries.push({ at: expiresAt, kind: "pass-expired" });
  if (purchase.status === "failed" && endedAt === null) {
    const message = purchase.errorMessage;
    entries.push({ at: purchase.updatedAt, kind: "purchase-failed", reason: failedReason, message });
  }
  if (endedAt) entries.push({ at: endedAt, kind: "purchase-ended", reason: purchase.endedReason });
  return entries;
}

export function entriesOfOrder(order: PaymentOrder): TimelineEntry[] {
  const { gateway, gatewayOrderId, amountPaise, state } = order;
  // The order of a sale by hand: no gateway has made it.
  if (state === "settled" && gatewayOrderId === null) return [];
  return [{ at: order.createdAt, kind: "order-created", gateway, gatewayOrderId, amountPaise, state }];
}

export function entriesOfPayment(attempt: PaymentAttempt, order: PaymentOrder): TimelineEntry[] {
  const { gatewayPaymentId: paymentId, amountPaise, method, outcome, uncapturedReason } = attempt;
  const { buyerFeePaise } = attempt;
  const entries: TimelineEntry[] = [
    { at: attempt.createdAt, kind: "payment-seen", paymentId, amountPaise, method },
  ];
  if (attempt.status === "captured") {
    const at = attempt.capturedAt ?? attempt.updatedAt;
    // A refunded payment may have had any amount.
    const offerPaise = outcome === "refund" ? 0 : Math.max(0, order.amountPaise - amountPaise);
    entries.push({
      at,
      kind: "payment-captured",
      paymentId,
      amountPaise,
      buyerFeePaise,
      offerPaise,
      outcome,
    });
  }
  if (attempt.status === "failed") {
    entries.push({
      at: attempt.updatedAt,
      kind: "payment-failed",
      paymentId,
      message: attempt.errorDescription,
    });
  }
  if (attempt.status === "authorized" && uncapturedReason !== null) {
    entries.push({
      at: attempt.updatedAt,
      kind: "payment-left-uncaptured",
      paymentId,
      reason: uncapturedReason,
    });
  }
  return entries;
}

export function entriesOfRefund({
  refund,
  paymentId,
}: {
  refund: Refund;
  paymentId: string;
}): TimelineEntry[] {
  const { amountPaise, reason, status, gatewayRefundId } = refund;
  const requested: TimelineEntry = {
    at: refund.createdAt,
    kind: "refund-requested",
    paymentId,
    amountPaise,
    reason,
  };
  if (status === "requested") return [requested];
  const at = refund.updatedAt;
  return [requested, { at, kind: "refund-updated", paymentId, amountPaise, status, gatewayRefundId }];
}

/** @param lostTwice the gateway's ids of payments that were refunded as well */
export function entriesOfDispute(dispute: PaymentDispute, lostTwice: ReadonlySet<string>): TimelineEntry[] {
  const {
    gatewayDisputeId: disputeId,
    gatewayPaymentId: paymentId,
    amountPaise,
    deductedPaise,
    status,
  } = dispute;
  const { phase, respondBy } = dispute;
  const reason = dispute.reason ?? dispute.reasonCode;
  const opened = { disputeId, paymentId, amountPaise, phase, reason, respondBy };
  const isSecondLoss = status === "lost" && lostTwice.has(paymentId);
  const updated = { disputeId, amountPaise, deductedPaise, status, isSecondLoss };
  return [
    { at: dispute.openedAt, kind: "dispute-opened", ...opened },
    ...(status === "open" && dispute.updatedAt.getTime() === dispute.createdAt.getTime()
      ? []
      : [{ at: dispute.updatedAt, kind: "dispute-updated" as const, ...updated }]),
  ];
}

/** The order of entries of the same second: causes before their effects. */
const CAUSES_FIRST: Record<TimelineEntry["kind"], number> = {
  "purchase-created": 0,
  "order-created": 1,
  "payment-seen": 2,
  "payment-failed": 3,
  "payment-left-uncaptured": 3,
  "payment-captured": 4,
  "renewal-paid": 5,
  "pass-started": 5,
  "gateway-event": 6,
  "hand-out": 7,
  "purchase-failed": 8,
  "pass-expired": 8,
  audit: 9,
  "purchase-ended": 10,
  "refund-requested": 11,
  "refund-updated": 12,
  "dispute-opened": 13,
  "dispute-updated": 14,
};

/** An audit event about a refund belongs to the refund, which follows the end of the purchase. */
function rankOf(entry: TimelineEntry): number {
  const isOfRefund = entry.kind === "audit" && entry.action.startsWith("refund.");
  return CAUSES_FIRST[isOfRefund ? "refund-requested" : entry.kind];
}

/** The entries of one step of a purchase have the times of several clocks, which differ by less than this. */
const ONE_STEP_MS = 1000;

/**
 * Sorted by time; only the newest when there are too many. Entries within a second are sorted by cause, and entries of one kind
 * by time.
 */
export function orderTimeline(entries: readonly TimelineEntry[]): {
  entries: TimelineEntry[];
  leftOut: number;
} {
  const byTime = (a: TimelineEntry, b: TimelineEntry) => a.at.getTime() - b.at.getTime();
  const steps: TimelineEntry[][] = [];
  for (const entry of entries.toSorted(byTime)) {
    const step = steps.at(-1);
    const since = step?.[0] ? byTime(entry, step[0]) : ONE_STEP_MS;
    if (step && since < ONE_STEP_MS) step.push(entry);
    else steps.push([entry]);
  }
  const ordered = steps.flatMap((step) => step.toSorted((a, b) => rankOf(a) - rankOf(b)));
  const leftOut = Math.max(0, ordered.length - TIMELINE_LENGTH);
  return { entries: ordered.slice(leftOut), leftOut };
}
