import { describe, expect, test } from "vitest";
import {
  type PaymentEvent,
  type PaymentState,
  type PaymentTransition,
  paymentStateOf,
  paymentTransition,
} from "./payment-machine.ts";

const STATES: PaymentState[] = [
  "unseen",
  "created",
  "failed",
  "authorized",
  "uncaptured",
  "captured",
  "pass",
  "refund",
  "cancellation",
];

/** "–" changes nothing, "✗" is refused. In the order of STATES. */
const TABLE: Record<PaymentEvent, string[]> = {
  "gateway-created": ["created", "–", "–", "–", "–", "–", "–", "–", "–"],
  "gateway-failed": ["failed", "failed", "–", "failed", "–", "–", "–", "–", "–"],
  "gateway-authorized": ["authorized", "authorized", "authorized", "–", "–", "–", "–", "–", "–"],
  "gateway-captured": ["captured", "captured", "captured", "captured", "captured", "–", "–", "–", "–"],
  "gateway-refunded": [
    "captured",
    "captured",
    "captured",
    "captured",
    "captured",
    "–",
    "refund",
    "–",
    "refund",
  ],
  "left-uncaptured": ["✗", "✗", "✗", "uncaptured", "–", "✗", "✗", "✗", "✗"],
  "becomes-pass": ["✗", "✗", "✗", "✗", "✗", "pass", "–", "✗", "✗"],
  refund: ["✗", "✗", "✗", "✗", "✗", "refund", "refund", "–", "refund"],
  retain: ["✗", "✗", "✗", "✗", "✗", "✗", "cancellation", "✗", "–"],
};

function inShort(move: PaymentTransition): string {
  if (move.kind === "transition") return move.to;
  return move.kind === "no-op" ? "–" : "✗";
}

describe.each(Object.entries(TABLE) as [PaymentEvent, string[]][])("%s", (event, ends) => {
  test.each(
    STATES.map((state, i) => [state, ends[i] ?? "not written down"] as const),
  )("of %s: %s", (state, end) => {
    expect(inShort(paymentTransition(state, event))).toBe(end);
  });
});

test("a row reads as what the gateway said until it is accounted for", () => {
  expect(paymentStateOf(null)).toBe("unseen");
  const row = { outcome: null, uncapturedReason: null } as const;
  expect(paymentStateOf({ ...row, status: "authorized" })).toBe("authorized");
  expect(paymentStateOf({ ...row, status: "captured", outcome: "refund" })).toBe("refund");
});

test("a row with a reason not to capture reads as uncaptured until somebody captures it all the same", () => {
  const row = { outcome: null, uncapturedReason: "out-of-stock" } as const;
  expect(paymentStateOf({ ...row, status: "authorized" })).toBe("uncaptured");
  expect(paymentStateOf({ ...row, status: "captured" })).toBe("captured");
  expect(paymentStateOf({ ...row, status: "captured", outcome: "refund" })).toBe("refund");
});
