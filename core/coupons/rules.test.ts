import { expect, test } from "vitest";
import { type CouponFacts, findCouponProblem } from "./rules.ts";

const now = new Date("2026-11-21T06:30:00Z");
const past = new Date(now.getTime() - 1);
const usable: CouponFacts = { toolId: "a", isActive: true, usageLimit: 5, usesTaken: 4, expiresAt: null };
const use = { toolId: "a", now, ownUses: 0 };
const allProblems = { isActive: false, usesTaken: 5, expiresAt: past };

test.each([
  [null, "a usable coupon", usable],
  ["not-found", "no coupon", null],
  ["not-found", "a coupon of another tool with every problem", { ...usable, ...allProblems, toolId: "b" }],
  ["inactive", "an inactive coupon that is used up and expired", { ...usable, ...allProblems }],
  ["limit-reached", "a used up coupon that is expired", { ...usable, ...allProblems, isActive: true }],
  ["expired", "a coupon that expires at this moment", { ...usable, expiresAt: now }],
  [null, "a coupon that expires a millisecond later", { ...usable, expiresAt: new Date(now.getTime() + 1) }],
  [null, "a coupon without a limit", { ...usable, usageLimit: null, usesTaken: 9_999 }],
])("the rules of coupons find the problem %s for %s", (problem, _what, coupon) => {
  expect(findCouponProblem(coupon, use)).toBe(problem);
});

test("a buyer may use the last redemption when it is their own held one", () => {
  const last = { ...usable, usesTaken: 5 };
  expect(findCouponProblem(last, use)).toBe("limit-reached");
  expect(findCouponProblem(last, { ...use, ownUses: 1 })).toBeNull();
});
