import { z } from "zod";

const toolSlug = z.string().trim().min(1).max(100).toLowerCase();

export const startCheckoutInput = z.object({
  slug: toolSlug,
  /** Label of the chosen pricing option; absent: the tool's own. */
  option: z.string().trim().min(1).max(60).nullish(),
});

export const confirmCheckoutInput = z.object({
  orderId: z.string().min(1).max(64),
  paymentId: z.string().min(1).max(64),
  signature: z.string().min(1).max(256),
});

export const purchaseIdInput = z.object({ purchaseId: z.uuid() });
