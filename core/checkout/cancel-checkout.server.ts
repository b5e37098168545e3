import type { z } from "zod";
import { inTransaction } from "#db/transaction.ts";
import type { Context } from "../context.ts";
import {
  type CheckoutStatus,
  readCheckoutStatus,
  requireOwnPurchase,
  settleByPurchase,
} from "./checkout-status.server.ts";
import { releasePending } from "./queries.server.ts";
import type { purchaseIdInput } from "./schemas.ts";

/**
 * The buyer closed the checkout: what it held is given back at once. A payment made in the last moment is looked for
 * first and wins.
 *
 * @throws DomainError unauthenticated, purchase-not-found
 */
export async function cancelCheckout(
  ctx: Context,
  input: z.input<typeof purchaseIdInput>,
): Promise<CheckoutStatus> {
  const purchase = await requireOwnPurchase(ctx, input);
  const purchaseId = purchase.id;
  if (purchase.status === "pending") {
    await settleByPurchase(ctx, purchaseId);
    const released = await inTransaction(ctx.db, (tx) =>
      releasePending(tx, { purchaseId, reason: "closed", errorMessage: null }),
    );
    if (released) ctx.log.info({ purchaseId }, "checkout closed");
  }
  return readCheckoutStatus(ctx, purchaseId, { paid: false });
}
