import { describe, expect, test } from "vitest";
import {
  type PaymentEvent,
  type PaymentState,
  type PaymentTransition,
  paymentStateOf,
  paymentTransition,
  storedOutcomeOf,
} from "./payment-states.ts";

const STATES: PaymentState[] = [
  "unseen",
  "created",
  "failed",
  "authorized",
  "uncaptured",
  "captured",
  "pass",
  "refund",
  "retained",
  "chargeback",
];

/** "–": no-op. "✗": rejected. In the order of STATES. */
const TABLE: Record<PaymentEvent, string[]> = {
  "gateway-created": ["created", "–", "–", "–", "–", "–", "–", "–", "–", "–"],
  "gateway-failed": ["failed", "failed", "–", "failed", "–", "–", "–", "–", "–", "–"],
  "gateway-authorized": ["authorized", "authorized", "authorized", "–", "–", "–", "–", "–", "–", "–"],
  "gateway-captured": ["captured", "captured", "captured", "captured", "captured", "–", "–", "–", "–", "–"],
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
    "–",
  ],
  "leave-uncaptured": ["✗", "✗", "✗", "uncaptured", "–", "✗", "✗", "✗", "✗", "✗"],
  fulfil: ["✗", "✗", "✗", "✗", "✗", "pass", "–", "✗", "✗", "✗"],
  refund: ["✗", "✗", "✗", "✗", "✗", "refund", "refund", "–", "refund", "✗"],
  retain: ["✗", "✗", "✗", "✗", "✗", "✗", "retained", "✗", "–", "✗"],
  "charge-back": ["✗", "✗", "✗", "✗", "✗", "✗", "chargeback", "–", "chargeback", "–"],
  "drop-refund": ["✗", "✗", "✗", "✗", "✗", "✗", "✗", "chargeback", "✗", "–"],
};

function describeTransition(transition: PaymentTransition): string {
  if (transition.kind === "transition") return transition.to;
  return transition.kind === "no-op" ? "–" : "✗";
}

describe.each(Object.entries(TABLE) as [PaymentEvent, string[]][])("the event %s", (event, ends) => {
  test.each(
    STATES.map((state, i) => [state, ends[i] ?? "missing in the table"] as const),
  )("the event leads a payment in the state %s to: %s", (state, end) => {
    expect(describeTransition(paymentTransition(state, event))).toBe(end);
  });
});

test("a row has the gateway's status as its state until the payment has an outcome", () => {
  expect(paymentStateOf(null)).toBe("unseen");
  const row = { outcome: null, uncapturedReason: null } as const;
  expect(paymentStateOf({ ...row, status: "authorized" })).toBe("authorized");
  expect(paymentStateOf({ ...row, status: "captured", outcome: "refund" })).toBe("refund");
});

test("a row with an uncaptured reason is uncaptured until the payment is captured at the gateway", () => {
  const row = { outcome: null, uncapturedReason: "out-of-stock" } as const;
  expect(paymentStateOf({ ...row, status: "authorized" })).toBe("uncaptured");
  expect(paymentStateOf({ ...row, status: "captured" })).toBe("captured");
  expect(paymentStateOf({ ...row, status: "captured", outcome: "refund" })).toBe("refund");
});

test("the outcome of a payment is the same after it is stored and read", () => {
  for (const state of STATES) {
    const row = { status: "captured", outcome: storedOutcomeOf(state), uncapturedReason: null } as const;
    const hasOutcome = ["pass", "refund", "retained", "chargeback"].includes(state);
    expect(paymentStateOf(row)).toBe(hasOutcome ? state : "captured");
  }
});
