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
  | "told-created"
  | "told-failed"
  | "told-authorized"
  | "told-captured"
  /** Captured once and paid back in full since. */
  | "told-refunded"
  /** We decide not to capture an authorised payment, because its purchase cannot become a pass. */
  | "left-uncaptured"
  /** We decide what a captured payment is. */
  | "becomes-pass"
  | "goes-back"
  /** An admin ends its pass and keeps the money, with a reason. */
  | "kept-by-shop";

export type PaymentMove =
  | { kind: "moves"; to: PaymentState }
  /** Known already, or older than what we know. */
  | { kind: "stays" }
  | { kind: "refused"; why: string };

const to = (state: PaymentState): PaymentMove => ({ kind: "moves", to: state });
const stays: PaymentMove = { kind: "stays" };
const refused = (why: string): PaymentMove => ({ kind: "refused", why });
const noMoney = refused("no money was captured");
const unaccounted = refused("it is not a pass yet");
const accounted = refused("it is accounted for");
const notAuthorised = refused("only an authorised payment can be left uncaptured");

/** News of a payment whose money we have accounted for is old, unless the money went back. */
const oldNews = {
  "told-created": stays,
  "told-failed": stays,
  "told-authorized": stays,
  "told-captured": stays,
} as const;

const TABLE: Record<PaymentState, Record<PaymentEvent, PaymentMove>> = {
  unseen: {
    "told-created": to("created"),
    "told-failed": to("failed"),
    "told-authorized": to("authorized"),
    "told-captured": to("captured"),
    "told-refunded": to("captured"),
    "left-uncaptured": notAuthorised,
    "becomes-pass": noMoney,
    "goes-back": noMoney,
    "kept-by-shop": noMoney,
  },
  created: {
    "told-created": stays,
    "told-failed": to("failed"),
    "told-authorized": to("authorized"),
    "told-captured": to("captured"),
    "told-refunded": to("captured"),
    "left-uncaptured": notAuthorised,
    "becomes-pass": noMoney,
    "goes-back": noMoney,
    "kept-by-shop": noMoney,
  },
  // A try that seemed to fail may be authorised days later.
  failed: {
    "told-created": stays,
    "told-failed": stays,
    "told-authorized": to("authorized"),
    "told-captured": to("captured"),
    "told-refunded": to("captured"),
    "left-uncaptured": notAuthorised,
    "becomes-pass": noMoney,
    "goes-back": noMoney,
    "kept-by-shop": noMoney,
  },
  authorized: {
    "told-created": stays,
    // The gateway has returned what nobody captured.
    "told-failed": to("failed"),
    "told-authorized": stays,
    "told-captured": to("captured"),
    "told-refunded": to("captured"),
    "left-uncaptured": to("uncaptured"),
    "becomes-pass": noMoney,
    "goes-back": noMoney,
    "kept-by-shop": noMoney,
  },
  // The decision is final, because the buyer has been told; only a capture by hand at the gateway undoes it.
  uncaptured: {
    "told-created": stays,
    "told-failed": stays,
    "told-authorized": stays,
    "told-captured": to("captured"),
    "told-refunded": to("captured"),
    "left-uncaptured": stays,
    "becomes-pass": noMoney,
    "goes-back": noMoney,
    "kept-by-shop": noMoney,
  },
  captured: {
    ...oldNews,
    "told-refunded": stays,
    "left-uncaptured": notAuthorised,
    "becomes-pass": to("pass"),
    "goes-back": to("refund"),
    "kept-by-shop": unaccounted,
  },
  pass: {
    ...oldNews,
    "told-refunded": to("refund"),
    "left-uncaptured": notAuthorised,
    "becomes-pass": stays,
    "goes-back": to("refund"),
    "kept-by-shop": to("cancellation"),
  },
  refund: {
    ...oldNews,
    "told-refunded": stays,
    "left-uncaptured": notAuthorised,
    "becomes-pass": accounted,
    "goes-back": stays,
    "kept-by-shop": accounted,
  },
  cancellation: {
    ...oldNews,
    "told-refunded": to("refund"),
    "left-uncaptured": notAuthorised,
    "becomes-pass": accounted,
    "goes-back": to("refund"),
    "kept-by-shop": stays,
  },
};

/** What an event makes of a payment. Every pair of state and event is in the table. */
export function nextPaymentMove(state: PaymentState, event: PaymentEvent): PaymentMove {
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
