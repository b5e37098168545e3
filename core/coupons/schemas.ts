import { z } from "zod";
import { COUPON_CODE_PATTERN, COUPON_LIMITS } from "../catalog/limits.ts";
import { CORE_MESSAGES } from "../errors.ts";
import {
  checkbox,
  optionalText,
  optionalWholeNumber,
  rowId,
  shownVersion,
  wholeNumber,
} from "../form-fields.ts";
import { normaliseCouponCode } from "../typed-text.ts";

const REFUSAL = CORE_MESSAGES["coupon-not-found"];
const NO_TOOL = CORE_MESSAGES["tool-not-found"];

const normalisedCode = z
  .string(REFUSAL)
  .max(200, REFUSAL)
  .transform(normaliseCouponCode)
  .pipe(z.string().max(60, REFUSAL));

/** A coupon code, typed or pasted. */
export const couponCode = normalisedCode.pipe(z.string().min(1, REFUSAL));

/** A coupon code that may be absent or blank, which is null. */
export const optionalCouponCode = normalisedCode.nullish().transform((code) => code || null);

export const couponForTool = z.object({
  slug: z.string(NO_TOOL).trim().toLowerCase().max(100, NO_TOOL),
  code: couponCode,
});

const DISCOUNT = "Enter a discount from 1 to 100 percent.";
const USAGE_LIMIT = `Enter a whole number from 1 to ${COUPON_LIMITS.usageLimit}, or nothing for no limit.`;

/** What the form of a coupon sends. */
const couponFields = {
  code: z
    .string({ error: "Enter the coupon code." })
    .max(200, `At most ${COUPON_LIMITS.code} characters.`)
    .transform(normaliseCouponCode)
    .pipe(
      z
        .string()
        .min(1, { error: "Enter the coupon code.", abort: true })
        .max(COUPON_LIMITS.code, `At most ${COUPON_LIMITS.code} characters.`)
        .regex(COUPON_CODE_PATTERN, "Use letters, digits, hyphens and underscores only."),
    ),
  toolId: rowId("Choose a tool."),
  discountPercentage: wholeNumber(1, 100, DISCOUNT, "Whole percents only"),
  usageLimit: optionalWholeNumber(1, COUPON_LIMITS.usageLimit, USAGE_LIMIT),
  /** Such as "2026-12-31T23:59", on the clocks of the store's time zone. */
  expiresAt: optionalText(30),
  isActive: checkbox,
};

export const createCouponSchema = z.object(couponFields);
export const updateCouponSchema = z.object({ ...couponFields, id: rowId(), version: shownVersion });
export const deleteCouponSchema = z.object({ id: rowId() });
