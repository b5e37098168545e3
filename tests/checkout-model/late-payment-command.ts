import fc from "fast-check";
import { cancelCheckout } from "#core/checkout/end-checkout.server.ts";
import { CHECKOUT_REFUSALS, startAndTrack } from "./buyer-commands.ts";
import type { Command } from "./command.ts";
import { payFor } from "./gateway-commands.ts";
import { pickByIndex, pickFromLatest } from "./model.ts";

/**
 * A buyer closes a checkout, a buyer (perhaps the same) starts one of the same tool and may pay at once, and then the
 * first checkout is paid. Random commands rarely produce this order.
 */
export const closeThenPay = fc
  .record({ back: fc.nat({ max: 5 }), next: fc.nat({ max: 3 }), pays: fc.boolean() })
  .map(
    ({ back, next, pays }): Command => ({
      description: `the checkout ${back} back is closed, buyer ${next} starts the same${pays ? " and pays" : ""}, then the first is paid`,
      allowedRefusals: CHECKOUT_REFUSALS,
      run: async (model) => {
        const first = pickFromLatest(model.checkouts, back);
        if (!first) return null;
        await cancelCheckout(first.buyer.ctx, { purchaseId: first.purchaseId });
        await startAndTrack(model, pickByIndex(model.buyers, next), first.request);
        const second = model.checkouts.at(-1);
        if (pays && second && second !== first) payFor(model, second, "pays");
        return payFor(model, first, "pays");
      },
    }),
  );
