import { z } from "zod";
import { CORE_MESSAGES } from "../errors.ts";
import { rowId } from "../form-fields.ts";
import { MAX_COUPON_CODE, normaliseCouponCode } from "../typed-text.ts";

const REFUSAL = CORE_MESSAGES["coupon-not-found"];
const NO_TOOL = CORE_MESSAGES["tool-not-found"];

const normalisedCode = z
  .string(REFUSAL)
  .max(200, REFUSAL)
  .transform(normaliseCouponCode)
  .pipe(z.string().max(MAX_COUPON_CODE, REFUSAL));

/** A coupon code, typed or pasted. */
export const couponCode = normalisedCode.pipe(z.string().min(1, REFUSAL));

/** A coupon code that may be absent or blank, which is null. */
export const optionalCouponCode = normalisedCode.nullish().transform((code) => code || null);

export const couponForTool = z.object({
  slug: z.string(NO_TOOL).trim().toLowerCase().max(100, NO_TOOL),
  code: couponCode,
});

export const deleteCouponSchema = z.object({ id: rowId() });
