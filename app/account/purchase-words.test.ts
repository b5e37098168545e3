import { afterEach, expect, test } from "vitest";
import type { PurchaseOutcome } from "#core/passes/list-my-purchases.server.ts";
import { followLanguage } from "../ui/texts/texts.ts";
import {
  badgeMessage,
  declinedBecause,
  endsSoonMessage,
  foldUnpaidOrders,
  freeBecause,
  hasReceipt,
  paymentMethod,
  refundAmountMessage,
  refundStatusMessage,
  statusWords,
} from "./purchase-words.ts";

afterEach(() => followLanguage(() => "en"));

test("a payment is named by its method and its gateway, also when they are unknown", () => {
  expect(paymentMethod({ method: "upi", gateway: "razorpay" })).toBe("UPI (Razorpay)");
  expect(paymentMethod({ method: "netbanking", gateway: "razorpay" })).toBe("Net banking (Razorpay)");
  expect(paymentMethod({ method: "cardless_emi", gateway: "other" })).toBe("cardless_emi (other)");
  expect(paymentMethod({ method: null, gateway: "sandbox" })).toBe("test payment");
});

test("an order without a price says why it has none", () => {
  expect(freeBecause({ source: "giveaway", amountPaise: 0, contactOnly: false })).toBe(
    "Won in the daily giveaway",
  );
  expect(freeBecause({ source: "admin", amountPaise: 0, contactOnly: false })).toBe("A gift from the shop");
  expect(freeBecause({ source: "admin", amountPaise: 0, contactOnly: true })).toBe("Arranged with the shop");
  expect(freeBecause({ source: "checkout", amountPaise: 0, contactOnly: false })).toBeNull();
  expect(freeBecause({ source: "admin", amountPaise: 14_900, contactOnly: true })).toBeNull();
});

test("an order has a receipt when something was paid or a pass was given", () => {
  const payment = {
    gateway: "sandbox",
    gatewayPaymentId: "pay_1",
    reference: null,
    method: null,
    amountPaise: 100,
  };
  const payments = [{ ...payment, paidAt: new Date() }];
  expect(hasReceipt({ payments, status: "refunded" })).toBe(true);
  expect(hasReceipt({ payments: [], status: "active" })).toBe(true);
  for (const status of ["not-paid", "awaiting-payment", "confirming", "not-charged"] as const)
    expect(hasReceipt({ payments: [], status })).toBe(false);
});

test("a declined payment is told while nothing was paid", () => {
  const declined = "Your payment was declined by the bank.";
  expect(declinedBecause({ status: "not-paid", declined })).toBe(declined);
  expect(declinedBecause({ status: "awaiting-payment", declined })).toBe(declined);
  expect(declinedBecause({ status: "confirming", declined })).toBeNull();
});

test("an open order whose payment was declined does not say that it waits for one", () => {
  const declined = "Your payment was declined by the bank.";
  expect(statusWords({ status: "awaiting-payment", declined }).label).toBe("Payment declined");
  expect(statusWords({ status: "awaiting-payment", declined: null }).label).toBe("Waiting for payment");
  expect(statusWords({ status: "not-paid", declined }).label).toBe("Not paid");
});

const refund = { status: "processed", amountPaise: 11_900, at: new Date(0), why: null } as const;

test.each([
  ["requested", "Refund started", "{price} being refunded"],
  ["processing", "Refund started", "{price} being refunded"],
  ["failed", "Refund started", "{price} being refunded"],
  ["processed", "Refunded", "{price} refunded"],
  ["held", "Refund on hold", "Refund of {price} on hold until your bank has decided"],
] as const)("a refund that is %s is shown as '%s', and its amount as '%s'", (status, message, amount) => {
  expect(refundStatusMessage(status)).toBe(message);
  expect(refundAmountMessage(status)).toBe(amount);
  expect(badgeMessage({ badge: "Refunded", refunds: [{ ...refund, status }] })).toBe(message);
});

test("a pass that was used keeps its badge when a second payment for it is refunded", () => {
  expect(badgeMessage({ badge: "Expired", refunds: [refund] })).toBe("Expired");
  expect(badgeMessage({ badge: "Active", refunds: [refund] })).toBe("Active");
});

test("a pass that ended as refunded has the badge Refunded even without a refund of the shop", () => {
  expect(badgeMessage({ badge: "Refunded", refunds: [] })).toBe("Refunded");
});

test("the badge is Refunded only when every one of several refunds is processed", () => {
  const refunds = [refund, { ...refund, status: "processing" as const }];
  expect(badgeMessage({ badge: "Refunded", refunds })).toBe("Refund started");
  expect(badgeMessage({ badge: "Refunded", refunds: [refund, refund] })).toBe("Refunded");
});

test.each([
  ["2026-11-21T06:22:00Z", "2026-11-21T01:00:00Z", "Asia/Kolkata", "Ends today 11:52"],
  ["2026-11-22T04:00:00Z", "2026-11-21T06:00:00Z", "Asia/Kolkata", "Ends tomorrow 09:30"],
  ["2026-11-21T18:30:00Z", "2026-11-21T18:29:00Z", "Asia/Kolkata", "Ends tomorrow 00:00"],
  ["2026-11-21T18:30:00Z", "2026-11-21T18:29:00Z", "UTC", "Ends today 18:30"],
  ["2026-11-22T06:00:00Z", "2026-11-21T06:00:00Z", "UTC", null],
  ["2026-11-21T06:00:00Z", "2026-11-21T06:00:00Z", "UTC", null],
])("a pass until %s says at %s in %s: %s", (expiresAt, now, timeZone, message) => {
  expect(endsSoonMessage(new Date(expiresAt), new Date(now), timeZone)).toBe(message);
});

test("unpaid orders are grouped with the newer order of the same tool that directly precedes them", () => {
  const order = (id: number, toolName: string, status: PurchaseOutcome) => ({ id, toolName, status });
  const rows = foldUnpaidOrders([
    order(6, "Canva", "active"),
    order(5, "Canva", "not-paid"),
    order(4, "Canva", "not-paid"),
    order(3, "Udemy", "not-paid"),
    order(2, "Canva", "not-paid"),
    order(1, "Canva", "refunded"),
  ]);
  expect(rows.map(({ purchase, unpaid }) => [purchase.id, ...unpaid.map(({ id }) => id)])).toEqual([
    [6, 5, 4],
    [3],
    [2],
    [1],
  ]);
});
