import { eq } from "drizzle-orm";
import fc from "fast-check";
import { deleteUser } from "#core/accounts/delete-account.server.ts";
import { setUserActive } from "#core/accounts/manage-users.server.ts";
import type { AuthorisedContext } from "#core/authorise.ts";
import { confirmCheckout, refreshCheckoutStatus } from "#core/checkout/checkout-status.server.ts";
import { cancelCheckout, expireHolds } from "#core/checkout/end-checkout.server.ts";
import { isDomainError } from "#core/errors.ts";
import { cancelPurchase } from "#core/payments/cancel-purchase.server.ts";
import { reconcileOrders } from "#core/payments/reconcile-orders.server.ts";
import { processWebhookEvents } from "#core/payments/webhook-events.server.ts";
import { DAY, HOUR, MINUTE } from "#core/time.ts";
import { couponCodes } from "#db/tables/catalog.ts";
import type { Command } from "./command.ts";
import { readDisputesAgain } from "./gateway-commands.ts";
import { type Buyer, type Model, pickByIndex, pickFromLatest, toConfirmInput } from "./model.ts";

const smallIndex = fc.nat({ max: 5 });

const JOBS: Record<string, (ctx: AuthorisedContext) => Promise<object>> = {
  "process-webhook-events": processWebhookEvents,
  "expire-holds": expireHolds,
  "read-disputes": readDisputesAgain,
  "reconcile-orders, those due": (ctx) => reconcileOrders(ctx, { all: false }),
  "reconcile-orders, all open": (ctx) => reconcileOrders(ctx, { all: true }),
};

export const runJob = fc.constantFrom(...Object.keys(JOBS)).map(
  (name): Command => ({
    description: `the job ${name} runs`,
    run: async (model) => JSON.stringify(await JOBS[name]?.(model.system)),
  }),
);

/**
 * Confirmation, status poll and reconciliation of a payment run in parallel, perhaps with something that ends the
 * checkout.
 */
export const settleInParallel = fc
  .record({
    back: smallIndex,
    end: fc.constantFrom("nothing", "closing it", "cancelling it as admin", "deleting the buyer"),
  })
  .map(
    ({ back, end }): Command => ({
      description: `confirmation, status poll, reconciliation and ${end} in parallel for the payment ${back} back`,
      run: async (model) => {
        const paid = pickFromLatest(model.payments, back);
        if (!paid) return null;
        const { buyer, purchaseId } = paid.checkout;
        const input = { purchaseId };
        await Promise.all([
          paid.signedPayment && confirmCheckout(buyer.ctx, toConfirmInput(paid.signedPayment)),
          refreshCheckoutStatus(buyer.ctx, input),
          reconcileOrders(model.system, { all: true }),
          end === "closing it" && cancelCheckout(buyer.ctx, input),
          end === "cancelling it as admin" &&
            cancelPurchase(model.admin, { ...input, refund: true, reason: "Not wanted" }).catch(
              unlessDisputed,
            ),
          end === "deleting the buyer" && deleteAccount(model, buyer),
        ]);
        return paid.name;
      },
    }),
  );

function unlessDisputed(error: unknown): void {
  if (!isDomainError(error, "payment-disputed")) throw error;
}

async function deleteAccount(model: Model, buyer: Buyer): Promise<void> {
  await endAccount(model, buyer, () => deleteUser(model.admin, { userId: buyer.userId }));
}

/** Parallel commands may be refused from its beginning. They may make passes until its end, which the clock may have passed. */
async function endAccount(model: Model, buyer: Buyer, end: () => Promise<unknown>): Promise<void> {
  const isFirst = buyer.accountEndedAt === null;
  buyer.accountEndedAt ??= model.shop.clock.now();
  await end();
  if (isFirst) buyer.accountEndedAt = model.shop.clock.now();
}

/**
 * Beyond a hold, beyond the delay between two attempts, or beyond a short pass and the days in which orders are polled.
 */
export const advanceClock = fc
  .oneof(
    { weight: 5, arbitrary: fc.constant({ description: "16 minutes", advanceClockMs: 16 * MINUTE }) },
    { weight: 2, arbitrary: fc.constant({ description: "6 hours", advanceClockMs: 6 * HOUR }) },
    { weight: 1, arbitrary: fc.constant({ description: "8 days", advanceClockMs: 8 * DAY }) },
  )
  .chain(({ description, advanceClockMs }) =>
    fc.boolean().map(
      (expiresHolds): Command => ({
        description: `${description} pass${expiresHolds ? ", and the job expire-holds runs" : ""}`,
        advanceClockMs,
        run: async (model) => (expiresHolds ? JSON.stringify(await expireHolds(model.system)) : ""),
      }),
    ),
  );

export const cancelByAdmin = fc.record({ back: smallIndex, refund: fc.boolean(), settled: fc.boolean() }).map(
  ({ back, refund, settled }): Command => ({
    description: `the admin cancels the ${settled ? "settled payment" : "checkout"} ${back} back and ${refund ? "refunds" : "retains"} the money`,
    allowedRefusals: ["payment-disputed"],
    run: async (model) => {
      const checkout = settled
        ? pickFromLatest(model.payments, back)?.checkout
        : pickFromLatest(model.checkouts, back);
      if (!checkout) return null;
      if (settled) await reconcileOrders(model.system, { all: true });
      const { purchaseId, name } = checkout;
      const { refundedPaise } = await cancelPurchase(model.admin, {
        purchaseId,
        refund,
        reason: "Not wanted",
      });
      return `${name}: ${refundedPaise} paise refunded`;
    },
  }),
);

export const deleteBuyer = smallIndex.map(
  (number): Command => ({
    description: `the admin deletes buyer ${number}`,
    run: async (model) => {
      const buyer = pickByIndex(model.buyers, number);
      await deleteAccount(model, buyer);
      return buyer.name;
    },
  }),
);

export const disableBuyer = smallIndex.map(
  (number): Command => ({
    description: `the admin disables buyer ${number}`,
    // A deleted account.
    allowedRefusals: ["not-found"],
    run: async (model) => {
      const buyer = pickByIndex(model.buyers, number);
      const account = { userId: buyer.userId, isActive: false };
      await endAccount(model, buyer, () => setUserActive(model.admin, account));
      return buyer.name;
    },
  }),
);

export const setCouponActive = fc.boolean().map(
  (isActive): Command => ({
    description: `the owner switches the coupon ${isActive ? "on" : "off"}`,
    run: async ({ shop, coupon }) => {
      await shop.db.update(couponCodes).set({ isActive }).where(eq(couponCodes.id, coupon.id));
      return "";
    },
  }),
);
