/**
 * Where a purchase stands.
 *
 * held: the buyer is paying, a unit of stock and a coupon use are kept · let-go: given up, nothing kept, money may still
 * arrive · replaced: another checkout of the same buyer took its place · paid-back: its money went back · running: a pass ·
 * over: a pass whose time has passed · withdrawn: ended for good by an admin, a refund or the end of the account.
 */
export type PurchaseState =
  | "held"
  | "hold-released"
  | "replaced"
  | "refunded"
  | "active"
  | "expired"
  | "revoked";

export type RefundReason =
  | "refunded-at-gateway"
  | "amount-mismatch"
  | "duplicate-payment"
  | "already-refunded"
  | "purchase-ended"
  | "purchase-replaced"
  | "account-closed"
  | "already-owned"
  | "out-of-stock"
  | "coupon-used-up"
  | "cancelled-by-shop";

/** What is true, under the purchase's lock, at the moment a captured payment for it is accounted for. */
export interface CaptureFacts {
  /** The gateway has paid it back already (the owner did it there). */
  alreadyRefunded: boolean;
  /** The amount and currency of the payment are what we asked for. */
  amountMatches: boolean;
  /** The account exists and is not disabled. */
  accountUsable: boolean;
  /** The buyer has a running pass for the tool by another purchase. */
  ownsTool: boolean;
}

export type PurchaseEvent =
  /** The buyer starts the same checkout again. */
  | { type: "resumed" }
  /** The buyer starts another checkout for the tool: another option, coupon or price. */
  | { type: "replaced" }
  /** The bank said no to one try. */
  | { type: "attempt-failed" }
  | { type: "hold-expired" }
  /** The buyer closed the checkout. */
  | { type: "closed" }
  /** The gateway made no order. */
  | { type: "order-refused" }
  /** There is nothing to pay. */
  | { type: "granted" }
  | ({ type: "captured" } & CaptureFacts)
  /** Money came after the hold, and what it needs is taken meanwhile. */
  | { type: "reservation-unavailable"; what: "stock" | "coupon" }
  /** The payment that brought the pass was paid back at the gateway. */
  | { type: "payment-reversed" }
  /** An admin ends it. */
  | { type: "cancelled" }
  /** The account is deleted. */
  | { type: "account-closed" };

export type PurchaseTransition =
  | {
      kind: "transition";
      to: PurchaseState;
      /** What becomes of the unit of stock and the coupon use. `reacquire` may fail; then comes `reservation-unavailable`. */
      unit: "keep" | "consume" | "release" | "reacquire";
      /** The captured payment goes back, and why; absent, it is what the purchase lives on. */
      refund?: RefundReason;
    }
  /** Legal and without effect: said twice, or too late to matter. */
  | { kind: "no-op" }
  | { kind: "rejected"; why: string };

interface Rules
  extends Record<Exclude<PurchaseEvent["type"], "captured" | "reservation-unavailable">, PurchaseTransition> {
  captured: (facts: CaptureFacts) => PurchaseTransition;
  "reservation-unavailable": (lost: { what: "stock" | "coupon" }) => PurchaseTransition;
}

const stays: PurchaseTransition = { kind: "no-op" };
const refused = (why: string): PurchaseTransition => ({ kind: "rejected", why });
const moves = (
  to: PurchaseState,
  unit: "keep" | "consume" | "release" | "reacquire",
): PurchaseTransition => ({
  kind: "transition",
  to,
  unit,
});
const paysBack = (
  refund: RefundReason,
  to: PurchaseState,
  unit: "keep" | "release" = "keep",
): PurchaseTransition => ({ kind: "transition", to, unit, refund });

/** Why money cannot be taken for this purchase, whatever the purchase's own state says. */
function flawOf(facts: CaptureFacts): RefundReason | null {
  if (facts.alreadyRefunded) return "refunded-at-gateway";
  return facts.amountMatches ? null : "amount-mismatch";
}

function obstacleOf(facts: CaptureFacts): RefundReason | null {
  const flaw = flawOf(facts);
  if (flaw) return flaw;
  if (!facts.accountUsable) return "account-closed";
  return facts.ownsTool ? "already-owned" : null;
}

const noOrder = refused("an order is refused only while it is being made");
const noPass = refused("no pass lives on this payment");
const notFree = refused("only a checkout under way is granted");
const notHeld = refused("only a checkout under way can be gone on with");
const noLateUnit = () => refused("it takes no unit again");

