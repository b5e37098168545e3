import { z } from "zod";
import { formatPaise } from "#core/money.ts";
import type { TimelineEntry } from "#core/passes/purchase-timeline.ts";
import { isRefundReason, type RefundReason } from "#core/refund-reasons.ts";
import { formatDateTime, formatEnd, hasNoEnd, NO_END } from "#core/time.ts";

/** good: access or money that arrived; bad: a failure, or an end; plain: the rest. */
export type EntryTone = "good" | "bad" | "plain";

export interface EntryWords {
  title: string;
  details: string[];
  tone: EntryTone;
}

type EntryOf<Kind extends TimelineEntry["kind"]> = TimelineEntry & { kind: Kind };

const plain = (title: string, ...details: Array<string | null>) => words("plain", title, details);
const good = (title: string, ...details: Array<string | null>) => words("good", title, details);
const bad = (title: string, ...details: Array<string | null>) => words("bad", title, details);

function words(tone: EntryTone, title: string, details: Array<string | null>): EntryWords {
  return { tone, title, details: details.filter((detail) => detail !== null && detail !== "").map(String) };
}

/** What a timeline says about one entry. */
export function describeEntry(entry: TimelineEntry, timeZone: string): EntryWords {
  switch (entry.kind) {
    case "purchase-created":
      return describeCreation(entry);
    case "renewal-paid":
      return good(
        "Renewal paid",
        hasNoEnd(entry.expiresAt)
          ? `Access from ${formatDateTime(entry.startsAt, timeZone)}, no end`
          : `Access from ${formatDateTime(entry.startsAt, timeZone)} until ${formatDateTime(entry.expiresAt, timeZone)}`,
      );
    case "pass-started":
      return good(
        "Access started",
        hasNoEnd(entry.expiresAt) ? NO_END : `Until ${formatDateTime(entry.expiresAt, timeZone)}`,
      );
    case "pass-expired":
      return plain("Access expired");
    case "purchase-failed":
      // The message of a refund speaks to the buyer; the refund has an entry of its own.
      return bad(
        "Purchase failed",
        entry.reason && FAILURES[entry.reason],
        entry.reason === "refunded" ? null : entry.message,
      );
    case "purchase-ended":
      if (entry.reason === "superseded") return plain(ENDS.superseded);
      return bad(entry.reason ? ENDS[entry.reason] : "Ended");
    case "order-created": {
      const { gateway, gatewayOrderId, amountPaise, state } = entry;
      const order = gatewayOrderId ? `${gateway}, ${gatewayOrderId}` : gateway;
      return plain(`Payment order of ${formatPaise(amountPaise)} ${ORDER_STATES[state]}`, order);
    }
    case "payment-seen":
      return plain(`Payment of ${formatPaise(entry.amountPaise)} started`, entry.method, entry.paymentId);
    case "payment-captured":
      return describeCapture(entry);
    case "payment-failed":
      return bad("Payment failed", entry.message && `The buyer was told: ${entry.message}`, entry.paymentId);
    case "payment-left-uncaptured":
      return bad("Payment not collected; the bank returns it", reasonWords(entry.reason), entry.paymentId);
    case "refund-requested":
      return plain(`Refund of ${formatPaise(entry.amountPaise)} requested`, reasonWords(entry.reason));
    case "refund-updated":
      return describeRefund(entry);
    case "dispute-opened":
      return bad(
        `Dispute of ${formatPaise(entry.amountPaise)} opened`,
        entry.reason,
        `Phase: ${entry.phase}`,
        entry.respondBy && `Answer by ${formatDateTime(entry.respondBy, timeZone)}`,
        entry.disputeId,
        entry.paymentId,
      );
    case "dispute-updated":
      return describeDispute(entry);
    case "gateway-event":
      return plain(
        `The payment provider reported ${REPORTS.get(entry.type) ?? "an event"}`,
        REPORTS.has(entry.type) ? null : entry.type,
        entry.processedAt === null ? "Not processed yet" : null,
        entry.paymentId,
      );
    case "hand-out":
      return describeHandOut(entry);
    case "audit": {
      const { title, details } = describeAudit(entry, timeZone);
      return plain(title, ...details);
    }
  }
}

function describeCreation({ source, toolName, amountPaise }: EntryOf<"purchase-created">): EntryWords {
  switch (source) {
    case "checkout":
      return plain(`Checkout of ${toolName} for ${formatPaise(amountPaise)} started`);
    case "admin":
      return plain(
        amountPaise > 0
          ? `${toolName} sold by hand for ${formatPaise(amountPaise)}`
          : `${toolName} assigned by an admin`,
      );
    case "giveaway":
      return plain(`${toolName} won in the giveaway`);
    case "import":
      return plain(`Purchase of ${toolName} for ${formatPaise(amountPaise)} in the old shop`);
  }
}

