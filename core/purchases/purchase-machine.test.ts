import { describe, expect, test } from "vitest";
import {
  type CaptureFacts,
  type PurchaseEvent,
  type PurchaseState,
  type PurchaseTransition,
  purchaseStateOf,
  purchaseTransition,
} from "./purchase-machine.ts";

const fine: CaptureFacts = {
  alreadyRefunded: false,
  amountMatches: true,
  accountUsable: true,
  ownsTool: false,
};
const captured = (facts: Partial<CaptureFacts> = {}): PurchaseEvent => ({
  type: "captured",
  ...fine,
  ...facts,
});

/** "–" changes nothing, "✗" is refused, else: the next state, what becomes of the unit, and why money goes back. */
function inShort(move: PurchaseTransition): string {
  if (move.kind === "no-op") return "–";
  if (move.kind === "rejected") return "✗";
  return [move.to, move.unit, move.refund].filter(Boolean).join(" ");
}

const STATES = ["held", "hold-released", "replaced", "refunded", "active", "expired", "revoked"] as const;

const TABLE: [name: string, event: PurchaseEvent, ...ends: string[]][] = [
  ["resumed", { type: "resumed" }, "–", "✗", "✗", "✗", "✗", "✗", "✗"],
  ["replaced", { type: "replaced" }, "replaced release", "–", "–", "–", "✗", "✗", "–"],
  ["a try failed", { type: "attempt-failed" }, "–", "–", "–", "–", "–", "–", "–"],
  ["hold expired", { type: "hold-expired" }, "hold-released release", "–", "–", "–", "–", "–", "–"],
  ["closed", { type: "closed" }, "hold-released release", "–", "–", "–", "–", "–", "–"],
  ["no order made", { type: "order-refused" }, "hold-released release", "–", "–", "–", "✗", "✗", "–"],
  ["granted", { type: "granted" }, "running uses", "✗", "✗", "✗", "✗", "✗", "✗"],
  [
    "captured",
    captured(),
    "running uses",
    "running reacquire",
    "refunded keeps purchase-replaced",
    "refunded keeps already-refunded",
    "running keeps duplicate-payment",
    "over keeps duplicate-payment",
    "revoked keeps purchase-ended",
  ],
  [
    "captured and paid back already",
    captured({ alreadyRefunded: true, amountMatches: false }),
    "refunded release refunded-at-gateway",
    "refunded keeps refunded-at-gateway",
    "refunded keeps refunded-at-gateway",
    "refunded keeps refunded-at-gateway",
    "running keeps refunded-at-gateway",
    "over keeps refunded-at-gateway",
    "revoked keeps refunded-at-gateway",
  ],
  [
    "captured, another amount",
    captured({ amountMatches: false, accountUsable: false }),
    "refunded release amount-mismatch",
    "refunded keeps amount-mismatch",
    "refunded keeps amount-mismatch",
    "refunded keeps amount-mismatch",
    "running keeps amount-mismatch",
    "over keeps amount-mismatch",
    "revoked keeps amount-mismatch",
  ],
  [
    "captured for a closed account",
    captured({ accountUsable: false, ownsTool: true }),
    "refunded release account-closed",
    "refunded keeps account-closed",
    "refunded keeps purchase-replaced",
    "refunded keeps already-refunded",
    "running keeps duplicate-payment",
    "over keeps duplicate-payment",
    "revoked keeps purchase-ended",
  ],
  [
    "captured for one who has the tool",
    captured({ ownsTool: true }),
    "refunded release already-owned",
    "refunded keeps already-owned",
    "refunded keeps purchase-replaced",
    "refunded keeps already-refunded",
    "running keeps duplicate-payment",
    "over keeps duplicate-payment",
    "revoked keeps purchase-ended",
  ],
  [
    "sold out meanwhile",
    { type: "reservation-unavailable", what: "stock" },
    "✗",
    "refunded keeps out-of-stock",
    "✗",
    "✗",
    "✗",
    "✗",
    "✗",
  ],
  [
    "coupon used up meanwhile",
    { type: "reservation-unavailable", what: "coupon" },
    "✗",
    "refunded keeps coupon-used-up",
    "✗",
    "✗",
    "✗",
    "✗",
    "✗",
  ],
  [
    "its payment reversed",
    { type: "payment-reversed" },
    "✗",
    "✗",
    "✗",
    "✗",
    "revoked release",
    "revoked keeps",
    "✗",
  ],
  [
    "cancelled",
    { type: "cancelled" },
    "revoked release",
    "revoked keeps",
    "revoked keeps",
    "revoked keeps",
    "revoked release",
    "revoked keeps",
    "–",
  ],
  [
    "account closed",
    { type: "account-closed" },
    "revoked release",
    "revoked keeps",
    "revoked keeps",
    "revoked keeps",
    "revoked release",
    "revoked keeps",
    "–",
  ],
];

describe.each(TABLE)("%s", (_, event, ...ends) => {
  test.each(
    STATES.map((state, i) => [state, ends[i] ?? "not written down"] as const),
  )("of %s: %s", (state: PurchaseState, end) => {
    expect(inShort(purchaseTransition(state, event))).toBe(end);
  });
});

const now = new Date("2026-11-21T06:30:00Z");
const row = { status: "completed", failedReason: null, endedAt: null, expiresAt: null } as const;

test.each([
  ["held", { ...row, status: "pending" }],
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
] as const)("a row reads as %s", (state, facts) => {
  expect(purchaseStateOf(facts, now)).toBe(state);
});
