/** What is true of a purchase, under its lock, at the moment a captured payment for it is accounted for. */
export interface CaptureFacts {
  status: "pending" | "completed" | "failed" | "active";
  ended: boolean;
  failedReason: "hold-ended" | "closed" | "replaced" | "gateway" | "refunded" | null;
  /** The gateway has paid it back already (the owner did it there). */
  alreadyBack: boolean;
  /** The amount or currency of the payment is not what we asked for. */
  amountMatches: boolean;
  /** The account exists and is not disabled. */
  userUsable: boolean;
  /** The buyer has a running pass for the tool by another purchase. */
  ownsTool: boolean;
}

export type RefundReason =
  | "refunded-at-gateway"
  | "amount-mismatch"
  | "duplicate-payment"
  | "purchase-ended"
  | "purchase-replaced"
  | "account-closed"
  | "already-owned"
  | "out-of-stock";

export type CaptureDecision =
  | { kind: "complete" }
  /** The hold is gone: a pass if stock can be taken again, otherwise a refund ('out-of-stock'). */
  | { kind: "retake" }
  | { kind: "refund"; reason: RefundReason };

/** Every captured payment becomes a pass or a refund; this table says which. */
export function decideCapture(facts: CaptureFacts): CaptureDecision {
  const refund = (reason: RefundReason): CaptureDecision => ({ kind: "refund", reason });
  if (facts.alreadyBack) return refund("refunded-at-gateway");
  if (!facts.amountMatches) return refund("amount-mismatch");
  if (facts.ended) return refund("purchase-ended");
  if (facts.status === "completed" || facts.status === "active") return refund("duplicate-payment");
  if (!facts.userUsable) return refund("account-closed");
  if (facts.status === "failed" && facts.failedReason === "replaced") return refund("purchase-replaced");
  if (facts.status === "failed" && facts.failedReason === "refunded") return refund("duplicate-payment");
  if (facts.ownsTool) return refund("already-owned");
  return facts.status === "pending" ? { kind: "complete" } : { kind: "retake" };
}
