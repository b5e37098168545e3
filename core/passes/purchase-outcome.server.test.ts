import { expect, test } from "vitest";
import { addDays } from "../time.ts";
import { type PurchaseOutcome, purchaseOutcome } from "./list-my-purchases.server.ts";

const now = new Date("2026-11-22T10:00:00Z");
const times = (from: number, until: number) => ({
  startsAt: addDays(now, from),
  expiresAt: addDays(now, until),
});
const untimed = { startsAt: null, expiresAt: null };
const pass = { status: "completed" as const, source: "checkout" as const, ...times(-1, 29) };
const failed = { status: "failed" as const, ...untimed };
const done = [{ status: "processed" as const }];

test.each<[string, PurchaseOutcome, Partial<Parameters<typeof purchaseOutcome>[0]>]>([
  ["an open checkout", "awaiting-payment", { status: "pending", ...untimed }],
  ["an open checkout with an authorised payment", "confirming", { status: "pending", paymentSeen: true }],
  [
    "an open checkout with an uncaptured payment",
    "awaiting-payment",
    { status: "pending", uncaptured: true },
  ],
  ["a checkout that was left", "not-paid", failed],
  ["a late payment that may still be captured", "confirming", { ...failed, paymentSeen: true }],
  ["a payment that was left uncaptured", "not-charged", { ...failed, uncaptured: true }],
  ["a late payment that was sent back", "refunded", { ...failed, paymentSeen: true, refunds: done }],
  ["a pass that has not started", "not-started", { ...pass, ...times(1, 31) }],
  ["a pass", "active", pass],
  ["an imported pass", "active", { ...pass, status: "active" }],
  ["a pass with a second payment that was sent back", "active", { ...pass, refunds: done }],
  ["a pass at its end", "expired", { ...pass, ...times(-30, 0) }],
  [
    "a pass whose payment is being sent back",
    "refund-started",
    { ...pass, endedReason: "refunded", refunds: [{ status: "requested" }] },
  ],
  [
    "a pass whose refund waits for the buyer’s bank",
    "refund-held",
    { ...pass, endedReason: "refunded", refunds: [...done, { status: "held" }] },
  ],
  [
    "a refund that has failed and is made again",
    "refund-started",
    { ...pass, endedReason: "refunded", refunds: [...done, { status: "failed" }] },
  ],
  ["a refunded pass", "refunded", { ...pass, endedReason: "refunded", refunds: done }],
  ["a pass whose payment the bank has taken back", "charged-back", { ...pass, endedReason: "charged-back" }],
  [
    "a payment without a pass that the bank has taken back",
    "charged-back",
    { ...failed, paymentSeen: true, refunds: [{ status: "charged-back" }] },
  ],
  [
    "a refunded pass of which the bank has paid a part",
    "refunded",
    { ...pass, endedReason: "refunded", refunds: [...done, { status: "charged-back" }] },
  ],
  ["a superseded pass", "replaced", { ...pass, source: "import", endedReason: "superseded" }],
  ["a purchase that an old shop left pending", "not-paid", { status: "pending", source: "import" }],
  ["a pass that an admin has ended", "cancelled", { ...pass, endedReason: "cancelled" }],
])("%s is %s", (_case, expected, facts) => {
  const nothing = { endedReason: null, refunds: [], paymentSeen: false, uncaptured: false };
  expect(purchaseOutcome({ ...pass, ...nothing, ...facts }, now)).toBe(expected);
});
