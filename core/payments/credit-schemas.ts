import { z } from "zod";
import { requiredText, rowId } from "../form-fields.ts";
import { normaliseReference } from "../typed-text.ts";

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
