import type { PaymentAttempt, PaymentDispute, PaymentOrder, Refund } from "#db/tables/payments.ts";

/**
 * The state of one payment. `created`, `failed`, `authorized` and `captured` are statuses of the gateway. `unseen`: the
 * shop has no row of it. `uncaptured`: authorised, and the shop has decided not to capture it; the gateway returns it
 * to the buyer. A captured payment gets exactly one outcome: `pass`, `refund`, `retained` when an admin ends the
 * pass and the shop keeps the money, or `chargeback` when the bank has taken all of it back.
 */
export type PaymentState =
  | "unseen"
  | "created"
  | "failed"
  | "authorized"
  | "uncaptured"
  | "captured"
  | "pass"
  | "refund"
  | "retained"
  | "chargeback";

export type PaymentEvent =
  /** The gateway reports the payment with this status; in any order, any number of times. */
  | "gateway-created"
  | "gateway-failed"
  | "gateway-authorized"
  | "gateway-captured"
  /** Captured once, and refunded in full since. */
  | "gateway-refunded"
  /** The shop decides not to capture an authorised payment, because its purchase cannot become a pass. */
  | "leave-uncaptured"
  /** The captured payment pays for a pass. */
  | "fulfil"
  /** The captured payment is refunded. */
  | "refund"
  /** An admin ends the pass and keeps the money, with a reason. */
  | "retain"
  /** The bank has taken all of it back: its disputes are lost. */
  | "charge-back"
  /** Its refund was held until the bank took all of it back, and is not made any more. */
  | "drop-refund";

export type PaymentTransition =
  | { kind: "transition"; to: PaymentState }
  /** Known already, or older than what is recorded. */
  | { kind: "no-op" }
  | { kind: "rejected"; why: string };

const to = (state: PaymentState): PaymentTransition => ({ kind: "transition", to: state });
const noOp: PaymentTransition = { kind: "no-op" };
const rejected = (why: string): PaymentTransition => ({ kind: "rejected", why });
const hasOutcome = rejected("the payment has another outcome");
const noRefund = rejected("the payment has no refund");

/** A payment that is not captured cannot have an outcome. */
const notCaptured = {
  fulfil: rejected("no money was captured"),
  refund: rejected("no money was captured"),
  retain: rejected("no money was captured"),
  "charge-back": rejected("no money was captured"),
  "drop-refund": rejected("no money was captured"),
} as const;

const notAuthorised = {
  "leave-uncaptured": rejected("only an authorised payment can be left uncaptured"),
} as const;

/** These reports change nothing after the capture: they repeat it, or are older than it. */
const oldReports = {
  "gateway-created": noOp,
  "gateway-failed": noOp,
  "gateway-authorized": noOp,
  "gateway-captured": noOp,
} as const;

const TABLE: Record<PaymentState, Record<PaymentEvent, PaymentTransition>> = {
  unseen: {
    "gateway-created": to("created"),
    "gateway-failed": to("failed"),
    "gateway-authorized": to("authorized"),
    "gateway-captured": to("captured"),
    "gateway-refunded": to("captured"),
    ...notAuthorised,
    ...notCaptured,
  },
  created: {
    "gateway-created": noOp,
    "gateway-failed": to("failed"),
    "gateway-authorized": to("authorized"),
    "gateway-captured": to("captured"),
    "gateway-refunded": to("captured"),
    ...notAuthorised,
    ...notCaptured,
  },
  // An attempt that failed may be authorised days later.
  failed: {
    "gateway-created": noOp,
    "gateway-failed": noOp,
    "gateway-authorized": to("authorized"),
    "gateway-captured": to("captured"),
    "gateway-refunded": to("captured"),
    ...notAuthorised,
    ...notCaptured,
  },
  authorized: {
    "gateway-created": noOp,
    // The gateway has returned what was not captured.
    "gateway-failed": to("failed"),
    "gateway-authorized": noOp,
    "gateway-captured": to("captured"),
    "gateway-refunded": to("captured"),
    "leave-uncaptured": to("uncaptured"),
    ...notCaptured,
  },
  // The decision is final: the buyer has got a mail about it. Only a capture on the gateway's own pages undoes it.
  uncaptured: {
    "gateway-created": noOp,
    "gateway-failed": noOp,
    "gateway-authorized": noOp,
    "gateway-captured": to("captured"),
    "gateway-refunded": to("captured"),
    "leave-uncaptured": noOp,
    ...notCaptured,
  },
  captured: {
    ...oldReports,
    "gateway-refunded": noOp,
    ...notAuthorised,
    fulfil: to("pass"),
    refund: to("refund"),
    retain: rejected("no pass was ended"),
    "charge-back": rejected("it gets another outcome first"),
    "drop-refund": noRefund,
  },
  pass: {
    ...oldReports,
    "gateway-refunded": to("refund"),
    ...notAuthorised,
    fulfil: noOp,
    refund: to("refund"),
    retain: to("retained"),
    "charge-back": to("chargeback"),
    "drop-refund": noRefund,
  },
  refund: {
    ...oldReports,
    "gateway-refunded": noOp,
    ...notAuthorised,
    fulfil: hasOutcome,
    refund: noOp,
    retain: hasOutcome,
    // What was refunded stays refunded, and is lost a second time. A refund that was held is dropped by its job.
    "charge-back": noOp,
    "drop-refund": to("chargeback"),
  },
  retained: {
    ...oldReports,
    "gateway-refunded": to("refund"),
    ...notAuthorised,
    fulfil: hasOutcome,
    refund: to("refund"),
    retain: noOp,
    "charge-back": to("chargeback"),
    "drop-refund": noRefund,
  },
  // The bank has paid the buyer back, so nothing is refunded any more.
  chargeback: {
    ...oldReports,
    "gateway-refunded": noOp,
    ...notAuthorised,
    fulfil: hasOutcome,
    refund: hasOutcome,
    retain: hasOutcome,
    "charge-back": noOp,
    "drop-refund": noOp,
  },
};

