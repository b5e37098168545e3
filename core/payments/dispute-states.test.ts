import { expect, test } from "vitest";
import {
  asksForRefund,
  DISPUTE_TABLE,
  holdsRefund,
  isLost,
  isLostInFull,
  lostPaiseOf,
} from "./payment-states.ts";

const STATES = ["open", "under_review", "won", "lost", "closed"] as const;

/** The next state of each of STATES after the gateway's report; null: no change. */
const TABLE = [
  ["open", null, "open", null, null, null],
  ["under_review", "under_review", null, null, null, null],
  ["won", "won", "won", null, null, null],
  ["lost", "lost", "lost", null, null, null],
  ["closed", "closed", "closed", null, null, null],
] as const;

test.each(TABLE)("the report %s leads each state of a dispute to its next state", (report, ...next) => {
  expect(STATES.map((state) => DISPUTE_TABLE[state][report])).toEqual(next);
});

const dispute = { status: "lost" as const, phase: "chargeback", deductedPaise: null, amountPaise: 4_000 };

test("an open dispute holds a refund in every phase but fraud, and a decided one never", () => {
  const phases = ["retrieval", "chargeback", "pre_arbitration", "arbitration", "a new one", "fraud"];
  const held = (status: (typeof STATES)[number]) =>
    phases.filter((phase) => holdsRefund({ ...dispute, status, phase }));
  expect(held("open")).toEqual(phases.slice(0, -1));
  expect(held("under_review")).toEqual(phases.slice(0, -1));
  for (const status of ["won", "lost", "closed"] as const) expect(held(status)).toEqual([]);
});

test("a lost dispute is a loss, in the phase fraud only with a deduction: otherwise the owner has to refund", () => {
  const fraud = { ...dispute, phase: "fraud" };
  expect([dispute, fraud, { ...fraud, deductedPaise: 4_000 }].map(isLost)).toEqual([true, false, true]);
  expect([dispute, fraud, { ...fraud, deductedPaise: 4_000 }].map(asksForRefund)).toEqual([
    false,
    true,
    false,
  ]);
  expect(asksForRefund({ ...fraud, status: "won" })).toBe(false);
});

test("losses of one phase add up, a later phase is about the same money, and no more than the payment is lost", () => {
  expect(lostPaiseOf(14_900, [])).toBe(0);
  expect(lostPaiseOf(14_900, [dispute, { ...dispute, status: "won" }])).toBe(4_000);
  expect(lostPaiseOf(14_900, [dispute, { ...dispute, amountPaise: 5_000 }])).toBe(9_000);
  expect(lostPaiseOf(14_900, [dispute, { ...dispute, phase: "arbitration", amountPaise: 5_000 }])).toBe(
    5_000,
  );
  expect(lostPaiseOf(14_900, [dispute, dispute, dispute, dispute])).toBe(14_900);
});

test("a payment is lost in full when disputes have taken all that the gateway has not refunded", () => {
  const payment = { amountPaise: 14_900, buyerFeePaise: 0, refundedPaise: 5_000, lostPaise: 9_900 };
  expect(isLostInFull(payment)).toBe(true);
  expect(isLostInFull({ ...payment, lostPaise: 9_899 })).toBe(false);
  // The fee that the buyer bears was never the shop's.
  expect(isLostInFull({ ...payment, amountPaise: 15_252, buyerFeePaise: 352 })).toBe(true);
  // It was refunded in full, and nothing is lost.
  expect(isLostInFull({ ...payment, refundedPaise: 14_900, lostPaise: 0 })).toBe(false);
});
