/**
 * Where one payment stands. The first four after `unseen` are the gateway's words; a captured payment is then accounted for
 * as exactly one of the last three. `unseen` is a payment that we have not heard of. `uncaptured` is an authorised payment
 * that the shop has decided not to capture: the gateway returns it to the buyer by itself.
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
  | "cancellation";

export type PaymentEvent =
  /** The gateway says where it stands; in any order, as often as it likes. */
  | "gateway-created"
  | "gateway-failed"
  | "gateway-authorized"
  | "gateway-captured"
  /** Captured once and paid back in full since. */
  | "gateway-refunded"
  /** We decide not to capture an authorised payment, because its purchase cannot become a pass. */
  | "left-uncaptured"
  /** We decide what a captured payment is. */
  | "becomes-pass"
  | "refund"
  /** An admin ends its pass and keeps the money, with a reason. */
  | "retain";

export type PaymentTransition =
  | { kind: "transition"; to: PaymentState }
  /** Known already, or older than what we know. */
  | { kind: "no-op" }
  | { kind: "rejected"; why: string };

const to = (state: PaymentState): PaymentTransition => ({ kind: "transition", to: state });
const stays: PaymentTransition = { kind: "no-op" };
const refused = (why: string): PaymentTransition => ({ kind: "rejected", why });
const noMoney = refused("no money was captured");
const unaccounted = refused("it is not a pass yet");
const accounted = refused("it is accounted for");
const notAuthorised = refused("only an authorised payment can be left uncaptured");

/** News of a payment whose money we have accounted for is old, unless the money went back. */
const oldNews = {
  "gateway-created": stays,
  "gateway-failed": stays,
  "gateway-authorized": stays,
  "gateway-captured": stays,
} as const;

const TABLE: Record<PaymentState, Record<PaymentEvent, PaymentTransition>> = {
  unseen: {
    "gateway-created": to("created"),
    "gateway-failed": to("failed"),
    "gateway-authorized": to("authorized"),
    "gateway-captured": to("captured"),
    "gateway-refunded": to("captured"),
    "left-uncaptured": notAuthorised,
    "becomes-pass": noMoney,
    refund: noMoney,
    retain: noMoney,
  },
  created: {
    "gateway-created": stays,
    "gateway-failed": to("failed"),
    "gateway-authorized": to("authorized"),
    "gateway-captured": to("captured"),
    "gateway-refunded": to("captured"),
    "left-uncaptured": notAuthorised,
    "becomes-pass": noMoney,
    refund: noMoney,
    retain: noMoney,
  },
  // A try that seemed to fail may be authorised days later.
  failed: {
    "gateway-created": stays,
    "gateway-failed": stays,
    "gateway-authorized": to("authorized"),
    "gateway-captured": to("captured"),
    "gateway-refunded": to("captured"),
    "left-uncaptured": notAuthorised,
    "becomes-pass": noMoney,
    refund: noMoney,
    retain: noMoney,
  },
  authorized: {
    "gateway-created": stays,
    // The gateway has returned what nobody captured.
    "gateway-failed": to("failed"),
    "gateway-authorized": stays,
    "gateway-captured": to("captured"),
    "gateway-refunded": to("captured"),
    "left-uncaptured": to("uncaptured"),
    "becomes-pass": noMoney,
    refund: noMoney,
    retain: noMoney,
  },
  // The decision is final, because the buyer has been told; only a capture by hand at the gateway undoes it.
  uncaptured: {
    "gateway-created": stays,
    "gateway-failed": stays,
    "gateway-authorized": stays,
    "gateway-captured": to("captured"),
    "gateway-refunded": to("captured"),
    "left-uncaptured": stays,
    "becomes-pass": noMoney,
    refund: noMoney,
    retain: noMoney,
  },
  captured: {
    ...oldNews,
    "gateway-refunded": stays,
    "left-uncaptured": notAuthorised,
    "becomes-pass": to("pass"),
    refund: to("refund"),
    retain: unaccounted,
  },
  pass: {
    ...oldNews,
    "gateway-refunded": to("refund"),
    "left-uncaptured": notAuthorised,
    "becomes-pass": stays,
    refund: to("refund"),
    retain: to("cancellation"),
  },
  refund: {
    ...oldNews,
    "gateway-refunded": stays,
    "left-uncaptured": notAuthorised,
    "becomes-pass": accounted,
    refund: stays,
    retain: accounted,
  },
  cancellation: {
    ...oldNews,
    "gateway-refunded": to("refund"),
    "left-uncaptured": notAuthorised,
    "becomes-pass": accounted,
    refund: to("refund"),
    retain: stays,
  },
};

/** What an event makes of a payment. Every pair of state and event is in the table. */
export function paymentTransition(state: PaymentState, event: PaymentEvent): PaymentTransition {
  return TABLE[state][event];
}

/** The state that a payment's row tells. */
export function paymentStateOf(
  attempt: {
    status: "created" | "authorized" | "captured" | "failed";
    outcome: "pass" | "refund" | "cancellation" | null;
    uncapturedReason: string | null;
  } | null,
): PaymentState {
  if (attempt === null) return "unseen";
  if (attempt.status === "authorized" && attempt.uncapturedReason !== null) return "uncaptured";
  return attempt.outcome ?? attempt.status;
}
