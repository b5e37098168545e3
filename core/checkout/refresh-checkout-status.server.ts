import type { z } from "zod";
import type { Context } from "../context.ts";
import { settleOrderOfPurchase } from "../payments/try-settle-order.server.ts";
import { type CheckoutStatus, readCheckoutStatus, requireOwnPurchase } from "./checkout-status.server.ts";
import type { purchaseIdInput } from "./schemas.ts";

/** Pages ask more often than the gateway is polled. */
const MINIMUM_POLL_INTERVAL_MS = 1500;

/**
 * Settles the order of the buyer's own checkout, then reads its status, so that an open page shows a payment whose
 * confirmation was lost.
 *
 * @throws DomainError unauthenticated, purchase-not-found
 */
export async function refreshCheckoutStatus(
  ctx: Context,
  input: z.input<typeof purchaseIdInput>,
): Promise<CheckoutStatus> {
  const purchase = await requireOwnPurchase(ctx, input);
  if (purchase.status !== "completed") {
    await settleOrderOfPurchase(ctx, purchase.id, { minimumIntervalMs: MINIMUM_POLL_INTERVAL_MS });
  }
  return readCheckoutStatus(ctx, purchase.id);
}
