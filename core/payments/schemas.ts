import { z } from "zod";
import { CORE_MESSAGES } from "../errors.ts";
import { rowId } from "../form-fields.ts";
import { cleanText } from "../typed-text.ts";

const REASON_MISSING = "Please enter a reason.";

const purchaseId = rowId(CORE_MESSAGES["purchase-not-found"]);

/** For the audit log. */
const reason = z.string(REASON_MISSING).overwrite(cleanText).max(500, "At most 500 characters.");

/** Cancel a purchase and refund its payments. */
export const cancelWithRefundSchema = z.object({ purchaseId, reason: reason.default("") });

/** Cancel a purchase whose payments the shop retains, or that has none: so the admin has to say why. */
export const cancelWithoutRefundSchema = z.object({ purchaseId, reason: reason.min(3, REASON_MISSING) });

export const cancelPurchaseSchema = z.discriminatedUnion("refund", [
  cancelWithRefundSchema.extend({ refund: z.literal(true) }),
  cancelWithoutRefundSchema.extend({ refund: z.literal(false) }),
]);
