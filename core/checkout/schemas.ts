import { z } from "zod";
import { optionalCouponCode } from "../coupons/schemas.ts";
import { CORE_MESSAGES } from "../errors.ts";
import { cleanCameFrom } from "./came-from.ts";

const NO_TOOL = CORE_MESSAGES["tool-not-found"];
const NO_OPTION = "This option does not exist.";
const NO_PURCHASE = CORE_MESSAGES["purchase-not-found"];

export const startCheckoutInput = z.object({
  slug: z.string(NO_TOOL).trim().toLowerCase().min(1, NO_TOOL).max(100, NO_TOOL),
  /** Label of the chosen pricing option; absent: the tool's own. */
  option: z
    .string(NO_OPTION)
    .trim()
    .max(60, NO_OPTION)
    .nullish()
    .transform((label) => label || null),
  coupon: optionalCouponCode,
  /** The buyer knows that a pass for the tool runs, and adds to its end. */
  renewal: z
    .boolean("Please check what you entered.")
    .nullish()
    .transform((renewal) => renewal === true),
  /** Where the buyer came from. An older page does not send it; a bad one is ignored. */
  cameFrom: z
    .unknown()
    .optional()
    .transform((text) => (typeof text === "string" ? cleanCameFrom(text) : null)),
});

const gatewayText = (longest: number) => z.string().min(1).max(longest);

export const confirmCheckoutInput = z.object({
  gatewayOrderId: gatewayText(64),
  gatewayPaymentId: gatewayText(64),
  signature: gatewayText(256),
});

export const purchaseIdInput = z.object({ purchaseId: z.uuid(NO_PURCHASE) });
