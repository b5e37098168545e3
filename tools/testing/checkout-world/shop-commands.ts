import { eq } from "drizzle-orm";
import fc from "fast-check";
import { deleteUser } from "#core/accounts/delete-user.server.ts";
import { cancelCheckout } from "#core/checkout/cancel-checkout.server.ts";
import { confirmCheckout } from "#core/checkout/confirm-checkout.server.ts";
import { expireHolds } from "#core/checkout/expire-holds.server.ts";
import { refreshCheckoutStatus } from "#core/checkout/refresh-checkout-status.server.ts";
import type { Context } from "#core/context.ts";
import { cancelPurchase } from "#core/payments/cancel-purchase.server.ts";
import { processWebhookEvents } from "#core/payments/process-webhook-events.server.ts";
import { reconcileOrders } from "#core/payments/reconcile-orders.server.ts";
import { DAY, HOUR, MINUTE } from "#core/time.ts";
import { users } from "#db/tables/accounts.ts";
import { couponCodes } from "#db/tables/catalog.ts";
import type { Command } from "./command.ts";
import { asSent, type Buyer, fromLatest, inTurn, type World } from "./world.ts";

const many = fc.nat({ max: 5 });

const JOBS: Record<string, (ctx: Context) => Promise<object>> = {
  "process-webhook-events": processWebhookEvents,
  "expire-holds": expireHolds,
  "reconcile-orders, those due": (ctx) => reconcileOrders(ctx, { all: false }),
  "reconcile-orders, all open": (ctx) => reconcileOrders(ctx, { all: true }),
};

export const job = fc.constantFrom(...Object.keys(JOBS)).map(
  (name): Command => ({
    words: `the job ${name} runs`,
    perform: async (world) => JSON.stringify(await JOBS[name]?.(world.system)),
  }),
);

/** All who may learn of a payment do so at the same moment, and something may end the checkout at it. */
export const rush = fc
  .record({
    back: many,
    end: fc.constantFrom("nothing", "closing", "the admin's cancelling", "deleting the buyer"),
  })
  .map(
    ({ back, end }): Command => ({
      words: `callback, dialog, reconciler and ${end} at once for the payment ${back} back`,
      perform: async (world) => {
        const paid = fromLatest(world.payments, back);
        if (!paid) return null;
        const { buyer, purchaseId } = paid.checkout;
        const own = { purchaseId };
        await Promise.all([
          paid.proof && confirmCheckout(buyer.ctx, asSent(paid.proof)),
          refreshCheckoutStatus(buyer.ctx, own),
          reconcileOrders(world.system, { all: true }),
          end === "closing" && cancelCheckout(buyer.ctx, own),
          end === "the admin's cancelling" &&
            cancelPurchase(world.admin, { ...own, refund: true, reason: "Not wanted" }),
          end === "deleting the buyer" && endAccount(world, buyer),
        ]);
        return paid.name;
      },
    }),
  );

async function endAccount(world: World, buyer: Buyer): Promise<void> {
  buyer.gone = { refusal: "unauthenticated", since: world.shop.clock.now() };
  await deleteUser(world.admin, { userId: buyer.userId });
}

/** Past a hold, past a pause between two tries, or past a short pass and past the days the reconciler looks. */
export const time = fc
  .oneof(
    { weight: 5, arbitrary: fc.constant({ words: "16 minutes", passesMs: 16 * MINUTE }) },
    { weight: 2, arbitrary: fc.constant({ words: "6 hours", passesMs: 6 * HOUR }) },
    { weight: 1, arbitrary: fc.constant({ words: "8 days", passesMs: 8 * DAY }) },
  )
  .chain(({ words, passesMs }) =>
    fc.boolean().map(
      (ends): Command => ({
        words: `${words} pass${ends ? ", and the job expire-holds runs" : ""}`,
        passesMs,
        perform: async (world) => (ends ? JSON.stringify(await expireHolds(world.system)) : ""),
      }),
    ),
  );

export const cancel = fc.record({ back: many, refund: fc.boolean() }).map(
  ({ back, refund }): Command => ({
    words: `the admin cancels the checkout ${back} back and ${refund ? "pays back" : "keeps"} the money`,
    perform: async (world) => {
      const shown = fromLatest(world.checkouts, back);
      if (!shown) return null;
      const { purchaseId, name } = shown;
      const { refundedPaise } = await cancelPurchase(world.admin, {
        purchaseId,
        refund,
        reason: "Not wanted",
      });
      return `${name}: ${refundedPaise} back`;
    },
  }),
);

export const deleteBuyer = many.map(
  (number): Command => ({
    words: `the admin deletes buyer ${number}`,
    perform: async (world) => {
      const buyer = inTurn(world.buyers, number);
      await endAccount(world, buyer);
      return buyer.name;
    },
  }),
);

/** No verb does so yet. */
export const disableBuyer = many.map(
  (number): Command => ({
    words: `the admin disables buyer ${number}`,
    perform: async ({ shop, buyers }) => {
      const buyer = inTurn(buyers, number);
      buyer.gone = { refusal: "user-disabled", since: shop.clock.now() };
      await shop.db.update(users).set({ isActive: false }).where(eq(users.id, buyer.userId));
      return buyer.name;
    },
  }),
);

export const switchCoupon = fc.boolean().map(
  (isActive): Command => ({
    words: `the owner switches the coupon ${isActive ? "on" : "off"}`,
    perform: async ({ shop, coupon }) => {
      await shop.db.update(couponCodes).set({ isActive }).where(eq(couponCodes.id, coupon.id));
      return "";
    },
  }),
);
