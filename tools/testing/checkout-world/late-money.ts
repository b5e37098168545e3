import fc from "fast-check";
import { cancelCheckout } from "#core/checkout/cancel-checkout.server.ts";
import { CHECKOUT_REFUSALS, start } from "./buyer-commands.ts";
import type { Command } from "./command.ts";
import { payFor } from "./gateway-commands.ts";
import { fromLatest, inTurn } from "./world.ts";

/**
 * A checkout is closed, somebody (perhaps the same buyer) starts the same and may pay at once, and then the first is paid
 * all the same. Other commands bring this about too, but seldom.
 */
export const lateMoney = fc
  .record({ back: fc.nat({ max: 5 }), next: fc.nat({ max: 3 }), pays: fc.boolean() })
  .map(
    ({ back, next, pays }): Command => ({
      words: `the checkout ${back} back is closed, buyer ${next} starts the same${pays ? " and pays" : ""}, then the first is paid`,
      refusals: CHECKOUT_REFUSALS,
      perform: async (world) => {
        const first = fromLatest(world.checkouts, back);
        if (!first) return null;
        await cancelCheckout(first.buyer.ctx, { purchaseId: first.purchaseId });
        await start(world, inTurn(world.buyers, next), first.asked);
        const second = world.checkouts.at(-1);
        if (pays && second && second !== first) payFor(world, second, "pays");
        return payFor(world, first, "pays");
      },
    }),
  );
