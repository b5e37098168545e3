import { expect, test } from "vitest";
import { type CouponFacts, couponReason, findCouponProblem } from "./rules.ts";

const now = new Date("2026-11-21T06:30:00Z");
const past = new Date(now.getTime() - 1);
const fine: CouponFacts = { toolId: "a", isActive: true, usageLimit: 5, usesTaken: 4, expiresAt: null };
const use = { toolId: "a", now, ownUses: 0 };
const all = { isActive: false, usesTaken: 5, expiresAt: past };

test.each([
  ["a fine one", fine, null],
  ["none", null, "not-found"],
  ["another tool's, whatever else it is", { ...fine, ...all, toolId: "b" }, "not-found"],
  ["an inactive one, used up and expired too", { ...fine, ...all }, "inactive"],
  ["one used up, expired too", { ...fine, ...all, isActive: true }, "limit-reached"],
  ["one that expired just now", { ...fine, expiresAt: now }, "expired"],
  ["one that expires in a moment", { ...fine, expiresAt: new Date(now.getTime() + 1) }, null],
  ["one without a limit", { ...fine, usageLimit: null, usesTaken: 9_999 }, null],
])("%s", (_, coupon, problem) => {
  expect(findCouponProblem(coupon, use)).toBe(problem);
});

test("the last use, held by the buyer, is the buyer's to use", () => {
  const last = { ...fine, usesTaken: 5 };
  expect(findCouponProblem(last, use)).toBe("limit-reached");
  expect(findCouponProblem(last, { ...use, ownUses: 1 })).toBeNull();
});

test("reasons are the data layer's", () => {
  expect(couponReason("limit-reached")).toBe("Coupon usage limit reached");
  expect(couponReason("lookup-failed")).toBe("Error validating coupon");
  for (const problem of ["not-found", "inactive", "expired"] as const) {
    expect(couponReason(problem)).toBe("Invalid, expired, or usage limit reached for this coupon code");
  }
});
