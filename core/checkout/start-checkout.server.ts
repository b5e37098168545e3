import type { z } from "zod";
import type { Purchase } from "#db/tables/purchases.ts";
import { inTransaction } from "#db/transaction.ts";
import { type AuthorisedContext, requireSignedIn } from "../authorise.ts";
import { requireConfirmedShop } from "../backups/restored-shop.server.ts";
import { getTool } from "../catalog/on-sale.server.ts";
import type { Context } from "../context.ts";
import { recordCouponAttempt } from "../coupons/redeem-coupons.server.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { applyPurchaseEvent, lockPurchase } from "../passes/apply-purchase-event.server.ts";
import { GatewayError, type OrderNotes } from "../payments/payment-gateway.ts";
import { ensureGatewayOrder, findOrder } from "../payments/payment-orders.server.ts";
import { settleOrderOfPurchase } from "../payments/settle-order.server.ts";
import { type HeldCheckout, holdPurchase } from "./hold-purchase.server.ts";
import { chooseOption } from "./pricing.ts";
import { hasOpenCheckoutOrPass } from "./queries.server.ts";
import { startCheckoutInput } from "./schemas.ts";

/** Pressing Pay repeatedly does not poll the gateway each time. */
const POLL_INTERVAL = { minimumIntervalMs: 1500 };

/** Nothing has to be paid: the pass is created. */
interface CheckoutWithNothingToPay {
  kind: "nothing-to-pay";
  purchaseId: string;
  orderNumber: string;
  startsAt: Date;
  expiresAt: Date;
}

/** What the browser needs to open the gateway's window. Amount in paise. */
interface CheckoutToPay {
  kind: "pay";
  purchaseId: string;
  gatewayOrderId: string;
  keyId: string;
  scriptUrl: string;
  amountPaise: number;
  currency: string;
  toolName: string;
  email: string;
  holdEndsAt: Date;
  /** Seconds until `holdEndsAt`, so that the browser's clock does not matter. At least 60, to finish a payment. */
  holdSeconds: number;
  testMode: boolean;
}

export type StartedCheckout = CheckoutToPay | CheckoutWithNothingToPay;

/**
 * Holds one unit of stock, and one use of the coupon, if any, for 15 minutes, and creates an order at the
 * gateway. Starting the same checkout again (double click, second tab, reload) returns the same order. When a coupon
 * leaves nothing to pay, the pass is created at once.
 *
 * @throws DomainError unauthenticated, shop-not-confirmed, tool-not-found, contact-only, tool-is-free, option-not-found,
 * payments-not-set-up, gateway-unavailable, checkout-ended, and what `holdPurchase` throws
 */
export async function startCheckout(
  ctx: Context,
  input: z.input<typeof startCheckoutInput> | UntrustedInput,
): Promise<StartedCheckout> {
  requireSignedIn(ctx, "own-account");
  const { actor } = ctx;
  const {
    slug,
    option: label,
    coupon: couponCode,
    renewal,
    cameFrom,
  } = parseInput(startCheckoutInput, input);
  await requireConfirmedShop(ctx.db);
  const tool = await getTool(ctx, { slug });
  if (tool.contactOnly) throw new DomainError("contact-only", { tool: tool.name });
  if (tool.pricePaise === 0) throw new DomainError("tool-is-free", { tool: tool.name });
  const option = chooseOption(tool, label);
  if (!option) throw new DomainError("option-not-found");
  const { gateway } = ctx.ports;
  if (!gateway) throw new DomainError("payments-not-set-up");
  if (couponCode !== null) await recordCouponAttempt(ctx);
  await refuseSoldOut(ctx, actor.userId, tool);

  const held = await holdPurchase(ctx, { actor, tool, option, couponCode, renewal, cameFrom, gateway });
  if (held.kind === "nothing-to-pay") return nothingToPay(ctx, held.purchase);
  // A resumed checkout may have been paid in another tab or before a reload: the buyer must not pay again.
  const settlement = held.resumed
    ? await settleOrderOfPurchase(ctx, held.purchase.id, POLL_INTERVAL)
    : "waiting";
  if (settlement === "pass") throw new DomainError("already-owned");
  if (settlement === "refunded") throw new DomainError("checkout-ended");
  const notes = {
    toolSlug: tool.slug,
    buyerId: actor.userId,
    validityDays: option.validityDays,
    orderNumber: held.purchase.orderNumber,
  };
  const gatewayOrderId = await ensureOrderOrRelease(ctx, gateway, held, notes);
  const now = ctx.clock.now();
  const holdEndsAt = held.purchase.holdEndsAt ?? now;
  return {
    kind: "pay",
    purchaseId: held.purchase.id,
    gatewayOrderId,
    keyId: gateway.checkout.keyId,
    scriptUrl: gateway.checkout.scriptUrl,
    amountPaise: held.purchase.amountPaise,
    currency: held.purchase.currency,
    toolName: tool.name,
    email: actor.email,
    holdEndsAt,
    holdSeconds: Math.max(60, Math.floor((holdEndsAt.getTime() - now.getTime()) / 1000)),
    testMode: gateway.testMode,
  };
}

/**
 * Refuses most buyers of a sold-out tool without a transaction. A buyer with an open checkout or a pass needs the
 * transaction.
 */
async function refuseSoldOut(
  ctx: AuthorisedContext,
  userId: string,
  tool: { id: string; name: string; availableStock: number },
): Promise<void> {
  if (tool.availableStock > 0 || (await hasOpenCheckoutOrPass(ctx.db, { userId, toolId: tool.id }))) return;
  throw new DomainError("tool-out-of-stock", { tool: tool.name });
}

function nothingToPay(ctx: Context, purchase: Purchase): CheckoutWithNothingToPay {
  ctx.ports.jobs.triggerSoon("send-mail");
  const now = ctx.clock.now();
  return {
    kind: "nothing-to-pay",
    purchaseId: purchase.id,
    orderNumber: purchase.orderNumber,
    startsAt: purchase.startsAt ?? now,
    expiresAt: purchase.expiresAt ?? now,
  };
}

async function ensureOrderOrRelease(
  ctx: AuthorisedContext,
  gateway: NonNullable<Context["ports"]["gateway"]>,
  held: Extract<HeldCheckout, { kind: "to-pay" }>,
  notes: OrderNotes,
): Promise<string> {
  try {
    return await ensureGatewayOrder(ctx, gateway, held.order, { mayExist: held.resumed, notes });
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    ctx.log.error({ err: error, purchaseId: held.purchase.id }, "the gateway created no order");
    const createdByAnother = await inTransaction(ctx.db, async (tx) => {
      const purchase = await lockPurchase(tx, held.purchase.id);
      // A second tab shares this purchase and may have created the order.
      const order = await findOrder(tx, { purchaseId: held.purchase.id });
      if (order?.gatewayOrderId) return order.gatewayOrderId;
      const errorMessage = "The payment provider did not answer.";
      if (purchase) await applyPurchaseEvent(ctx, tx, purchase, { type: "order-refused" }, { errorMessage });
      return null;
    });
    if (createdByAnother) return createdByAnother;
    throw new DomainError("gateway-unavailable", {}, { cause: error });
  }
}
