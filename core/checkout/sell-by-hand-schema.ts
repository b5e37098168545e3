import { z } from "zod";
import { MAX_RUPEES, TOOL_LIMITS } from "../catalog/limits.ts";
import { optionalCouponCode } from "../coupons/schemas.ts";
import { checkbox, optionalText, optionalWholeNumber, rowId, rupees } from "../form-fields.ts";
import { MINIMUM_CHARGE_PAISE } from "../payments/payment-gateway.ts";
import { checkReference, payerName, transferFields } from "../payments/schemas.ts";

const DAYS = `Enter the days as a whole number from 1 to ${TOOL_LIMITS.validityDays}.`;

/** A sale outside of the shop, as an admin records it. */
export const sellByHandSchema = z
  .object({
    userId: rowId(),
    toolId: rowId(),
    /** The pass begins when the running one ends. */
    renews: checkbox,
    /** The label of a pricing option; null: `validityDays` says how long the pass lasts. */
    option: optionalText(60),
    /** null: as long as the tool's passes last. */
    validityDays: optionalWholeNumber(1, TOOL_LIMITS.validityDays, DAYS),
    /** Rupees as text, into paise. */
    amount: rupees(MAX_RUPEES, "Enter what was paid.").refine(
      (paise) => paise >= MINIMUM_CHARGE_PAISE,
      "At least ₹1. Use Assign to give a pass for nothing.",
    ),
    ...transferFields,
    payerName,
    coupon: optionalCouponCode,
    sendMail: checkbox,
  })
  .superRefine(checkReference);
