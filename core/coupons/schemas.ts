import { z } from "zod";

/** A coupon code as people type it; codes are upper case. */
export const couponCode = z
  .string()
  .trim()
  .toUpperCase()
  .min(1, "Invalid coupon code")
  .max(60, "Invalid coupon code");

export const couponForTool = z.object({
  slug: z.string().trim().toLowerCase().max(100),
  code: couponCode,
});
