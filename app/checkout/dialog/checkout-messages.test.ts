import { afterEach, expect, test } from "vitest";
import { DomainError, type ErrorCode } from "#core/errors.ts";
import hindi from "#languages/hi/screens.json" with { type: "json" };
import { toErrorMessage } from "../../errors/error-messages.ts";
import { addCatalogue, followLanguage } from "../../ui/texts/texts.ts";
import { couponErrorMessage, progressMessage } from "./checkout-messages.ts";
import { CLOSED } from "./checkout-state.ts";

afterEach(() => followLanguage(() => "en"));

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

test("a coupon check without a response, or with an unreadable one, is shown as a failed look-up", () => {
  expect(couponErrorMessage(null)).toBe("Error validating coupon");
  expect(couponErrorMessage({ code: "failed", message: "Something went wrong. Please try again." })).toBe(
    "Error validating coupon",
  );
});

test("the messages of the checkout are in the language of the page at the time when they are shown", () => {
  addCatalogue("hi", hindi);
  followLanguage(() => "hi");
  expect(couponErrorMessage(null)).toBe("कूपन की जाँच नहीं हो सकी");
  expect(couponErrorMessage({ code: "invalid-input", message: "" })).toBe("कूपन कोड गलत है");
  const starting = { ...CLOSED, step: { name: "starting" as const, amountPaise: 4_900 } };
  expect(progressMessage(starting)?.label).toBe("पेमेंट शुरू हो रहा है…");
});
