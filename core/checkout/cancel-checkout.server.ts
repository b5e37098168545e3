import type { z } from "zod";
import { inTransaction } from "#db/transaction.ts";
import type { Context } from "../context.ts";
import type { Unparsed } from "../parse.ts";
import { settleOrderOfPurchase } from "../payments/try-settle-order.server.ts";
import { lockAndApplyPurchaseEvent } from "../purchases/apply-purchase-event.server.ts";
import { type CheckoutStatus, readCheckoutStatus, requireOwnPurchase } from "./checkout-status.server.ts";
import type { purchaseIdInput } from "./schemas.ts";

/**
 * The buyer closed the checkout: what it held is given back at once. A payment made in the last moment is looked for
 * first and wins. When the gateway cannot be asked, the answer says so, because the buyer may have paid.
 *
 * @throws DomainError unauthenticated, purchase-not-found
 */
export async function cancelCheckout(
  ctx: Context,
  input: z.input<typeof purchaseIdInput> | Unparsed,
): Promise<CheckoutStatus> {
  const purchase = await requireOwnPurchase(ctx, input);
  const purchaseId = purchase.id;
  if (purchase.status === "pending") {
    const answer = await settleOrderOfPurchase(ctx, purchaseId);
    const moved = await inTransaction(ctx.db, (tx) =>
      lockAndApplyPurchaseEvent(ctx, tx, purchaseId, { type: "closed" }),
    );
    if (moved?.kind === "transition") ctx.log.info({ purchaseId }, "checkout closed");
    const status = await readCheckoutStatus(ctx, purchaseId);
    const isUnsure = answer === "unavailable" || answer === "error";
    return status.state === "ended" && isUnsure ? { ...status, unsure: true } : status;
  }
  return readCheckoutStatus(ctx, purchaseId);
}
