import { eq, inArray } from "drizzle-orm";
import fc from "fast-check";
import { uuidv7 } from "uuidv7";
import { sellByHand } from "#core/checkout/sell-by-hand.server.ts";
import { type ErrorCode, InvalidInputError } from "#core/errors.ts";
import { cancelPurchase } from "#core/payments/cancel-purchase.server.ts";
import { recordPayout } from "#core/payments/credits.server.ts";
import { reconcileOrders } from "#core/payments/reconcile-orders.server.ts";
import { paymentAttempts, paymentOrders, payouts, refunds } from "#db/tables/payments.ts";
import type { Command } from "./command.ts";
import { payFor } from "./gateway-commands.ts";
import {
  type Buyer,
  type CheckoutRequest,
  type Model,
  OPTIONS,
  pickByIndex,
  pickFromLatest,
} from "./model.ts";

const smallIndex = fc.nat({ max: 5 });
const sometimes = fc.constantFrom(false, false, true);

const SALE_REFUSALS: ErrorCode[] = [
  ...(["already-owned", "tool-out-of-stock", "renewal-waiting", "pass-not-changeable"] as const),
  ...(["coupon-not-found", "coupon-inactive", "coupon-used-up"] as const),
  // An account that was deleted or disabled.
  ...(["not-found", "user-disabled"] as const),
];

/** Paise. The lowest, the price of an option, and neither. */
const amount = fc.constantFrom(100, 14_900, 9_950);

/** Cash without a reference, a transfer, or a transfer whose reference another sale of the model may have. */
const payment = fc.constantFrom("cash", "transfer", "transfer", "shared reference");

async function sell(
  model: Model,
  buyer: Buyer,
  request: CheckoutRequest,
  paid: { amountPaise: number; payment: "cash" | "transfer" | "shared reference" },
): Promise<string> {
  const { tool, option, coupon, renewal } = request;
  const name = `checkout ${model.checkouts.length + 1}, by hand,`;
  const isShared = paid.payment === "shared reference";
  try {
    const { purchaseId } = await sellByHand(model.admin, {
      userId: buyer.userId,
      toolId: tool.id,
      option,
      coupon,
      renews: renewal ? "true" : undefined,
      amount: (paid.amountPaise / 100).toFixed(2),
      way: paid.payment === "cash" ? "cash" : "upi",
      reference: { cash: null, transfer: uuidv7(), "shared reference": model.coupon.code }[paid.payment],
    });
    model.checkouts.push({ name, buyer, request, purchaseId, gatewayOrderId: null });
    model.salesByHand.set(purchaseId, { name, amountPaise: paid.amountPaise, givenBackPaise: 0 });
    return `${name} of ${buyer.name}, ${tool.name}, ${option}${coupon ? ", coupon" : ""}${renewal ? ", renewal" : ""}`;
  } catch (error) {
    const fields = error instanceof InvalidInputError ? Object.keys(error.fields) : [];
    if (isShared && fields.join() === "reference") return "refused: the reference is recorded already";
    throw error;
  }
}

export const sellPassByHand = fc
  .record({
    buyer: smallIndex,
    tool: fc.nat({ max: 1 }),
    option: fc.nat({ max: OPTIONS.length - 1 }),
    coupon: sometimes,
    renewal: sometimes,
    amountPaise: amount,
    payment,
  })
  .map(
    ({ buyer, tool, option, coupon, renewal, ...paid }): Command => ({
      description: `the admin ${renewal ? "renews" : "sells"} tool ${tool} by hand to buyer ${buyer}, ${pickByIndex(OPTIONS, option).label}${coupon ? ", with the coupon" : ""}, for ${paid.amountPaise} paise, ${paid.payment}`,
      allowedRefusals: SALE_REFUSALS,
      run: (model) =>
        sell(
          model,
          pickByIndex(model.buyers, buyer),
          {
            tool: pickByIndex(model.tools, tool),
            option: pickByIndex(OPTIONS, option).label,
            coupon: coupon ? model.coupon.code : null,
            renewal,
          },
          paid,
        ),
    }),
  );

/** The buyer pays the checkout in the shop at the moment in which the admin records that it was paid by hand. */
export const sellOpenCheckoutByHand = fc.record({ back: smallIndex, pays: fc.boolean() }).map(
  ({ back, pays }): Command => ({
    description: `the admin sells the checkout ${back} back by hand${pays ? ", while it is paid and reconciled" : ""}`,
    allowedRefusals: SALE_REFUSALS,
    run: async (model) => {
      const checkout = pickFromLatest(model.checkouts, back);
      if (!checkout) return null;
      if (pays) payFor(model, checkout, "pays");
      const [sold] = await Promise.all([
        sell(model, checkout.buyer, checkout.request, { amountPaise: 14_900, payment: "transfer" }),
        pays && reconcileOrders(model.system, { all: true }),
      ]);
      return sold;
    },
  }),
);

/** The shop retains the money, or promises it, and perhaps gives it back at once. */
export const cancelSaleByHand = fc
  .record({ back: smallIndex, money: fc.constantFrom("retained", "promised", "given back", "given back") })
  .map(
    ({ back, money }): Command => ({
      description: `the admin cancels the sale by hand ${back} back, and the money is ${money}`,
      allowedRefusals: ["payment-already-handled"],
      run: async (model) => {
        const sale = pickFromLatest([...model.salesByHand], back);
        if (!sale) return null;
        const [purchaseId, { name }] = sale;
        await cancelPurchase(model.admin, { purchaseId, refund: money !== "retained", reason: "Not wanted" });
        return money === "given back" ? giveBack(model, [purchaseId], 0) : name;
      },
    }),
  );

export const givePayout = smallIndex.map(
  (back): Command => ({
    description: `the admin enters that the promised payout ${back} back was given back`,
    allowedRefusals: ["payment-already-handled"],
    run: (model) => giveBack(model, [...model.salesByHand.keys()], back),
  }),
);

/** It also gives back a payout that was paid already, which is refused. */
async function giveBack(model: Model, purchaseIds: readonly string[], back: number): Promise<string | null> {
  const all = await model.shop.db
    .select({ id: payouts.id, purchaseId: paymentOrders.purchaseId })
    .from(payouts)
    .innerJoin(refunds, eq(refunds.id, payouts.refundId))
    .innerJoin(paymentAttempts, eq(paymentAttempts.id, refunds.attemptId))
    .innerJoin(paymentOrders, eq(paymentOrders.id, paymentAttempts.orderId))
    .where(inArray(paymentOrders.purchaseId, [...purchaseIds]))
    .orderBy(payouts.id);
  const payout = pickFromLatest(all, back);
  const sale = payout && model.salesByHand.get(payout.purchaseId);
  if (!sale) return null;
  const { amountPaise } = await recordPayout(model.admin, { payoutId: payout.id, way: "cash" });
  sale.givenBackPaise += amountPaise;
  return `${sale.name} ${amountPaise} paise`;
}