/** The effect of an event on a payment. Every pair of state and event is in the table. */
export function paymentTransition(state: PaymentState, event: PaymentEvent): PaymentTransition {
  return TABLE[state][event];
}

type PaymentRow = Pick<PaymentAttempt, "status" | "outcome" | "uncapturedReason">;

/** The state that a payment's row is in; null: there is no row. */
export function paymentStateOf(attempt: PaymentRow | null): PaymentState {
  if (attempt === null) return "unseen";
  if (attempt.status === "authorized" && attempt.uncapturedReason !== null) return "uncaptured";
  return attempt.outcome === "cancellation" ? "retained" : (attempt.outcome ?? attempt.status);
}

/** How a state is stored in `payment_attempts.outcome`. */
export function storedOutcomeOf(state: PaymentState): PaymentAttempt["outcome"] {
  if (state === "pass" || state === "refund" || state === "chargeback") return state;
  return state === "retained" ? "cancellation" : null;
}

/**
 * A state machine as a table: the next state for each state and event, or null when the event changes nothing.
 */
type StateTable<State extends string, Event extends string> = Readonly<
  Record<State, Readonly<Record<Event, State | null>>>
>;

/** The states that an event changes, for the condition of a statement. */
export function statesChangedBy<State extends string, Event extends string>(
  table: StateTable<State, Event>,
  event: Event,
): State[] {
  return (Object.keys(table) as State[]).filter((state) => table[state][event] !== null);
}

/**
 * creating: the gateway has not answered yet · open: it can be paid · settled: a payment has an outcome · closed: given
 * up.
 */
type OrderState = PaymentOrder["state"];

export type OrderEvent =
  /** The gateway has created the order. */
  | "created-at-gateway"
  /** A captured payment of the order has an outcome. */
  | "payment-settled"
  /** No payment is expected any more. A late webhook still settles the order. */
  | "given-up";

export const ORDER_TABLE: StateTable<OrderState, OrderEvent> = {
  creating: { "created-at-gateway": "open", "payment-settled": "settled", "given-up": "closed" },
  open: { "created-at-gateway": null, "payment-settled": "settled", "given-up": "closed" },
  settled: { "created-at-gateway": null, "payment-settled": null, "given-up": null },
  closed: { "created-at-gateway": "open", "payment-settled": "settled", "given-up": null },
};

/** The effect of an event on an order; null: none. */
export function orderTransition(state: OrderState, event: OrderEvent): OrderState | null {
  return ORDER_TABLE[state][event];
}

/**
 * requested: not sent yet · processing: the gateway has begun · processed: the money went back · failed: the gateway
 * gave up · charged-back: it was held because of a dispute, and the bank has paid the buyer back.
 */
type RefundState = Refund["status"];

