import { expect, test } from "vitest";
import { badgeWords, refundWords, sentBackWords } from "./pass-messages.ts";

const refund = { status: "processed", amountPaise: 11_900, at: new Date(0), why: null } as const;

test.each([
  ["requested", "Refund on its way", "on its way back"],
  ["processing", "Refund on its way", "on its way back"],
  ["failed", "Refund on its way", "on its way back"],
  ["processed", "Refunded", "sent back"],
] as const)("a refund that is %s reads %s, its money is %s", (status, words, money) => {
  expect(refundWords(status)).toBe(words);
  expect(sentBackWords(status)).toBe(money);
  expect(badgeWords({ badge: "Refunded", refunds: [{ ...refund, status }] })).toBe(words);
});

test("a pass that ran keeps its badge when a second payment for it goes back", () => {
  expect(badgeWords({ badge: "Expired", refunds: [refund] })).toBe("Expired");
  expect(badgeWords({ badge: "Active", refunds: [refund] })).toBe("Active");
});

test("a pass ended as refunded says so without a refund of ours", () => {
  expect(badgeWords({ badge: "Refunded", refunds: [] })).toBe("Refunded");
});

test("of several refunds, one that is not finished keeps the badge from saying that the money is back", () => {
  const refunds = [refund, { ...refund, status: "processing" as const }];
  expect(badgeWords({ badge: "Refunded", refunds })).toBe("Refund on its way");
  expect(badgeWords({ badge: "Refunded", refunds: [refund, refund] })).toBe("Refunded");
});
