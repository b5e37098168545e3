import { expect, test } from "vitest";
import { badgeWords, refundWords, sentBackWords } from "./pass-words.ts";

test.each([
  ["requested", "Refund on its way", "on its way back"],
  ["processing", "Refund on its way", "on its way back"],
  ["failed", "Refund on its way", "on its way back"],
  ["processed", "Refunded", "sent back"],
] as const)("a refund that is %s reads %s, its money is %s", (status, words, money) => {
  expect(refundWords(status)).toBe(words);
  expect(sentBackWords(status)).toBe(money);
  expect(badgeWords({ badge: "Refunded", refund: { status, amountPaise: 11_900, why: null } })).toBe(words);
});

test("a pass that ran keeps its badge when a second payment for it goes back", () => {
  const refund = { status: "processed", amountPaise: 11_900, why: "This was already paid." } as const;
  expect(badgeWords({ badge: "Expired", refund })).toBe("Expired");
  expect(badgeWords({ badge: "Active", refund })).toBe("Active");
});

test("a pass ended as refunded says so without a refund of ours", () => {
  expect(badgeWords({ badge: "Refunded", refund: null })).toBe("Refunded");
});
