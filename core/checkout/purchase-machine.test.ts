import { describe, expect, test } from "vitest";
import {
  type CaptureFacts,
  nextMove,
  type PurchaseEvent,
  type PurchaseMove,
  type PurchaseState,
  stateOf,
} from "./purchase-machine.ts";

const fine: CaptureFacts = { alreadyBack: false, amountMatches: true, userUsable: true, ownsTool: false };
const captured = (facts: Partial<CaptureFacts> = {}): PurchaseEvent => ({
  type: "captured",
  ...fine,
  ...facts,
});

/** "–" changes nothing, "✗" is refused, else: the next state, what becomes of the unit, and why money goes back. */
function inShort(move: PurchaseMove): string {
  if (move.kind === "stays") return "–";
  if (move.kind === "refused") return "✗";
  return [move.to, move.unit, move.refund].filter(Boolean).join(" ");
}

const STATES = ["held", "let-go", "replaced", "paid-back", "running", "over", "withdrawn"] as const;

const TABLE: [name: string, event: PurchaseEvent, ...ends: string[]][] = [
  ["resumed", { type: "resumed" }, "–", "✗", "✗", "✗", "✗", "✗", "✗"],
  ["replaced", { type: "replaced" }, "replaced gives-back", "–", "–", "–", "✗", "✗", "–"],
  ["a try failed", { type: "attempt-failed" }, "–", "–", "–", "–", "–", "–", "–"],
  ["hold expired", { type: "hold-expired" }, "let-go gives-back", "–", "–", "–", "–", "–", "–"],
  ["closed", { type: "closed" }, "let-go gives-back", "–", "–", "–", "–", "–", "–"],
  ["no order made", { type: "order-refused" }, "let-go gives-back", "–", "–", "–", "✗", "✗", "–"],
  ["granted", { type: "granted" }, "running uses", "✗", "✗", "✗", "✗", "✗", "✗"],
  [
    "captured",
    captured(),
    "running uses",
    "running takes-again",
    "paid-back keeps purchase-replaced",
    "paid-back keeps already-refunded",
    "running keeps duplicate-payment",
    "over keeps duplicate-payment",
    "withdrawn keeps purchase-ended",
  ],
  [
    "captured and paid back already",
    captured({ alreadyBack: true, amountMatches: false }),
    "paid-back gives-back refunded-at-gateway",
    "paid-back keeps refunded-at-gateway",
    "paid-back keeps refunded-at-gateway",
    "paid-back keeps refunded-at-gateway",
    "running keeps refunded-at-gateway",
    "over keeps refunded-at-gateway",
    "withdrawn keeps refunded-at-gateway",
  ],
  [
    "captured, another amount",
    captured({ amountMatches: false, userUsable: false }),
    "paid-back gives-back amount-mismatch",
    "paid-back keeps amount-mismatch",
    "paid-back keeps amount-mismatch",
    "paid-back keeps amount-mismatch",
    "running keeps amount-mismatch",
    "over keeps amount-mismatch",
    "withdrawn keeps amount-mismatch",
  ],
  [
    "captured for a closed account",
    captured({ userUsable: false, ownsTool: true }),
    "paid-back gives-back account-closed",
    "paid-back keeps account-closed",
    "paid-back keeps purchase-replaced",
    "paid-back keeps already-refunded",
    "running keeps duplicate-payment",
    "over keeps duplicate-payment",
    "withdrawn keeps purchase-ended",
  ],
  [
    "captured for one who has the tool",
    captured({ ownsTool: true }),
    "paid-back gives-back already-owned",
    "paid-back keeps already-owned",
    "paid-back keeps purchase-replaced",
    "paid-back keeps already-refunded",
    "running keeps duplicate-payment",
    "over keeps duplicate-payment",
    "withdrawn keeps purchase-ended",
  ],
  [
    "sold out meanwhile",
    { type: "unit-gone", what: "stock" },
    "✗",
    "paid-back keeps out-of-stock",
    "✗",
    "✗",
    "✗",
    "✗",
    "✗",
  ],
  [
    "coupon used up meanwhile",
    { type: "unit-gone", what: "coupon" },
    "✗",
    "paid-back keeps coupon-used-up",
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
    "withdrawn gives-back",
    "withdrawn keeps",
    "✗",
  ],
  [
    "cancelled",
    { type: "cancelled" },
    "withdrawn gives-back",
    "withdrawn keeps",
    "withdrawn keeps",
    "withdrawn keeps",
    "withdrawn gives-back",
    "withdrawn keeps",
    "–",
  ],
  [
    "account closed",
    { type: "account-closed" },
    "withdrawn gives-back",
    "withdrawn keeps",
    "withdrawn keeps",
    "withdrawn keeps",
    "withdrawn gives-back",
    "withdrawn keeps",
    "–",
  ],
];

describe.each(TABLE)("%s", (_, event, ...ends) => {
  test.each(
    STATES.map((state, i) => [state, ends[i] ?? "not written down"] as const),
  )("of %s: %s", (state: PurchaseState, end) => {
    expect(inShort(nextMove(state, event))).toBe(end);
  });
});

const now = new Date("2026-11-21T06:30:00Z");
const row = { status: "completed", failedReason: null, endedAt: null, expiresAt: null } as const;

test.each([
  ["held", { ...row, status: "pending" }],
  ["let-go", { ...row, status: "failed", failedReason: "hold-ended" }],
  ["let-go", { ...row, status: "failed", failedReason: "closed" }],
  ["let-go", { ...row, status: "failed", failedReason: "gateway" }],
  ["replaced", { ...row, status: "failed", failedReason: "replaced" }],
  ["paid-back", { ...row, status: "failed", failedReason: "refunded" }],
  ["running", { ...row, expiresAt: new Date(now.getTime() + 1) }],
  ["running", { ...row, status: "active", expiresAt: new Date(now.getTime() + 1) }],
  ["over", { ...row, expiresAt: now }],
  ["withdrawn", { ...row, status: "pending", endedAt: now }],
  ["withdrawn", { ...row, endedAt: now, expiresAt: new Date(now.getTime() + 1) }],
] as const)("a row reads as %s", (state, facts) => {
  expect(stateOf(facts, now)).toBe(state);
});
