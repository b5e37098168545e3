import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { reactMailTemplates } from "#adapters/mail-templates/react-mail-templates.tsx";
import { createScarceModel, toConfirmInput } from "#tests/checkout-model/model.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { type FakeGatewayShop, startFakeGatewayShop } from "#tests/fixtures/fake-gateway-shop.ts";
import { startPaidCheckout } from "#tests/fixtures/open-test-shop.ts";
import { confirmCheckout, refreshCheckoutStatus } from "./checkout/checkout-status.server.ts";
import { composeMail, readShopFacts } from "./mail/compose-mail.server.ts";
import { paidOf } from "./paid.server.ts";
import { getPurchaseTimeline } from "./passes/get-purchase-timeline.server.ts";
import { listMyPasses } from "./passes/list-my-passes.server.ts";
import { getMyPurchase } from "./passes/list-my-purchases.server.ts";
import { listPurchases } from "./passes/list-purchases.server.ts";
import { cancelPurchase } from "./payments/cancel-purchase.server.ts";
import { settleOrder } from "./payments/settle-order.server.ts";

let shop: FakeGatewayShop;
beforeAll(async () => {
  shop = await startFakeGatewayShop(await freshDatabase());
});
afterAll(() => shop.close());

/** A buyer pays ₹49 with a difference, and confirms. */
async function pay(payment: Parameters<FakeGatewayShop["fake"]["pay"]>[1]) {
  const { model, buyer, tool } = await createScarceModel(shop);
  const started = await startPaidCheckout(buyer.ctx, { slug: tool.slug, option: "7 Days", coupon: null });
  const { gatewayOrderId, purchaseId } = started;
  const proof = shop.fake.pay(gatewayOrderId, payment);
  const confirmed = await confirmCheckout(buyer.ctx, toConfirmInput(proof));
  return {
    model,
    buyer,
    purchaseId,
    paymentId: proof.razorpay_payment_id,
    confirmed,
    settle: () => settleOrder(model.system, { gatewayOrderId }),
    status: () => refreshCheckoutStatus(buyer.ctx, { purchaseId }),
    order: () => getMyPurchase(buyer.ctx, { purchaseId }),
    listed: async () => (await listPurchases(model.admin, { q: purchaseId })).rows[0],
    captured: async () =>
      (await getPurchaseTimeline(model.admin, { purchaseId })).entries.find(
        ({ kind }) => kind === "payment-captured",
      ),
    receipt: async () => {
      const ctx = { ...model.system, ports: { ...model.system.ports, mailTemplates: reactMailTemplates } };
      const message = { kind: "purchase-receipt", subject: "", html: "", text: "", purchaseId };
      return (await composeMail(ctx, message, await readShopFacts(ctx, ctx.db))).text;
    },
  };
}

const DIFFERENCES = [
  ["the fee on top", { buyerFeePaise: 116 }, { amountPaise: 5_016, buyerFeePaise: 116, offerPaise: 0 }],
  ["an offer", { offerPaise: 490 }, { amountPaise: 4_410, buyerFeePaise: 0, offerPaise: 490 }],
] as const;

