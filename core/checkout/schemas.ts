import { z } from "zod";

const toolSlug = z.string().trim().toLowerCase().max(100, "This tool does not exist.");

export const startCheckoutInput = z.object({
  slug: toolSlug,
  /** Label of the chosen pricing option; absent: the tool's own. */
  option: z
    .string()
    .trim()
    .max(60, "This option does not exist.")
    .nullish()
    .transform((label) => label || null),
  /** Absent or blank: none. */
  coupon: z
    .string()
    .trim()
    .toUpperCase()
    .max(60, "Invalid coupon code")
    .nullish()
    .transform((code) => code || null),
});

export const confirmCheckoutInput = z.object({
  orderId: z.string().min(1).max(64),
  paymentId: z.string().min(1).max(64),
  signature: z.string().min(1).max(256),
});

export const purchaseIdInput = z.object({ purchaseId: z.uuid() });

export const cancelPurchaseInput = z.object({
  purchaseId: z.uuid(),
  /** For the audit log. */
  reason: z.string().trim().min(3, "Please say why.").max(500, "Please say it in 500 characters."),
  payBack: z.boolean(),
});