/** What happens to a pass, running or over, differs in its unit only: nobody sells the seat of a pass whose time is over. */
const passRules = (here: "active" | "expired", unit: "keep" | "release"): Rules => ({
  resumed: notHeld,
  replaced: notHeld,
  "attempt-failed": stays,
  "hold-expired": stays,
  closed: stays,
  "order-refused": noOrder,
  granted: notFree,
  captured: (facts) => paysBack(flawOf(facts) ?? "duplicate-payment", here),
  "reservation-unavailable": noLateUnit,
  "payment-reversed": moves("revoked", unit),
  cancelled: moves("revoked", unit),
  "account-closed": moves("revoked", unit),
});

/** Money for a purchase that is past saving goes back, and leaves it as it is. */
const pastSaving = (here: PurchaseState, reason: RefundReason): Rules => ({
  resumed: notHeld,
  replaced: stays,
  "attempt-failed": stays,
  "hold-expired": stays,
  closed: stays,
  "order-refused": stays,
  granted: notFree,
  captured: (facts) => paysBack(flawOf(facts) ?? reason, here),
  "reservation-unavailable": noLateUnit,
  "payment-reversed": noPass,
  cancelled: here === "revoked" ? stays : moves("revoked", "keep"),
  "account-closed": here === "revoked" ? stays : moves("revoked", "keep"),
});

const TABLE: Record<PurchaseState, Rules> = {
  held: {
    resumed: stays,
    replaced: moves("replaced", "release"),
    // The buyer may try again on the same order.
    "attempt-failed": stays,
    "hold-expired": moves("hold-released", "release"),
    closed: moves("hold-released", "release"),
    "order-refused": moves("hold-released", "release"),
    granted: moves("active", "consume"),
    captured: (facts) => {
      const obstacle = obstacleOf(facts);
      return obstacle ? paysBack(obstacle, "refunded", "release") : moves("active", "consume");
    },
    "reservation-unavailable": () => refused("it has its unit"),
    "payment-reversed": noPass,
    cancelled: moves("revoked", "release"),
    "account-closed": moves("revoked", "release"),
  },
  "hold-released": {
    resumed: notHeld,
    replaced: stays,
    "attempt-failed": stays,
    "hold-expired": stays,
    closed: stays,
    "order-refused": stays,
    granted: notFree,
    captured: (facts) => {
      const obstacle = obstacleOf(facts);
      return obstacle ? paysBack(obstacle, "refunded") : moves("active", "reacquire");
    },
    "reservation-unavailable": ({ what }) =>
      paysBack(what === "stock" ? "out-of-stock" : "coupon-used-up", "refunded"),
    "payment-reversed": noPass,
    cancelled: moves("revoked", "keep"),
    "account-closed": moves("revoked", "keep"),
  },
  replaced: {
    ...pastSaving("replaced", "purchase-replaced"),
    captured: (facts) => paysBack(flawOf(facts) ?? "purchase-replaced", "refunded"),
  },
  refunded: pastSaving("refunded", "already-refunded"),
  active: passRules("active", "release"),
  expired: passRules("expired", "keep"),
  revoked: pastSaving("revoked", "purchase-ended"),
};

/** What an event makes of a purchase. Every pair of state and event is in the table. */
export function purchaseTransition(state: PurchaseState, event: PurchaseEvent): PurchaseTransition {
  const rules = TABLE[state];
  if (event.type === "captured") return rules.captured(event);
  return event.type === "reservation-unavailable"
    ? rules["reservation-unavailable"](event)
    : rules[event.type];
}

interface PurchaseFacts {
  status: "pending" | "completed" | "failed" | "active";
  failedReason: "hold-ended" | "closed" | "replaced" | "gateway" | "refunded" | null;
  endedAt: Date | null;
  expiresAt: Date | null;
}

/** The state that a purchase's row tells. */
export function purchaseStateOf(purchase: PurchaseFacts, now: Date): PurchaseState {
  if (purchase.endedAt !== null) return "revoked";
  if (purchase.status === "pending") return "held";
  if (purchase.status === "failed") {
    if (purchase.failedReason === "replaced") return "replaced";
    return purchase.failedReason === "refunded" ? "refunded" : "hold-released";
  }
  return purchase.expiresAt !== null && purchase.expiresAt <= now ? "expired" : "active";
}
