import { z } from "zod";
import { CORE_MESSAGES } from "../errors.ts";
import { requiredText, rowId } from "../form-fields.ts";
import { cleanText, normaliseReference } from "../typed-text.ts";

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

export const refundPaymentSchema = z.object({ id: rowId() });

/** How money reached or left the shop without a gateway. */
export const WAYS = ["upi", "cash", "bank-transfer", "other"] as const;
export type Way = (typeof WAYS)[number];

export const REFERENCE_TAKEN = "A payment with this reference is recorded already.";
const REFERENCE_MISSING = "Enter the reference of the transfer, such as its UTR.";
const REFERENCE_MAXIMUM = 64;

/** null when empty. */
const reference = z
  .string()
  .max(200, `At most ${REFERENCE_MAXIMUM} characters.`)
  .transform(normaliseReference)
  .pipe(z.string().max(REFERENCE_MAXIMUM, `At most ${REFERENCE_MAXIMUM} characters.`))
  .nullish()
  .transform((text) => text || null);

/** The fields that say how money moved. A transfer leaves a reference; cash may have none. */
export const transferFields = { way: z.enum(WAYS, "Choose how it was paid."), reference };

export function checkReference(
  transfer: { way: Way; reference: string | null },
  context: z.RefinementCtx,
): void {
  if (transfer.reference === null && (transfer.way === "upi" || transfer.way === "bank-transfer"))
    context.addIssue({ code: "custom", path: ["reference"], message: REFERENCE_MISSING });
}

export const recordPayoutSchema = z
  .object({ payoutId: rowId(), ...transferFields })
  .superRefine(checkReference);

/** The name of a payer. */
export const payerName = requiredText(100, "Enter a name.")
  .or(z.literal(""))
  .nullish()
  .transform((name) => name || null);