describe.each(DIFFERENCES)("a purchase that was paid with %s", (name, payment, paid) => {
  test("a purchase that was paid with another amount says to its buyer and to admins what was paid and why", async () => {
    const purchase = await pay(payment);
    expect(purchase.confirmed).toMatchObject({ state: "success", paidPaise: paid.amountPaise });
    expect(await purchase.status()).toMatchObject({ state: "success", paidPaise: paid.amountPaise });
    expect(await purchase.order()).toMatchObject({ amountPaise: 4_900, paid });
    const passes = await listMyPasses(purchase.buyer.ctx);
    expect(passes.active).toMatchObject([{ amountPaise: 4_900, paidPaise: paid.amountPaise }]);
    const listed = { amountPaise: 4_900, paidPaise: paid.amountPaise, refundedPaise: 0 };
    expect(await purchase.listed()).toMatchObject(listed);
    expect(await purchase.captured()).toMatchObject(paid);
  });

  test("a purchase that was paid with another amount has a receipt by mail with the price, the difference and what was paid", async () => {
    const lines = (await (await pay(payment)).receipt()).split("\n");
    const difference = name === "an offer" ? "Offer at payment: −₹4.90" : "Payment fee: ₹1.16";
    const amount = name === "an offer" ? "Amount paid: ₹44.10" : "Amount paid: ₹50.16";
    for (const line of ["Price: ₹49", difference, amount]) expect(lines).toContain(line);
  });

  test("a purchase that was paid with another amount says after a full refund what was paid and that it goes back", async () => {
    const purchase = await pay(payment);
    await cancelPurchase(purchase.model.admin, {
      purchaseId: purchase.purchaseId,
      reason: "Broken",
      refund: true,
    });
    expect(await purchase.status()).toMatchObject({ state: "refunded", paidPaise: paid.amountPaise });
    expect(await purchase.order()).toMatchObject({ paid, refunds: [{ amountPaise: paid.amountPaise }] });
  });
});

test("an ordinary payment has no line about a difference", async () => {
  const purchase = await pay({});
  expect(purchase.confirmed).not.toHaveProperty("paidPaise");
  expect(await purchase.order()).toMatchObject({
    paid: { amountPaise: 4_900, buyerFeePaise: 0, offerPaise: 0 },
  });
  const text = await purchase.receipt();
  expect(text).toContain("Amount paid: ₹49");
  expect(text).not.toMatch(/Price:|Payment fee|Offer/);
});

test("a payment of another amount is what was paid, and no offer", async () => {
  const purchase = await pay({ amountPaise: 100 });
  expect(purchase.confirmed).toMatchObject({ state: "refunded", paidPaise: 100 });
  expect(await purchase.order()).toMatchObject({
    paid: { amountPaise: 100, buyerFeePaise: 0, offerPaise: 0 },
  });
});

test("a partial refund at the gateway is listed with its amount, and the timeline says how much it is so far", async () => {
  const purchase = await pay({});
  shop.fake.refundAtGateway(purchase.paymentId, 1_000);
  await purchase.settle();
  expect(await purchase.listed()).toMatchObject({ status: "completed", refundedPaise: 1_000 });
  expect(await purchase.order()).toMatchObject({
    status: "active",
    refunds: [{ status: "processed", amountPaise: 1_000 }],
  });
  const { entries } = await getPurchaseTimeline(purchase.model.admin, { purchaseId: purchase.purchaseId });
  expect(entries).toContainEqual(
    expect.objectContaining({
      action: "payment.part-refunded",
      details: { paymentId: purchase.paymentId, amountPaise: 4_900, refundedPaise: 1_000 },
    }),
  );
});

test("the kept payment of several counts, and a wrong amount only when it is the only one", () => {
  const purchase = { status: "completed", amountPaise: 4_900 } as const;
  const captured = { status: "captured", outcome: "refund", buyerFeePaise: 0 } as const;
  const wrong = { ...captured, amountPaise: 100, refund: { reason: "amount-mismatch" } };
  const second = { ...captured, amountPaise: 4_410, refund: { reason: "cancelled-by-shop" } };
  const kept = { ...captured, outcome: "pass", amountPaise: 4_900, refund: null } as const;
  const failed = { ...captured, status: "failed", outcome: null, amountPaise: 4_900, refund: null } as const;
  const paise = (...payments: Parameters<typeof paidOf>[1]) => {
    const paid = paidOf(purchase, payments);
    return paid && [paid.amountPaise, paid.offerPaise];
  };
  expect(paise()).toBeNull();
  expect(paise(failed)).toBeNull();
  expect(paise(wrong)).toEqual([100, 0]);
  expect(paise(wrong, second)).toEqual([4_410, 490]);
  expect(paise(wrong, second, kept)).toEqual([4_900, 0]);
});
