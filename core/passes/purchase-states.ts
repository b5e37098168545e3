import type { PaymentAttempt } from "#db/tables/payments.ts";
import type { RefundReason } from "../refund-reasons.ts";

/**
 * The state of a purchase.
 *
 * held: the buyer is paying; a unit of stock and a coupon use are held · hold-released: given up or expired; nothing is held,
 * and a late payment may still arrive · replaced: another checkout of the same buyer took its place · refunded: its payment
 * is refunded · active: a pass within its time, or a pass that waits for its start · expired: a pass after its time · revoked:
 * ended for good by an admin, a refund at the gateway, a chargeback of the bank or the deletion of the account.
 */
export type PurchaseState =
  | "held"
  | "hold-released"
  | "replaced"
  | "refunded"
  | "active"
  | "expired"
  | "revoked";

/** The facts, under the purchase's lock, at the moment a captured payment for it is recorded. */
export interface CaptureFacts {
  /** The gateway has refunded all of it already. */
  alreadyRefunded: boolean;
  /** The payment has the amount and currency of the order. */
  amountMatches: boolean;
  /** The account exists and is not disabled. */
  accountUsable: boolean;
  /** The buyer has a pass for the tool by another purchase. For a renewal, only another renewal counts. */
  hasActivePass: boolean;
  /** The part of a released reservation that cannot be reacquired; null: all of it can, or it was never released. */
  unavailable: "stock" | "coupon" | null;
}

export type PurchaseEvent =
  /** The buyer starts another checkout for the tool: another option, coupon or price. */
  | { type: "replaced" }
  | { type: "hold-expired" }
  /** The buyer closed the checkout. */
  | { type: "closed" }
  /** The gateway created no order. */
  | { type: "order-refused" }
  /** Nothing has to be paid. */
  | { type: "granted" }
  | ({ type: "captured" } & CaptureFacts)
  /** The payment of the pass was refunded at the gateway. */
  | { type: "payment-reversed" }
  /** The bank has taken the payment of the pass back. */
  | { type: "charged-back" }
  /** An admin ends it. */
  | { type: "cancelled" }
  /** An admin deletes it: it ends and disappears from every list. Its row stays. */
  | { type: "deleted" }
  /** The account is deleted. */
  | { type: "account-closed" };

/** What happens to the held unit of stock and coupon use. `consume`: they were taken when they were held, and stay taken. */
export type ReservationChange = "keep" | "consume" | "release" | "reacquire";

export type PurchaseTransition =
  | {
      kind: "transition";
      to: PurchaseState;
      reservation: ReservationChange;
      /** Why the captured payment is refunded; absent: it pays for the pass. */
      refund?: RefundReason;
    }
  /** Allowed and without effect: the event is repeated or too late. */
  | { kind: "no-op" }
  | { kind: "rejected"; why: string };

interface Rules extends Record<Exclude<PurchaseEvent["type"], "captured">, PurchaseTransition> {
  captured: (facts: CaptureFacts) => PurchaseTransition;
}

const noOp: PurchaseTransition = { kind: "no-op" };
const rejected = (why: string): PurchaseTransition => ({ kind: "rejected", why });
const transition = (to: PurchaseState, reservation: ReservationChange): PurchaseTransition => ({
  kind: "transition",
  to,
  reservation,
});
const refunding = (
  refund: RefundReason,
  to: PurchaseState,
  reservation: "keep" | "release" = "keep",
): PurchaseTransition => ({ kind: "transition", to, reservation, refund });

/** Why the payment cannot be kept, whatever the state of the purchase is. */
function problemOfPayment(facts: CaptureFacts): RefundReason | null {
  if (facts.alreadyRefunded) return "refunded-at-gateway";
  return facts.amountMatches ? null : "amount-mismatch";
}

/** Why the payment cannot become a pass, for a purchase that waits for one. */
function obstacleToPass(facts: CaptureFacts): RefundReason | null {
  const problem = problemOfPayment(facts);
  if (problem) return problem;
  if (!facts.accountUsable) return "account-closed";
  if (facts.hasActivePass) return "already-owned";
  if (facts.unavailable === null) return null;
  return facts.unavailable === "stock" ? "out-of-stock" : "coupon-used-up";
}

const noOrder = rejected("the gateway refuses an order only while the checkout starts");
const noPass = rejected("no pass depends on this payment");
const notHeld = rejected("only an open checkout can be granted");
const notReplaceable = rejected("a pass cannot be replaced by a checkout");

/** Active and expired passes differ in their reservation only: the unit of an expired pass is not sold again. */
const passRules = (state: "active" | "expired", reservation: "keep" | "release"): Rules => ({
  replaced: notReplaceable,
  "hold-expired": noOp,
  closed: noOp,
  "order-refused": noOrder,
  granted: notHeld,
  captured: (facts) => refunding(problemOfPayment(facts) ?? "duplicate-payment", state),
  "payment-reversed": transition("revoked", reservation),
  // The unit and the coupon use were used up.
  "charged-back": transition("revoked", "keep"),
  cancelled: transition("revoked", reservation),
  deleted: transition("revoked", reservation),
  "account-closed": transition("revoked", reservation),
});

