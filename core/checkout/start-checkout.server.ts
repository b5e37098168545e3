import type { z } from "zod";
import { inTransaction } from "#db/transaction.ts";
import { requireSignedIn } from "../authorise.ts";
import { getTool } from "../catalog/get-tool.server.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput } from "../parse.ts";
import { settleByPurchase } from "./checkout-status.server.ts";
import { ensureGatewayOrder } from "./ensure-gateway-order.server.ts";
import { holdPurchase } from "./hold-purchase.server.ts";
import { GatewayError } from "./payment-gateway.ts";
import { chooseOption } from "./pricing.ts";
import { findOrder, lockPurchase, releasePending } from "./queries.server.ts";
import { startCheckoutInput } from "./schemas.ts";

/** What the browser needs to open the hosted checkout. Amount in paise. */
export interface StartedCheckout {
  purchaseId: string;
  orderId: string;
  keyId: string;
  scriptUrl: string;
  amountPaise: number;
  currency: string;
  toolName: string;
  email: string;
  holdEndsAt: Date;
  testMode: boolean;
}

/**
 * Takes one unit of stock for 15 minutes and makes an order at the gateway. Starting the same checkout again (double
 * click, second tab, reload) answers with the same order.
 *
 * @throws DomainError unauthenticated, tool-not-found, contact-only, tool-is-free, option-not-found,
 *   payments-not-set-up, already-owned, tool-out-of-stock, gateway-unavailable
 */
export async function startCheckout(
  ctx: Context,
  input: z.input<typeof startCheckoutInput>,
): Promise<StartedCheckout> {
  const actor = requireSignedIn(ctx);
  const { slug, option: label } = parseInput(startCheckoutInput, input);
  const tool = await getTool(ctx, { slug });
  if (tool.contactOnly) throw new DomainError("contact-only", { tool: tool.name });
  if (tool.pricePaise === 0) throw new DomainError("tool-is-free", { tool: tool.name });
  const option = chooseOption(tool, label);
  if (!option) throw new DomainError("option-not-found");
  const { gateway } = ctx.ports;
  if (!gateway) throw new DomainError("payments-not-set-up");

  const held = await holdPurchase(ctx, { actor, tool, option, gateway });
  // Paid in another tab or before a reload, and not heard of yet: nobody is sent to pay again.
  const stand = held.resumed ? await settleByPurchase(ctx, held.purchase.id) : "waiting";
  if (stand === "pass") throw new DomainError("already-owned");
  if (stand === "refunded") throw new DomainError("checkout-ended");
  const orderId = await orderOrRelease(ctx, gateway, held);
  return {
    purchaseId: held.purchase.id,
    orderId,
    keyId: gateway.checkout.keyId,
    scriptUrl: gateway.checkout.scriptUrl,
    amountPaise: held.purchase.amount,
    currency: held.purchase.currency,
    toolName: tool.name,
    email: actor.email,
    holdEndsAt: held.purchase.holdEndsAt ?? ctx.clock.now(),
    testMode: gateway.testMode,
  };
}

async function orderOrRelease(
  ctx: Context,
  gateway: NonNullable<Context["ports"]["gateway"]>,
  held: Awaited<ReturnType<typeof holdPurchase>>,
): Promise<string> {
  try {
    return await ensureGatewayOrder(ctx, gateway, held.order, { mayExist: held.resumed });
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    ctx.log.error({ err: error, purchaseId: held.purchase.id }, "the gateway made no order");
    const madeByAnother = await inTransaction(ctx.db, async (tx) => {
      await lockPurchase(tx, held.purchase.id);
      // A second tab shares this purchase and may have been luckier.
      const order = await findOrder(tx, { purchaseId: held.purchase.id });
      if (order?.gatewayOrderId) return order.gatewayOrderId;
      await releasePending(tx, {
        purchaseId: held.purchase.id,
        reason: "gateway",
        errorMessage: "The payment provider did not answer.",
      });
      return null;
    });
    if (madeByAnother) return madeByAnother;
    throw new DomainError("gateway-unavailable", {}, { cause: error });
  }
}
