import { and, eq, inArray, isNull } from "drizzle-orm";
import fc from "fast-check";
import { cancelPurchase } from "#core/payments/cancel-purchase.server.ts";
import { reconcileOrders } from "#core/payments/reconcile-orders.server.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { CHECKOUT_REFUSALS, startAndTrack } from "./buyer-commands.ts";
import type { Command } from "./command.ts";
import { payFor } from "./gateway-commands.ts";
import { type Model, OPTIONS, pickByIndex, pickFromLatest, type StartedCheckout } from "./model.ts";

/**
 * A buyer renews a pass, and may pay at once; then the admin may cancel the pass that the renewal waits for. Passes of 7 days
 * can be renewed as soon as they begin.
 */
export const renew = fc
  .record({
    back: fc.nat({ max: 5 }),
    option: fc.nat({ max: OPTIONS.length - 1 }),
    coupon: fc.constantFrom(false, false, true),
    ending: fc.constantFrom("pays", "pays and is settled", "pays, is settled and loses the pass", "leaves"),
  })
  .map(
    ({ back, option, coupon, ending }): Command => ({
      description: `the buyer of the pass ${back} back renews it, ${pickByIndex(OPTIONS, option).label}${coupon ? ", with the coupon" : ""}; ${ending}`,
      allowedRefusals: [...CHECKOUT_REFUSALS, "payment-disputed"],
      run: async (model) => {
        const pass = pickFromLatest(await selectPasses(model), back);
        if (!pass) return null;
        const started = await startAndTrack(model, pass.buyer, {
          tool: pass.request.tool,
          option: pickByIndex(OPTIONS, option).label,
          coupon: coupon ? model.coupon.code : null,
          renewal: true,
        });
        const renewal = model.checkouts.findLast(({ buyer }) => buyer === pass.buyer);
        if (ending === "leaves" || !renewal || renewal === pass) return started;
        const paid = payFor(model, renewal, "pays");
        if (ending !== "pays") await reconcileOrders(model.system, { all: true });
        if (ending === "pays, is settled and loses the pass") {
          const cancelled = { purchaseId: pass.purchaseId, refund: true, reason: "Not wanted" };
          await cancelPurchase(model.admin, cancelled);
        }
        return `${started}; ${paid}`;
      },
    }),
  );

/** The checkouts that have become passes which were not ended. */
async function selectPasses({ shop, checkouts }: Model): Promise<StartedCheckout[]> {
  const ids = checkouts.map(({ purchaseId }) => purchaseId);
  const isPass = and(
    inArray(userPurchases.id, ids),
    eq(userPurchases.status, "completed"),
    isNull(userPurchases.endedAt),
  );
  const passes = await shop.db.select({ id: userPurchases.id }).from(userPurchases).where(isPass);
  return checkouts.filter(({ purchaseId }) => passes.some(({ id }) => id === purchaseId));
}
