import { expect, test } from "vitest";
import { needsBalance, type PaidAmount, readPaidAmount } from "./paid-amount.ts";
import type { GatewayPayment, OrderBalance } from "./payment-gateway.ts";

const NOW = new Date("2026-06-01T12:00:00Z");
const ORDER = { amountPaise: 4_900, currency: "INR" };

const paymentOf = (facts: Partial<GatewayPayment>): GatewayPayment => ({
  gatewayPaymentId: "pay_1",
  gatewayOrderId: "order_1",
  status: "captured",
  amountPaise: 4_900,
  currency: "INR",
  feePaise: 116,
  taxPaise: 18,
  refundedPaise: 0,
  method: "upi",
  errorDescription: null,
  email: null,
  phone: null,
  vpa: null,
  rrn: null,
  upiTransactionId: null,
  bankTransactionId: null,
  createdAt: new Date(NOW.getTime() - 600_000),
  ...facts,
});

const PAID_WITH_4410: OrderBalance = { isPaid: true, paidPaise: 4_410, duePaise: 0, currency: "INR" };
const NOT_PAID: OrderBalance = { isPaid: false, paidPaise: 0, duePaise: 4_900, currency: "INR" };

const order = (buyerFeePaise: number): PaidAmount => ({ pays: "order", buyerFeePaise });
const another: PaidAmount = { pays: "another-amount" };
const undecided: PaidAmount = { pays: "undecided" };
const young = { createdAt: new Date(NOW.getTime() - 30_000) };
const authorized = { status: "authorized", feePaise: null } as const;

const CASES: [string, Partial<GatewayPayment>, OrderBalance | null, PaidAmount][] = [
  ["the amount of the order, whose fee the shop bears", {}, null, order(0)],
  ["the order and the fee on top", { amountPaise: 5_016 }, null, order(116)],
  ["the order, the fee and 1 paisa", { amountPaise: 5_017 }, null, another],
  ["the order and 1 paisa, with an ordinary fee", { amountPaise: 4_901 }, null, another],
  ["the order in another currency", { currency: "USD" }, null, another],
  ["the fee on top in another currency", { amountPaise: 5_016, currency: "USD" }, null, another],
  ["more, and the fee was never reported", { amountPaise: 5_016, feePaise: null }, null, another],
  [
    "more, captured just now without a fee",
    { ...young, amountPaise: 5_016, feePaise: null },
    null,
    undecided,
  ],
  ["more, authorised without a fee", { ...authorized, amountPaise: 5_016 }, null, undecided],
  ["more, authorised with that fee", { status: "authorized", amountPaise: 5_016 }, null, order(116)],
  ["more, authorised with another fee", { status: "authorized", amountPaise: 5_100 }, null, another],
  ["less, and the gateway counts the order as paid", { amountPaise: 4_410 }, PAID_WITH_4410, order(0)],
  ["less, and the order is not paid", { amountPaise: 4_410 }, NOT_PAID, another],
  ["15 % less, and the order is not paid", { amountPaise: 4_165 }, NOT_PAID, another],
  ["₹1, and the order is not paid", { amountPaise: 100 }, NOT_PAID, another],
  ["less, and something is due", { amountPaise: 4_410 }, { ...PAID_WITH_4410, duePaise: 490 }, another],
  ["less, and another payment paid the order", { amountPaise: 100 }, PAID_WITH_4410, another],
  [
    "less, of an order in another currency",
    { amountPaise: 4_410 },
    { ...PAID_WITH_4410, currency: "USD" },
    another,
  ],
  ["less in another currency", { amountPaise: 4_410, currency: "USD" }, PAID_WITH_4410, another],
  ["less, and the order was not read", { amountPaise: 4_410 }, null, another],
  ["less, authorised, and the order is not paid", { ...authorized, amountPaise: 4_410 }, NOT_PAID, undecided],
  [
    "less, authorised, and another payment paid it",
    { ...authorized, amountPaise: 100 },
    PAID_WITH_4410,
    another,
  ],
];

test.each(CASES)("a payment of %s", (_, facts, balance, expected) => {
  expect(readPaidAmount(ORDER, paymentOf(facts), balance, NOW)).toEqual(expected);
});

test("the balance of the order is read only for money below its amount", () => {
  expect(needsBalance(ORDER, paymentOf({ amountPaise: 4_410 }))).toBe(true);
  expect(needsBalance(ORDER, paymentOf({ amountPaise: 4_410, status: "authorized" }))).toBe(true);
  for (const facts of [
    {},
    { amountPaise: 5_016 },
    { amountPaise: 4_410, status: "failed" },
    { amountPaise: 4_410, status: "created" },
    { amountPaise: 4_410, status: "refunded" },
    { amountPaise: 4_410, currency: "USD" },
  ] as const)
    expect(needsBalance(ORDER, paymentOf(facts))).toBe(false);
});
