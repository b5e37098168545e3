import type { z } from "zod";
import { inTransaction } from "#db/transaction.ts";
import type { Context } from "../context.ts";
import type { UntrustedInput } from "../parse.ts";
import { settleOrderOfPurchase } from "../payments/settle-order.server.ts";
import { lockAndApplyPurchaseEvent } from "../passes/apply-purchase-event.server.ts";
import { type CheckoutStatus, readCheckoutStatus, requireOwnPurchase } from "./checkout-status.server.ts";
import type { purchaseIdInput } from "./schemas.ts";

/**
 * The buyer closed the checkout: its reservation is released at once. The order is settled first, so that a payment
 * made at the last moment becomes the pass. When the gateway cannot be asked, the status is `unsure`, because the buyer
 * may have paid.
 *
 * @throws DomainError unauthenticated, purchase-not-found
 */
export async function cancelCheckout(
  ctx: Context,
  input: z.input<typeof purchaseIdInput> | UntrustedInput,
): Promise<CheckoutStatus> {
  const { id: purchaseId, status } = await requireOwnPurchase(ctx, input);
  if (status !== "pending") return readCheckoutStatus(ctx, purchaseId);
  const settlement = await settleOrderOfPurchase(ctx, purchaseId);
  const applied = await inTransaction(ctx.db, (tx) =>
    lockAndApplyPurchaseEvent(ctx, tx, purchaseId, { type: "closed" }),
  );
  if (applied?.kind === "transition") ctx.log.info({ purchaseId }, "checkout closed");
  const now = await readCheckoutStatus(ctx, purchaseId);
  const isUnsure = settlement === "unavailable" || settlement === "error";
  return now.state === "ended" && isUnsure ? { ...now, unsure: true } : now;
}
