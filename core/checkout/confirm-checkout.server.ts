import type { z } from "zod";
import { requireSignedIn } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type Unparsed } from "../parse.ts";
import { findOrderWithPurchase, isPaymentSettled } from "../payments/find-order.server.ts";
import { trySettleOrder } from "../payments/try-settle-order.server.ts";
import { type CheckoutStatus, readCheckoutStatus, statusOf } from "./checkout-status.server.ts";
import { confirmCheckoutInput } from "./schemas.ts";

/**
 * The buyer's browser comes back from the checkout. The signature must be genuine over the order id that we stored for
 * this buyer; then the gateway is asked, and only its word makes the pass.
 *
 * @returns where the purchase stands; 'confirming' when the gateway could not say yet (the webhook will)
 * @throws DomainError unauthenticated, purchase-not-found, payment-not-verified
 */
export async function confirmCheckout(
  ctx: Context,
  input: z.input<typeof confirmCheckoutInput> | Unparsed,
): Promise<CheckoutStatus> {
  const actor = requireSignedIn(ctx);
  const { orderId, paymentId, signature } = parseInput(confirmCheckoutInput, input);
  const { gateway } = ctx.ports;
  if (!gateway) throw new DomainError("payments-not-set-up");
  const found = await findOrderWithPurchase(ctx.db, { gateway: gateway.name, gatewayOrderId: orderId });
  if (!found?.order.gatewayOrderId || found.purchase.userId !== actor.userId) {
    throw new DomainError("purchase-not-found");
  }
  const { order, purchase } = found;
  if (!gateway.verifyCheckout({ orderId: found.order.gatewayOrderId, paymentId, signature })) {
    ctx.log.warn({ purchaseId: purchase.id }, "callback with a wrong signature refused");
    throw new DomainError("payment-not-verified");
  }
  // A callback said again is answered from the books.
  if (order.state === "settled" && (await isPaymentSettled(ctx.db, paymentId))) {
    return readCheckoutStatus(ctx, purchase.id, { paymentId });
  }
  const settled = await trySettleOrder(ctx, order);
  if (settled.result === "pass" && settled.purchase) {
    return statusOf(settled.purchase, { paid: true });
  }
  return readCheckoutStatus(ctx, purchase.id, { paymentId });
}
