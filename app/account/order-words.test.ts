import { expect, test } from "vitest";
import { declinedBecause, freeBecause, hasReceipt, paymentMethod, statusWords } from "./purchase-words.ts";

test("a payment is named by its method and its gateway, also when they are unknown", () => {
  expect(paymentMethod({ method: "upi", gateway: "razorpay" })).toBe("UPI (Razorpay)");
  expect(paymentMethod({ method: "netbanking", gateway: "razorpay" })).toBe("Net banking (Razorpay)");
  expect(paymentMethod({ method: "cardless_emi", gateway: "other" })).toBe("cardless_emi (other)");
  expect(paymentMethod({ method: null, gateway: "sandbox" })).toBe("test payment");
});

test("an order without a price says why it has none", () => {
  expect(freeBecause({ source: "giveaway", amountPaise: 0 })).toBe("Won in the daily giveaway");
  expect(freeBecause({ source: "admin", amountPaise: 0 })).toBe("A gift from the shop");
  expect(freeBecause({ source: "checkout", amountPaise: 0 })).toBeNull();
  expect(freeBecause({ source: "admin", amountPaise: 14_900 })).toBeNull();
});

test("an order has a receipt when something was paid or a pass was given", () => {
  const payment = { gateway: "sandbox", gatewayPaymentId: "pay_1", method: null, amountPaise: 100 };
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
