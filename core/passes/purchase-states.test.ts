import { describe, expect, test } from "vitest";
import {
  type CaptureFacts,
  type PurchaseEvent,
  type PurchaseState,
  type PurchaseTransition,
  purchaseStateOf,
  purchaseTransition,
} from "./purchase-states.ts";

const acceptable: CaptureFacts = {
  alreadyRefunded: false,
  amountMatches: true,
  accountUsable: true,
  hasActivePass: false,
  unavailable: null,
};
const captured = (facts: Partial<CaptureFacts> = {}): PurchaseEvent => ({
  type: "captured",
  ...acceptable,
  ...facts,
});

/** "–": no-op. "✗": rejected. Else: the next state, the change of the reservation, and the reason of the refund. */
function describeTransition(transition: PurchaseTransition): string {
  if (transition.kind === "no-op") return "–";
  if (transition.kind === "rejected") return "✗";
  return [transition.to, transition.reservation, transition.refund].filter(Boolean).join(" ");
}

const STATES = ["held", "hold-released", "replaced", "refunded", "active", "expired", "revoked"] as const;

const TABLE: [name: string, event: PurchaseEvent, ...ends: string[]][] = [
  ["replaced", { type: "replaced" }, "replaced release", "–", "–", "–", "✗", "✗", "–"],
  ["hold expired", { type: "hold-expired" }, "hold-released release", "–", "–", "–", "–", "–", "–"],
  ["closed", { type: "closed" }, "hold-released release", "–", "–", "–", "–", "–", "–"],
  [
    "order refused by the gateway",
    { type: "order-refused" },
    "hold-released release",
    "–",
    "–",
    "–",
    "✗",
    "✗",
    "–",
  ],
  ["granted", { type: "granted" }, "active consume", "✗", "✗", "✗", "✗", "✗", "✗"],
  [
    "captured",
    captured(),
    "active consume",
    "active reacquire",
    "refunded keep purchase-replaced",
    "refunded keep already-refunded",
    "active keep duplicate-payment",
    "expired keep duplicate-payment",
    "revoked keep purchase-ended",
  ],
  [
    "captured and refunded already",
    captured({ alreadyRefunded: true, amountMatches: false }),
    "refunded release refunded-at-gateway",
    "refunded keep refunded-at-gateway",
    "refunded keep refunded-at-gateway",
    "refunded keep refunded-at-gateway",
    "active keep refunded-at-gateway",
    "expired keep refunded-at-gateway",
    "revoked keep refunded-at-gateway",
  ],
  [
    "captured with another amount",
    captured({ amountMatches: false, accountUsable: false }),
    "refunded release amount-mismatch",
    "refunded keep amount-mismatch",
    "refunded keep amount-mismatch",
    "refunded keep amount-mismatch",
    "active keep amount-mismatch",
    "expired keep amount-mismatch",
    "revoked keep amount-mismatch",
  ],
  [
    "captured for a closed account",
    captured({ accountUsable: false, hasActivePass: true }),
    "refunded release account-closed",
    "refunded keep account-closed",
    "refunded keep purchase-replaced",
    "refunded keep already-refunded",
    "active keep duplicate-payment",
    "expired keep duplicate-payment",
    "revoked keep purchase-ended",
  ],
  [
    "captured for a buyer who owns the tool",
    captured({ hasActivePass: true }),
    "refunded release already-owned",
    "refunded keep already-owned",
    "refunded keep purchase-replaced",
    "refunded keep already-refunded",
    "active keep duplicate-payment",
    "expired keep duplicate-payment",
    "revoked keep purchase-ended",
  ],
  [
    "late capture of a sold-out tool",
    captured({ unavailable: "stock" }),
    "refunded release out-of-stock",
    "refunded keep out-of-stock",
    "refunded keep purchase-replaced",
    "refunded keep already-refunded",
    "active keep duplicate-payment",
    "expired keep duplicate-payment",
    "revoked keep purchase-ended",
  ],
  [
    "late capture with a used-up coupon",
    captured({ unavailable: "coupon" }),
    "refunded release coupon-used-up",
    "refunded keep coupon-used-up",
    "refunded keep purchase-replaced",
    "refunded keep already-refunded",
    "active keep duplicate-payment",
    "expired keep duplicate-payment",
    "revoked keep purchase-ended",
  ],
  [
    "late capture of a sold-out tool for a buyer who owns it",
    captured({ unavailable: "stock", hasActivePass: true }),
    "refunded release already-owned",
    "refunded keep already-owned",
    "refunded keep purchase-replaced",
    "refunded keep already-refunded",
    "active keep duplicate-payment",
    "expired keep duplicate-payment",
    "revoked keep purchase-ended",
  ],
  [
    "payment reversed",
    { type: "payment-reversed" },
    "✗",
    "✗",
    "✗",
    "✗",
    "revoked release",
    "revoked keep",
    "✗",
  ],
  ["charged back", { type: "charged-back" }, "✗", "✗", "✗", "✗", "revoked keep", "revoked keep", "–"],
  [
    "cancelled",
    { type: "cancelled" },
    "revoked release",
    "revoked keep",
    "revoked keep",
    "–",
    "revoked release",
    "revoked keep",
    "–",
  ],
  [
    "deleted",
    { type: "deleted" },
    "revoked release",
    "revoked keep",
    "revoked keep",
    "revoked keep",
    "revoked release",
    "revoked keep",
    "revoked keep",
  ],
  [
    "account closed",
    { type: "account-closed" },
    "revoked release",
    "revoked keep",
    "revoked keep",
    "revoked keep",
    "revoked release",
    "revoked keep",
    "–",
  ],
];

describe.each(TABLE)("the event: %s", (_, event, ...ends) => {
  test.each(
    STATES.map((state, i) => [state, ends[i] ?? "missing in the table"] as const),
  )("the event leads a purchase in the state %s to: %s", (state: PurchaseState, end) => {
    expect(describeTransition(purchaseTransition(state, event))).toBe(end);
  });
});

const now = new Date("2026-11-21T06:30:00Z");
const row = {
  status: "completed",
  source: "checkout",
  failedReason: null,
  endedAt: null,
  expiresAt: null,
} as const;

test.each([
  ["held", { ...row, status: "pending" }],
  ["hold-released", { ...row, status: "pending", source: "import", expiresAt: now }],
  ["hold-released", { ...row, status: "failed", failedReason: "hold-ended" }],
  ["hold-released", { ...row, status: "failed", failedReason: "closed" }],
  ["hold-released", { ...row, status: "failed", failedReason: "gateway" }],
  ["replaced", { ...row, status: "failed", failedReason: "replaced" }],
  ["refunded", { ...row, status: "failed", failedReason: "refunded" }],
  ["active", { ...row, expiresAt: new Date(now.getTime() + 1) }],
  ["active", { ...row, status: "active", expiresAt: new Date(now.getTime() + 1) }],
  ["expired", { ...row, expiresAt: now }],
  ["revoked", { ...row, status: "pending", endedAt: now }],
  ["revoked", { ...row, endedAt: now, expiresAt: new Date(now.getTime() + 1) }],
] as const)("the state %s of a purchase is read from its row", (state, facts) => {
  expect(purchaseStateOf(facts, now)).toBe(state);
});