/** A payment for a purchase that can never become a pass is refunded and leaves the purchase as it is. */
const finalRules = (state: PurchaseState, reason: RefundReason): Rules => ({
  replaced: noOp,
  "hold-expired": noOp,
  closed: noOp,
  "order-refused": noOp,
  granted: notHeld,
  captured: (facts) => refunding(problemOfPayment(facts) ?? reason, state),
  "payment-reversed": noPass,
  "charged-back": state === "revoked" ? noOp : noPass,
  // What is refunded already stays refunded: nothing is left to cancel.
  cancelled: state === "replaced" ? transition("revoked", "keep") : noOp,
  // Also what was cancelled or refunded before can be deleted.
  deleted: transition("revoked", "keep"),
  "account-closed": state === "revoked" ? noOp : transition("revoked", "keep"),
});

const TABLE: Record<PurchaseState, Rules> = {
  held: {
    replaced: transition("replaced", "release"),
    "hold-expired": transition("hold-released", "release"),
    closed: transition("hold-released", "release"),
    "order-refused": transition("hold-released", "release"),
    granted: transition("active", "consume"),
    captured: (facts) => {
      const obstacle = obstacleToPass(facts);
      return obstacle ? refunding(obstacle, "refunded", "release") : transition("active", "consume");
    },
    "payment-reversed": noPass,
    "charged-back": noPass,
    cancelled: transition("revoked", "release"),
    deleted: transition("revoked", "release"),
    "account-closed": transition("revoked", "release"),
  },
  "hold-released": {
    replaced: noOp,
    "hold-expired": noOp,
    closed: noOp,
    "order-refused": noOp,
    granted: notHeld,
    // The late payment policy: a pass when its stock and its coupon use are still available, else a refund.
    captured: (facts) => {
      const obstacle = obstacleToPass(facts);
      return obstacle ? refunding(obstacle, "refunded") : transition("active", "reacquire");
    },
    "payment-reversed": noPass,
    "charged-back": noPass,
    cancelled: transition("revoked", "keep"),
    deleted: transition("revoked", "keep"),
    "account-closed": transition("revoked", "keep"),
  },
  replaced: {
    ...finalRules("replaced", "purchase-replaced"),
    captured: (facts) => refunding(problemOfPayment(facts) ?? "purchase-replaced", "refunded"),
  },
  refunded: finalRules("refunded", "already-refunded"),
  active: passRules("active", "release"),
  expired: passRules("expired", "keep"),
  revoked: finalRules("revoked", "purchase-ended"),
};

/** The effect of an event on a purchase. Every pair of state and event is in the table. */
export function purchaseTransition(state: PurchaseState, event: PurchaseEvent): PurchaseTransition {
  const rules = TABLE[state];
  return event.type === "captured" ? rules.captured(event) : rules[event.type];
}

interface PurchaseRow {
  status: "pending" | "completed" | "failed" | "active";
  source: "checkout" | "admin" | "giveaway" | "import";
  failedReason: "hold-ended" | "closed" | "replaced" | "gateway" | "refunded" | null;
  endedAt: Date | null;
  endedReason: "refunded" | "cancelled" | "deleted" | "user-deleted" | "superseded" | "charged-back" | null;
  expiresAt: Date | null;
}

/**
 * Whether the buyer may still pay. A pending purchase of an imported shop is history. `IS_OPEN_CHECKOUT` of
 * pass-validity.server.ts is the same rule in SQL.
 */
export function isOpenCheckout({ status, source }: Pick<PurchaseRow, "status" | "source">): boolean {
  return status === "pending" && source !== "import";
}

/** Whether the purchase is or was a pass. An imported one may have the times of a pass without being one. */
export function wasCompleted({ status }: Pick<PurchaseRow, "status">): boolean {
  return status === "completed" || status === "active";
}

type StatusRow = Pick<PurchaseRow, "status"> & { calledActive: boolean };

/** How a status is stored: 'active' is another word for completed. */
export function storedStatus(status: PurchaseRow["status"]): StatusRow {
  return status === "active" ? { status: "completed", calledActive: true } : { status, calledActive: false };
}

/** The status as an old shop or an admin has called it. */
export function calledStatus({ status, calledActive }: StatusRow): PurchaseRow["status"] {
  return status === "completed" && calledActive ? "active" : status;
}

/**
 * When access ends or has ended: before its expiry when it was ended early. A superseded pass keeps its last day, because a
 * longer one took its place. null: there was never a pass.
 */
export function accessEndOf(
  purchase: Pick<PurchaseRow, "status" | "expiresAt" | "endedAt" | "endedReason">,
): Date | null {
  if (!wasCompleted(purchase)) return null;
  const { expiresAt, endedAt, endedReason } = purchase;
  if (endedReason === "superseded") return expiresAt;
  return expiresAt !== null && endedAt !== null && endedAt < expiresAt ? endedAt : expiresAt;
}

/** The state that a purchase's row is in at `now`. */
export function purchaseStateOf(purchase: Omit<PurchaseRow, "endedReason">, now: Date): PurchaseState {
  if (purchase.endedAt !== null) return "revoked";
  if (isOpenCheckout(purchase)) return "held";
  if (!wasCompleted(purchase)) {
    if (purchase.failedReason === "replaced") return "replaced";
    return purchase.failedReason === "refunded" ? "refunded" : "hold-released";
  }
  return purchase.expiresAt !== null && purchase.expiresAt <= now ? "expired" : "active";
}

/** Whether the last payment attempt failed and none was captured. @param attempts oldest first */
export function wasDeclined(attempts: readonly Pick<PaymentAttempt, "status">[]): boolean {
  return attempts.at(-1)?.status === "failed" && attempts.every(({ status }) => status !== "captured");
}
