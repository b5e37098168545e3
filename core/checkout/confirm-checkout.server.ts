import type { z } from "zod";
import { requireSignedIn } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { findOrderWithPurchase, isPaymentSettled } from "../payments/find-order.server.ts";
import { trySettleOrder } from "../payments/settle-order.server.ts";
import { type CheckoutStatus, checkoutStatusOf, readCheckoutStatus } from "./checkout-status.server.ts";
import { confirmCheckoutInput } from "./schemas.ts";

/**
 * The buyer's browser returns from the gateway's window with a signature over the ids of order and payment. The
 * signature must be valid for an order of this buyer. Then the order is settled: only the gateway's own report creates
 * the pass.
 *
 * @returns the status of the purchase; 'confirming' when the gateway does not report the payment yet (a webhook will)
 * @throws DomainError unauthenticated, purchase-not-found, payment-not-verified
 */
export async function confirmCheckout(
  ctx: Context,
  input: z.input<typeof confirmCheckoutInput> | UntrustedInput,
): Promise<CheckoutStatus> {
  const actor = requireSignedIn(ctx, "own-account");
  const { orderId, paymentId, signature } = parseInput(confirmCheckoutInput, input);
  const { gateway } = ctx.ports;
  if (!gateway) throw new DomainError("payments-not-set-up");
  const found = await findOrderWithPurchase(ctx.db, { gateway: gateway.name, gatewayOrderId: orderId });
  if (!found?.order.gatewayOrderId || found.purchase.userId !== actor.userId) {
    throw new DomainError("purchase-not-found");
  }
  const { order, purchase } = found;
  if (!gateway.verifyCheckout({ orderId: found.order.gatewayOrderId, paymentId, signature })) {
    ctx.log.warn({ purchaseId: purchase.id }, "confirmation with an invalid signature refused");
    throw new DomainError("payment-not-verified");
  }
  // A repeated confirmation needs no request to the gateway.
  if (order.state === "settled" && (await isPaymentSettled(ctx.db, paymentId))) {
    return readCheckoutStatus(ctx, purchase.id, { paymentId });
  }
  const settled = await trySettleOrder(ctx, order);
  if (settled.result === "pass" && settled.purchase) {
    return checkoutStatusOf(settled.purchase, { paid: true });
  }
  return readCheckoutStatus(ctx, purchase.id, { paymentId });
}
