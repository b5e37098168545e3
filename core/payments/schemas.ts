import { z } from "zod";

export const cancelPurchaseInput = z.object({
  purchaseId: z.uuid("Purchase not found"),
  /** For the audit log. */
  reason: z.string().trim().min(3, "Please say why.").max(500, "Please say it in 500 characters."),
  /** Refund what was paid; else the shop keeps it. */
  refund: z.boolean(),
});