export type RefundEvent =
  /** The gateway reports the refund with this status. */
  | "gateway-pending"
  | "gateway-processed"
  | "gateway-failed"
  /** A failed refund was made on the gateway's own pages. */
  | "completed-at-gateway"
  /** A person has given the money back, because no gateway has it. */
  | "given-back"
  /** The gateway reports that the shop still has money of a processed refund. */
  | "reopened"
  /** The bank has taken all of the payment back, and the gateway has refunded nothing of it. */
  | "charged-back";

const unchanged = {
  "gateway-pending": null,
  "gateway-processed": null,
  "gateway-failed": null,
  "completed-at-gateway": null,
  "given-back": null,
  reopened: null,
  "charged-back": null,
} as const;

/** An old response changes no final state. */
export const REFUND_TABLE: StateTable<RefundState, RefundEvent> = {
  requested: {
    ...unchanged,
    "gateway-pending": "processing",
    "gateway-processed": "processed",
    "gateway-failed": "failed",
    "given-back": "processed",
    "charged-back": "charged-back",
  },
  processing: { ...unchanged, "gateway-processed": "processed", "gateway-failed": "failed" },
  processed: { ...unchanged, reopened: "requested" },
  failed: { ...unchanged, "completed-at-gateway": "processed", "charged-back": "charged-back" },
  "charged-back": unchanged,
};

/** The effect of an event on a refund; null: none. */
export function refundTransition(state: RefundState, event: RefundEvent): RefundState | null {
  return REFUND_TABLE[state][event];
}

/** The states of refunds that the gateway has not finished. */
export const UNFINISHED_REFUND_STATES = statesChangedBy(REFUND_TABLE, "gateway-processed");

type DisputeState = PaymentDispute["status"];

/**
 * The effect of the gateway's report about a dispute; null: none. The bank may want more evidence, so under_review → open is
 * possible. A final state stays: a report that differs is older.
 */
export const DISPUTE_TABLE: StateTable<DisputeState, DisputeState> = {
  open: { open: null, under_review: "under_review", won: "won", lost: "lost", closed: "closed" },
  under_review: { open: "open", under_review: null, won: "won", lost: "lost", closed: "closed" },
  won: { open: null, under_review: null, won: null, lost: null, closed: null },
  lost: { open: null, under_review: null, won: null, lost: null, closed: null },
  closed: { open: null, under_review: null, won: null, lost: null, closed: null },
};

/** The states of disputes that the bank has not decided. */
export const OPEN_DISPUTE_STATES = statesChangedBy(DISPUTE_TABLE, "won");

type Dispute = Pick<PaymentDispute, "status" | "phase" | "deductedPaise">;

/**
 * Whether the bank may still pay the buyer back, so that a refund would pay twice. In the phase fraud the owner has to
 * refund.
 */
export const holdsRefund = ({ status, phase }: Dispute): boolean =>
  phase !== "fraud" && OPEN_DISPUTE_STATES.includes(status);

/** Whether the bank reports fraud and leaves it to the owner to refund: the gateway has not taken the money. */
export const asksForRefund = ({ status, phase, deductedPaise }: Dispute): boolean =>
  phase === "fraud" && status !== "won" && status !== "closed" && (deductedPaise ?? 0) === 0;

/** Whether the gateway has taken the money back. In the phase fraud it leaves that to the owner, unless it reports a deduction. */
export const isLost = ({ status, phase, deductedPaise }: Dispute): boolean =>
  status === "lost" && (phase !== "fraud" || (deductedPaise ?? 0) > 0);

/**
 * What the gateway has taken back of a payment, in paise. Disputes of one phase are about different parts of it; a later
 * phase is about the same money again.
 */
export function lostPaiseOf(
  amountPaise: number,
  disputes: readonly (Dispute & Pick<PaymentDispute, "amountPaise">)[],
): number {
  const byPhase = new Map<string, number>();
  for (const dispute of disputes.filter(isLost))
    byPhase.set(dispute.phase, (byPhase.get(dispute.phase) ?? 0) + dispute.amountPaise);
  return Math.min(amountPaise, Math.max(0, ...byPhase.values()));
}

/** Whether disputes have taken all that was paid for the pass and not refunded. The fee that a buyer bears is not part of it. */
export const isLostInFull = ({
  amountPaise,
  buyerFeePaise,
  refundedPaise,
  lostPaise,
}: Pick<PaymentAttempt, "amountPaise" | "buyerFeePaise" | "refundedPaise" | "lostPaise">): boolean =>
  lostPaise > 0 && amountPaise - buyerFeePaise - refundedPaise - lostPaise <= 0;
