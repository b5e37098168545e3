import { z } from "zod";

export const cancelPurchaseInput = z.object({
  purchaseId: z.uuid("Purchase not found"),
  /** For the audit log. */
  reason: z.string().trim().min(3, "Please say why.").max(500, "Please say it in 500 characters."),
  /** Whether the payments are refunded. Otherwise the shop retains them. */
  refund: z.boolean(),
});
