import type { Transaction } from "#db/database.ts";
import type { Purchase } from "#db/tables/purchases.ts";
import { lockStock } from "../catalog/stock.server.ts";
import type { Context } from "../context.ts";
import { lockReleasedRedemption } from "../coupons/redeem-coupons.server.ts";
import { type CaptureFacts, purchaseStateOf } from "./purchase-machine.ts";

/**
 * The part of a purchase's released reservation that cannot be reacquired. Locks the coupon and the tool, in this
 * order, so that the result stays valid until the end of the transaction. The caller has locked the purchase.
 *
 * @returns null when all of it is available, or when nothing was released
 */
export async function findUnavailable(
  ctx: Context,
  tx: Transaction,
  purchase: Purchase,
): Promise<CaptureFacts["unavailable"]> {
  if (purchaseStateOf(purchase, ctx.clock.now()) !== "hold-released") return null;
  if (purchase.couponCode && !(await lockReleasedRedemption(tx, purchase.id))) return "coupon";
  const { id: purchaseId, toolId } = purchase;
  return toolId && (await lockStock(ctx, tx, { toolId, purchaseId })) ? null : "stock";
}
