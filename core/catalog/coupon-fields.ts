import { z } from "zod";
import {
  checkbox,
  optionalText,
  optionalWholeNumber,
  rowId,
  shownVersion,
  wholeNumber,
} from "../form-fields.ts";
import { normaliseCouponCode } from "../typed-text.ts";
import * as file from "./catalogue-file/file-fields.ts";
import { COUPON_CODE_PATTERN, COUPON_LIMITS } from "./limits.ts";
import { type RecordField, schemasOf } from "./record-fields.ts";

const CODE = "Enter the coupon code.";
const TOO_LONG = `At most ${COUPON_LIMITS.code} characters.`;
const DISCOUNT = "Enter a discount from 1 to 100 percent.";
const USAGE_LIMIT = `Enter a whole number from 1 to ${COUPON_LIMITS.usageLimit}, or nothing for no limit.`;

/** The columns of a coupon that an admin sets, apart from its tool: the form has its id, the catalogue file its slug. */
export const COUPON_FIELDS = {
  code: {
    label: "Coupon Code",
    form: z
      .string({ error: CODE })
      .max(200, TOO_LONG)
      .transform(normaliseCouponCode)
      .pipe(
        z
          .string()
          .min(1, { error: CODE, abort: true })
          .max(COUPON_LIMITS.code, TOO_LONG)
          .regex(COUPON_CODE_PATTERN, "Use letters, digits, hyphens and underscores only."),
      ),
    file: file
      .text(COUPON_LIMITS.code)
      .toUpperCase()
      .regex(COUPON_CODE_PATTERN, "must be letters, digits, hyphens and underscores only"),
  },
  discountPercentage: {
    label: "Discount Percentage",
    changeName: "Discount",
    form: wholeNumber(1, 100, DISCOUNT, "Whole percents only"),
    file: file.integerFrom(1, 100),
  },
  /** null: no limit. */
  usageLimit: {
    label: "Usage Limit (optional)",
    form: optionalWholeNumber(1, COUPON_LIMITS.usageLimit, USAGE_LIMIT),
    file: file.orNull(file.integerFrom(1, COUPON_LIMITS.usageLimit)),
  },
  /** null: it does not expire. */
  expiresAt: {
    label: "Expiry Date (optional)",
    /** Such as "2026-12-31T23:59", on the clocks of the store's time zone. */
    form: optionalText(30),
    file: file.orNull(file.moment),
  },
  isActive: {
    label: "Active",
    changeName: "Active",
    form: checkbox,
    file: file.booleanWithDefault(true),
  },
} satisfies Record<string, RecordField>;

const form = { ...schemasOf(COUPON_FIELDS, "form"), toolId: rowId("Choose a tool.") };

export const createCouponSchema = z.object(form);
export const updateCouponSchema = z.object({ ...form, id: rowId(), version: shownVersion });

const { code, ...others } = schemasOf(COUPON_FIELDS, "file");

/** An entry of the catalogue file. */
export const couponEntry = file.strict({ code, toolSlug: file.slug, ...others });
