import { z } from "zod";

const REFUSAL = "Invalid coupon code";

/** White space, and what chat apps hide in a text that is copied from them. */
const UNSEEN = /[\s\p{Cf}]/gu;

/** As it is kept: upper case, without what cannot be seen. */
const tidyCode = z
  .string(REFUSAL)
  .max(200, REFUSAL)
  .transform((text) => text.replace(UNSEEN, "").toUpperCase())
  .pipe(z.string().max(60, REFUSAL));

/** A coupon code as people type or paste it. */
export const couponCode = tidyCode.pipe(z.string().min(1, REFUSAL));

/** The same where none is needed: absent or blank is null. */
export const optionalCouponCode = tidyCode.nullish().transform((code) => code || null);

export const couponForTool = z.object({
  slug: z.string("Tool not found").trim().toLowerCase().max(100, "Tool not found"),
  code: couponCode,
});
