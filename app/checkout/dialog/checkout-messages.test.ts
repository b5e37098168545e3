import { expect, test } from "vitest";
import { DomainError, type ErrorCode } from "#core/errors.ts";
import { toErrorMessage } from "../../middleware/error-messages.ts";
import { couponErrorMessage } from "./checkout-messages.ts";

test.each<[ErrorCode, string]>([
  ["coupon-not-found", "Invalid coupon code"],
  ["coupon-inactive", "This coupon is no longer active"],
  ["coupon-limit-reached", "This coupon has reached its usage limit"],
  ["coupon-used-up", "Coupon usage limit has been reached"],
  ["coupon-expired", "This coupon has expired"],
  ["coupon-lookup-failed", "Error validating coupon"],
  ["coupon-tries-exceeded", "Too many coupon codes. Please try again in 10 minutes."],
  ["invalid-input", "Invalid coupon code"],
  ["tool-not-found", "Error validating coupon"],
])("the refusal %s is shown as '%s' below the coupon field", (code, expected) => {
  expect(couponErrorMessage({ code, message: toErrorMessage(new DomainError(code)).message })).toBe(expected);
});

test("no response, or an unreadable one, is shown as a failed look-up", () => {
  expect(couponErrorMessage(null)).toBe("Error validating coupon");
  expect(couponErrorMessage({ code: "failed", message: "Something went wrong. Please try again." })).toBe(
    "Error validating coupon",
  );
});
