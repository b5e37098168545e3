import { expect, test } from "vitest";
import { endedWords, refundWords } from "./pass-words.ts";

test.each([
  [null, null],
  ["requested", "Refund on its way"],
  ["processing", "Refund on its way"],
  ["failed", "Refund on its way"],
  ["processed", "Refunded"],
] as const)("a refund that is %s reads %s", (refund, words) => {
  expect(refundWords(refund)).toBe(words);
});

test.each([
  [null, null, null],
  ["cancelled", null, "Cancelled"],
  ["refunded", null, "Refunded"],
  ["refunded", "processing", "Refund on its way"],
  ["user-deleted", null, null],
] as const)("a pass ended as %s with a refund %s reads %s", (endedReason, refund, words) => {
  expect(endedWords({ endedReason, refund })).toBe(words);
});
