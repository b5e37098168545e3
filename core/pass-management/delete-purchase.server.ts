import { z } from "zod";
import { inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { applyPurchaseEvent, lockPurchase } from "../purchases/apply-purchase-event.server.ts";

const deletePurchaseInput = z.object({ purchaseId: z.uuid("Purchase not found") });

/**
 * The admin deletes a purchase: access stops at once, and no list shows it any more. The unit of stock and the coupon
 * use of an open checkout or an active pass are released. Its row and its payments stay, so the revenue does not
 * change. A payment that is captured later is refunded. A second call changes nothing.
 *
 * @throws DomainError unauthenticated, forbidden, password-needed, purchase-not-found, invalid-input
 */
export async function deletePurchase(
  ctx: Context,
  input: z.input<typeof deletePurchaseInput> | UntrustedInput,
): Promise<void> {
  requireAdmin(ctx, "deletes");
  const { purchaseId } = parseInput(deletePurchaseInput, input);
  await inTransaction(ctx.db, async (tx) => {
    const purchase = await lockPurchase(tx, purchaseId);
    if (!purchase) throw new DomainError("purchase-not-found");
    if (purchase.endedReason === "deleted" || purchase.endedReason === "user-deleted") return;
    const deleted = await applyPurchaseEvent(ctx, tx, purchase, { type: "deleted" });
    await recordAudit(ctx, tx, {
      action: "purchase.deleted",
      subjectType: "purchase",
      subjectId: purchaseId,
      details: { before: summaryOf(purchase), after: summaryOf(deleted.purchase) },
    });
  });
}

type Summary = Record<"status" | "endedReason" | "stockState" | "expiresAt", unknown>;

const summaryOf = ({ status, endedReason, stockState, expiresAt }: Summary): Summary => ({
  status,
  endedReason,
  stockState,
  expiresAt,
});
