import { expect, test } from "vitest";
import type { TimelineEntry } from "#core/passes/purchase-timeline.ts";
import { describeEntry } from "./timeline-words.ts";

const at = new Date("2026-11-22T06:30:00Z");
const captured = { at, kind: "payment-captured", paymentId: "pay_1" } as const;
const day = (text: string) => new Date(`${text}T06:30:00Z`);

const tell = (entry: TimelineEntry) => {
  const { title, details } = describeEntry(entry, "Asia/Kolkata");
  return [title, ...details];
};

const ENTRIES: [TimelineEntry, string[]][] = [
  [
    { at, kind: "purchase-created", source: "checkout", toolName: "Canva", amountPaise: 14_900 },
    ["Checkout of Canva for ₹149 started"],
  ],
  [
    { at, kind: "purchase-created", source: "admin", toolName: "Canva", amountPaise: 0 },
    ["Canva assigned by an admin"],
  ],
  [
    { at, kind: "purchase-created", source: "admin", toolName: "Canva", amountPaise: 14_900 },
    ["Canva sold by hand for ₹149"],
  ],
  [{ at, kind: "pass-started", expiresAt: day("2026-12-22") }, ["Access started", "Until 22/12/26, 12:00"]],
  [{ at, kind: "pass-expired" }, ["Access expired"]],
  [
    { at, kind: "purchase-failed", reason: "closed", message: null },
    ["Purchase failed", "The buyer closed the checkout"],
  ],
  [
    { at, kind: "purchase-failed", reason: "refunded", message: "You had already paid for this purchase." },
    ["Purchase failed", "The payment could not become a pass and is refunded"],
  ],
  [
    { at, kind: "refund-requested", paymentId: "pay_1", amountPaise: 9_900, reason: "already-owned" },
    ["Refund of ₹99 requested", "The buyer already had access to this tool"],
  ],
  [{ at, kind: "purchase-ended", reason: "cancelled" }, ["Ended: cancelled by an admin"]],
  [
    {
      at,
      kind: "order-created",
      gateway: "razorpay",
      gatewayOrderId: "order_1",
      amountPaise: 14_900,
      state: "settled",
    },
    ["Payment order of ₹149 created", "razorpay, order_1"],
  ],
  [
    { at, kind: "payment-seen", paymentId: "pay_1", amountPaise: 14_900, method: "upi" },
    ["Payment of ₹149 started", "upi", "pay_1"],
  ],
  [
    { ...captured, amountPaise: 14_900, buyerFeePaise: 0, offerPaise: 0, outcome: "cancellation" },
    ["Payment of ₹149 received", "The shop keeps it", "pay_1"],
  ],
  [
    { ...captured, amountPaise: 5_016, buyerFeePaise: 116, offerPaise: 0, outcome: "pass" },
    [
      "Payment of ₹50.16 received",
      "₹1.16 of it is the payment provider’s fee, which the buyer bears",
      "It pays for this pass",
      "pay_1",
    ],
  ],
  [
    { ...captured, amountPaise: 4_410, buyerFeePaise: 0, offerPaise: 490, outcome: "pass" },
    [
      "Payment of ₹44.10 received",
      "₹4.90 less than the price, by an offer at the payment provider",
      "It pays for this pass",
      "pay_1",
    ],
  ],
  [
    { at, kind: "payment-failed", paymentId: "pay_1", message: "The bank declined it" },
    ["Payment failed", "The buyer was told: The bank declined it", "pay_1"],
  ],
  [
    { at, kind: "payment-left-uncaptured", paymentId: "pay_1", reason: "out-of-stock" },
    ["Payment not collected; the bank returns it", "The tool was sold out when the payment arrived", "pay_1"],
  ],
  [
    { at, kind: "refund-requested", paymentId: "pay_1", amountPaise: 9_900, reason: "cancelled-by-shop" },
    ["Refund of ₹99 requested", "The shop has cancelled the purchase"],
  ],
  [
    {
      at,
      kind: "refund-updated",
      paymentId: "pay_1",
      amountPaise: 9_900,
      status: "failed",
      gatewayRefundId: null,
    },
    ["Refund of ₹99 failed: pay it back by hand"],
  ],
  [
    { at, kind: "gateway-event", type: "payment.captured", paymentId: "pay_1", processedAt: null },
    ["The payment provider reported a received payment", "Not processed yet", "pay_1"],
  ],
  [
    { at, kind: "gateway-event", type: "settlement.processed", paymentId: null, processedAt: at },
    ["The payment provider reported an event", "settlement.processed"],
  ],
  [
    {
      at,
      kind: "renewal-paid",
      startsAt: new Date("2026-12-22T06:30:00.000Z"),
      expiresAt: new Date("2026-12-29T06:30:00.000Z"),
    },
    ["Renewal paid", "Access from 22/12/26, 12:00 until 29/12/26, 12:00"],
  ],
  [
    { at, kind: "hand-out", action: "access-code.revealed", toolName: "Canva", serverName: "Server 1" },
    ["Access code shown to the buyer", "Canva, Server 1"],
  ],
  [
    { at, kind: "hand-out", action: "access-code.redeemed", toolName: "Canva", serverName: "Server 1" },
    ["Redeemed the code for Server 1 with the extension", "Canva"],
  ],
];

test.each(ENTRIES)("a timeline tells %o in words", (entry, told) => {
  expect(tell(entry)).toEqual(told);
});

const audit = (action: string, details: Record<string, unknown>): TimelineEntry => ({
  at,
  kind: "audit",
  action,
  actorKind: "admin",
  actorId: "a",
  details,
});

test("an audit event tells who changed an end from when to when", () => {
  const before = { startsAt: at, expiresAt: "2026-12-22T06:30:00.000Z" };
  const after = { startsAt: at, expiresAt: "2026-12-29T06:30:00.000Z" };
  expect(tell(audit("purchase.extended", { before, after }))).toEqual([
    "Extended by an admin",
    "End: 22/12/26, 12:00 → 29/12/26, 12:00",
  ]);
  expect(tell(audit("purchase.renewal-moved", { before, after }))[0]).toBe("Start moved by an admin");
});

test("an audit event tells the refund and the reason of a cancellation", () => {
  const details = { reason: "Asked for it", refund: true, paidBackPaise: 14_900, before: {}, after: {} };
  expect(tell(audit("purchase.cancelled", details))).toEqual([
    "Cancelled by an admin",
    "₹149 to be refunded",
    "Reason: Asked for it",
  ]);
  expect(tell(audit("purchase.cancelled", { reason: "Shared", refund: false, paidBackPaise: 0 }))).toEqual([
    "Cancelled by an admin",
    "Without a refund",
    "Reason: Shared",
  ]);
});

test("an audit event that is not known is told as a change", () => {
  expect(tell(audit("purchase.polished", { before: null, after: 3 }))).toEqual(["Changed by an admin"]);
});

test("a timeline does not call the shop the one who made a partial refund at the payment provider", () => {
  const event: TimelineEntry = {
    at,
    kind: "audit",
    action: "payment.part-refunded",
    actorKind: "system",
    actorId: null,
    details: { paymentId: "pay_1", amountPaise: 14_900, refundedPaise: 1_000 },
  };
  expect(tell(event)).toEqual([
    "Part of the payment was refunded on the payment provider’s pages",
    "Refunded so far: ₹10 of ₹149",
  ]);
});
