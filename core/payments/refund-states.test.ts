import { expect, test } from "vitest";
import { type RefundEvent, refundTransition, UNFINISHED_REFUND_STATES } from "./payment-states.ts";

const STATES = ["requested", "processing", "processed", "failed", "charged-back"] as const;

/** The next state of each of STATES; null: no change. */
const TABLE: [event: RefundEvent, ...next: ((typeof STATES)[number] | null)[]][] = [
  ["gateway-pending", "processing", null, null, null, null],
  ["gateway-processed", "processed", "processed", null, null, null],
  ["gateway-failed", "failed", "failed", null, null, null],
  ["completed-at-gateway", null, null, null, "processed", null],
  ["reopened", null, null, "requested", null, null],
  ["charged-back", "charged-back", null, null, "charged-back", null],
];

test.each(TABLE)("the event %s leads each state of a refund to its next state", (event, ...next) => {
  expect(STATES.map((state) => refundTransition(state, event))).toEqual(next);
});

test("a refund is unfinished until the gateway has processed it or given it up", () => {
  expect(UNFINISHED_REFUND_STATES).toEqual(["requested", "processing"]);
});