function describeHandOut({ action, toolName, serverName }: EntryOf<"hand-out">): EntryWords {
  if (action === "access-code.redeemed") {
    return plain(`Redeemed the code for ${serverName ?? "a server"} with the extension`, toolName);
  }
  const what = action === "credential.revealed" ? "Credential" : "Access code";
  return plain(`${what} shown to the buyer`, [toolName, serverName].filter(Boolean).join(", "));
}

/** An order is told where it was made. That it was paid is told by its payment. */
const ORDER_STATES = {
  creating: "is being created",
  open: "created; it waits for a payment",
  settled: "created",
  closed: "created; closed since",
};

/** The events of the payment provider that it sends about a purchase. */
const REPORTS: ReadonlyMap<string, string> = new Map([
  ["payment.authorized", "an authorised payment"],
  ["payment.captured", "a received payment"],
  ["payment.failed", "a failed payment"],
  ["order.paid", "a paid order"],
  ["refund.created", "a started refund"],
  ["refund.processed", "a completed refund"],
  ["refund.failed", "a failed refund"],
  ["payment.dispute.created", "a new dispute"],
  ["payment.dispute.under_review", "a dispute that the bank looks at"],
  ["payment.dispute.action_required", "a dispute that needs an answer"],
  ["payment.dispute.won", "a dispute that was won"],
  ["payment.dispute.lost", "a dispute that was lost"],
  ["payment.dispute.closed", "a dispute that was closed"],
]);

const FAILURES = {
  "hold-ended": "Not paid in time",
  closed: "The buyer closed the checkout",
  replaced: "The buyer started another checkout",
  gateway: "The payment provider did not accept the order",
  refunded: "The payment could not become a pass and is refunded",
};

const ENDS = {
  refunded: "Ended: the payment was refunded",
  "charged-back": "Ended: the bank took the payment back",
  cancelled: "Ended: cancelled by an admin",
  deleted: "Ended: deleted by an admin",
  "user-deleted": "Ended: the account was deleted",
  superseded: "Superseded: kept as history, because a longer pass for the tool took its place in the import",
};

const OUTCOMES = {
  pass: "It pays for this pass",
  refund: "It is refunded",
  cancellation: "The shop keeps it",
  chargeback: "The bank has taken it back",
};

function describeCapture({
  amountPaise,
  outcome,
  paymentId,
  ...paid
}: EntryOf<"payment-captured">): EntryWords {
  const { buyerFeePaise, offerPaise } = paid;
  return good(
    `Payment of ${formatPaise(amountPaise)} received`,
    buyerFeePaise > 0
      ? `${formatPaise(buyerFeePaise)} of it is the payment provider’s fee, which the buyer bears`
      : null,
    offerPaise > 0
      ? `${formatPaise(offerPaise)} less than the price, by an offer at the payment provider`
      : null,
    outcome && OUTCOMES[outcome],
    paymentId,
  );
}

function describeRefund(refund: EntryOf<"refund-updated">): EntryWords {
  const title = `Refund of ${formatPaise(refund.amountPaise)}`;
  const id = refund.gatewayRefundId;
  switch (refund.status) {
    case "requested":
      return plain(`${title} requested`, id);
    case "processing":
      return plain(`${title} is with the payment provider`, id);
    case "processed":
      return good(`${title} made`, id);
    case "failed":
      return bad(`${title} failed: pay it back by hand`, id);
    case "charged-back":
      return plain(`${title} not made: the bank has paid the buyer back`, id);
  }
}

function describeDispute(dispute: EntryOf<"dispute-updated">): EntryWords {
  const title = `Dispute of ${formatPaise(dispute.amountPaise)}`;
  const { disputeId: id, deductedPaise } = dispute;
  const deducted = deductedPaise === null ? null : `${formatPaise(deductedPaise)} deducted`;
  switch (dispute.status) {
    case "open":
      return bad(`${title} needs an answer`, deducted, id);
    case "under_review":
      return plain(`${title} is with the bank`, deducted, id);
    case "won":
      return good(`${title} won`, deducted, id);
    case "lost":
      return bad(
        `${title} lost`,
        deducted,
        dispute.isSecondLoss
          ? "The payment was refunded as well: the buyer may have got the money twice"
          : null,
        id,
      );
    case "closed":
      return plain(`${title} closed`, deducted, id);
  }
}

