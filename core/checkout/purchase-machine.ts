/**
 * Where a purchase stands.
 *
 * held: the buyer is paying, a unit of stock and a coupon use are kept · let-go: given up, nothing kept, money may still
 * arrive · replaced: another checkout of the same buyer took its place · paid-back: its money went back · running: a pass ·
 * over: a pass whose time has passed · withdrawn: ended for good by an admin, a refund or the end of the account.
 */
export type PurchaseState = "held" | "let-go" | "replaced" | "paid-back" | "running" | "over" | "withdrawn";

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
  alreadyBack: boolean;
  /** The amount and currency of the payment are what we asked for. */
  amountMatches: boolean;
  /** The account exists and is not disabled. */
  userUsable: boolean;
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
  | { type: "unit-gone"; what: "stock" | "coupon" }
  /** The payment that brought the pass was paid back at the gateway. */
  | { type: "payment-reversed" }
  /** An admin ends it. */
  | { type: "cancelled" }
  /** The account is deleted. */
  | { type: "account-closed" };

export type PurchaseMove =
  | {
      kind: "moves";
      to: PurchaseState;
      /** What becomes of the unit of stock and the coupon use. `takes-again` may fail; then comes `unit-gone`. */
      unit: "keeps" | "uses" | "gives-back" | "takes-again";
      /** The captured payment goes back, and why; absent, it is what the purchase lives on. */
      refund?: RefundReason;
    }
  /** Legal and without effect: said twice, or too late to matter. */
  | { kind: "stays" }
  | { kind: "refused"; why: string };

interface Rules extends Record<Exclude<PurchaseEvent["type"], "captured" | "unit-gone">, PurchaseMove> {
  captured: (facts: CaptureFacts) => PurchaseMove;
  "unit-gone": (lost: { what: "stock" | "coupon" }) => PurchaseMove;
}

const stays: PurchaseMove = { kind: "stays" };
const refused = (why: string): PurchaseMove => ({ kind: "refused", why });
const moves = (to: PurchaseState, unit: "keeps" | "uses" | "gives-back" | "takes-again"): PurchaseMove => ({
  kind: "moves",
  to,
  unit,
});
const paysBack = (
  refund: RefundReason,
  to: PurchaseState,
  unit: "keeps" | "gives-back" = "keeps",
): PurchaseMove => ({ kind: "moves", to, unit, refund });

/** Why money cannot be taken for this purchase, whatever the purchase's own state says. */
function flawOf(facts: CaptureFacts): RefundReason | null {
  if (facts.alreadyBack) return "refunded-at-gateway";
  return facts.amountMatches ? null : "amount-mismatch";
}

function obstacleOf(facts: CaptureFacts): RefundReason | null {
  const flaw = flawOf(facts);
  if (flaw) return flaw;
  if (!facts.userUsable) return "account-closed";
  return facts.ownsTool ? "already-owned" : null;
}

const noOrder = refused("an order is refused only while it is being made");
const noPass = refused("no pass lives on this payment");
const notFree = refused("only a checkout under way is granted");
const notHeld = refused("only a checkout under way can be gone on with");
const noLateUnit = () => refused("it takes no unit again");

/** What happens to a pass, running or over, differs in its unit only: nobody sells the seat of a pass whose time is over. */
const passRules = (here: "running" | "over", unit: "keeps" | "gives-back"): Rules => ({
  resumed: notHeld,
  replaced: notHeld,
  "attempt-failed": stays,
  "hold-expired": stays,
  closed: stays,
  "order-refused": noOrder,
  granted: notFree,
  captured: (facts) => paysBack(flawOf(facts) ?? "duplicate-payment", here),
  "unit-gone": noLateUnit,
  "payment-reversed": moves("withdrawn", unit),
  cancelled: moves("withdrawn", unit),
  "account-closed": moves("withdrawn", unit),
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
  "unit-gone": noLateUnit,
  "payment-reversed": noPass,
  cancelled: here === "withdrawn" ? stays : moves("withdrawn", "keeps"),
  "account-closed": here === "withdrawn" ? stays : moves("withdrawn", "keeps"),
});

const TABLE: Record<PurchaseState, Rules> = {
  held: {
    resumed: stays,
    replaced: moves("replaced", "gives-back"),
    // The buyer may try again on the same order.
    "attempt-failed": stays,
    "hold-expired": moves("let-go", "gives-back"),
    closed: moves("let-go", "gives-back"),
    "order-refused": moves("let-go", "gives-back"),
    granted: moves("running", "uses"),
    captured: (facts) => {
      const obstacle = obstacleOf(facts);
      return obstacle ? paysBack(obstacle, "paid-back", "gives-back") : moves("running", "uses");
    },
    "unit-gone": () => refused("it has its unit"),
    "payment-reversed": noPass,
    cancelled: moves("withdrawn", "gives-back"),
    "account-closed": moves("withdrawn", "gives-back"),
  },
  "let-go": {
    resumed: notHeld,
    replaced: stays,
    "attempt-failed": stays,
    "hold-expired": stays,
    closed: stays,
    "order-refused": stays,
    granted: notFree,
    captured: (facts) => {
      const obstacle = obstacleOf(facts);
      return obstacle ? paysBack(obstacle, "paid-back") : moves("running", "takes-again");
    },
    "unit-gone": ({ what }) => paysBack(what === "stock" ? "out-of-stock" : "coupon-used-up", "paid-back"),
    "payment-reversed": noPass,
    cancelled: moves("withdrawn", "keeps"),
    "account-closed": moves("withdrawn", "keeps"),
  },
  replaced: {
    ...pastSaving("replaced", "purchase-replaced"),
    captured: (facts) => paysBack(flawOf(facts) ?? "purchase-replaced", "paid-back"),
  },
  "paid-back": pastSaving("paid-back", "already-refunded"),
  running: passRules("running", "gives-back"),
  over: passRules("over", "keeps"),
  withdrawn: pastSaving("withdrawn", "purchase-ended"),
};

/** What an event makes of a purchase. Every pair of state and event is in the table. */
export function nextMove(state: PurchaseState, event: PurchaseEvent): PurchaseMove {
  const rules = TABLE[state];
  if (event.type === "captured") return rules.captured(event);
  return event.type === "unit-gone" ? rules["unit-gone"](event) : rules[event.type];
}

interface PurchaseFacts {
  status: "pending" | "completed" | "failed" | "active";
  failedReason: "hold-ended" | "closed" | "replaced" | "gateway" | "refunded" | null;
  endedAt: Date | null;
  expiresAt: Date | null;
}

/** The state that a purchase's row tells. */
export function stateOf(purchase: PurchaseFacts, now: Date): PurchaseState {
  if (purchase.endedAt !== null) return "withdrawn";
  if (purchase.status === "pending") return "held";
  if (purchase.status === "failed") {
    if (purchase.failedReason === "replaced") return "replaced";
    return purchase.failedReason === "refunded" ? "paid-back" : "let-go";
  }
  return purchase.expiresAt !== null && purchase.expiresAt <= now ? "over" : "running";
}
