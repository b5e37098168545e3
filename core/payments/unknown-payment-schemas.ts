import { z } from "zod";
import { TOOL_LIMITS } from "../catalog/limits.ts";
import { requiredText, rowId, wholeNumber } from "../form-fields.ts";
import { normaliseEmail } from "../typed-text.ts";

export const NO_ACCOUNT = "No account has this email address. The buyer has to sign up first.";

const id = rowId();

export const refundPaymentSchema = z.object({ id });

/** To whom an unknown payment belongs, and what was bought. */
export const assignPaymentSchema = z.object({
  id,
  email: requiredText(254, "Enter the buyer’s email address.").overwrite(normaliseEmail),
  toolId: z.uuid("Choose a tool."),
  validityDays: wholeNumber(
    1,
    TOOL_LIMITS.validityDays,
    `Enter the days as a whole number from 1 to ${TOOL_LIMITS.validityDays}.`,
  ),
});