/** Why a payment is refunded, or is not captured, for the owner. The buyer reads `refundMessage`. */
const REFUND_REASONS: Record<RefundReason, string> = {
  "refunded-at-gateway": "It was refunded on the payment provider’s pages",
  "amount-mismatch": "The amount paid was not the price",
  "duplicate-payment": "The buyer had already paid for this purchase",
  "already-refunded": "The purchase had already been refunded",
  "purchase-ended": "The purchase had already ended",
  "purchase-replaced": "The buyer had started another purchase of this tool",
  "account-closed": "The account had been deactivated or deleted",
  "already-owned": "The buyer already had access to this tool",
  "out-of-stock": "The tool was sold out when the payment arrived",
  "coupon-used-up": "The coupon was used up when the payment arrived",
  "cancelled-by-shop": "The shop has cancelled the purchase",
  "cancelled-and-given-back": "The shop has cancelled the purchase, and you give the money back yourself",
};

function reasonWords(reason: string): string {
  return isRefundReason(reason) ? REFUND_REASONS[reason] : reason;
}

/** It is made at the payment provider; the shop only records it. */
const PART_REFUNDED = "payment.part-refunded";

const ACTIONS: ReadonlyMap<string, string> = new Map([
  ["purchase.assigned", "Assigned"],
  ["purchase.sold-by-hand", "Sale recorded"],
  ["refund.given-back", "Refund given back"],
  ["giveaway.claimed", "Claimed in the giveaway"],
  ["unknown-payment.assigned", "Assigned to a payment that was missing from the backup"],
  ["purchase.extended", "Extended"],
  ["purchase.expiry-set", "Expiry date changed"],
  ["purchase.status-set", "Status set"],
  ["purchase.tool-joined", "Joined with a tool"],
  ["purchase.renewal-moved", "Start moved"],
  ["purchase.cancelled", "Cancelled"],
  ["purchase.deleted", "Deleted"],
  ["purchase.gateway-asked", "Payment provider asked"],
  ["refund.requested", "Refund requested"],
  ["refund.reopened", "Refund tried again"],
  ["payment.left-uncaptured", "Payment not collected"],
  ["payment.charged-back", "Payment taken back"],
  [PART_REFUNDED, "Part of the payment was refunded on the payment provider’s pages"],
]);

const ACTORS = { admin: "an admin", system: "the shop", user: "the buyer", visitor: "a visitor" };

const text = z.string().min(1).optional().catch(undefined);
const paise = z.number().optional().catch(undefined);
const expiry = z.object({ expiresAt: z.coerce.date().nullable() }).optional().catch(undefined);
const statusSet = z.object({ before: z.object({ status: text }), after: z.object({ status: text }) });

const detailsSchema = z.object({
  reason: text,
  refund: z.boolean().optional().catch(undefined),
  paidBackPaise: paise,
  amountPaise: paise,
  refundedPaise: paise,
  before: expiry,
  after: expiry,
});

/** What a timeline says about an audit event: what was done, by whom, and the facts of it that a person understands. */
function describeAudit(
  { action, actorKind, details }: TimelineEntry & { kind: "audit" },
  timeZone: string,
): { title: string; details: string[] } {
  const { reason, refund, paidBackPaise, before, after, ...payment } = detailsSchema.parse(details);
  const facts: string[] = [];
  const [from, to] = [before, after].map((times) => times?.expiresAt && formatEnd(times.expiresAt, timeZone));
  if (to && from !== to) facts.push(`End: ${from ? `${from} → ` : ""}${to}`);
  const status = action === "purchase.status-set" ? statusSet.safeParse(details).data : undefined;
  if (status) facts.push(`Status: ${status.before.status} → ${status.after.status}`);
  if (paidBackPaise) facts.push(`${formatPaise(paidBackPaise)} to be refunded`);
  if (action === PART_REFUNDED && payment.amountPaise !== undefined && payment.refundedPaise !== undefined)
    facts.push(
      `Refunded so far: ${formatPaise(payment.refundedPaise)} of ${formatPaise(payment.amountPaise)}`,
    );
  if (refund === false) facts.push("Without a refund");
  if (reason && action.startsWith("purchase.")) facts.push(`Reason: ${reason}`);
  const done = ACTIONS.get(action) ?? "Changed";
  const isOnlyRecorded = action === PART_REFUNDED && actorKind === "system";
  return { title: isOnlyRecorded ? done : `${done} by ${ACTORS[actorKind]}`, details: facts };
}
