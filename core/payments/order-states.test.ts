import { expect, test } from "vitest";
import { ORDER_TABLE, type OrderEvent, orderTransition, statesChangedBy } from "./payment-states.ts";

const STATES = ["creating", "open", "settled", "closed"] as const;

/** The next state of each of STATES; null: no change. */
const TABLE: [event: OrderEvent, ...next: ((typeof STATES)[number] | null)[]][] = [
  ["created-at-gateway", "open", null, null, "open"],
  ["payment-settled", "settled", "settled", null, "settled"],
  ["given-up", "closed", "closed", null, null],
];

test.each(TABLE)("the event %s leads each state of an order to its next state", (event, ...next) => {
  expect(STATES.map((state) => orderTransition(state, event))).toEqual(next);
});

test("a settled order is never given up", () => {
  expect(statesChangedBy(ORDER_TABLE, "given-up")).toEqual(["creating", "open"]);
});
