import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { users } from "#db/tables/accounts.ts";
import { tools } from "#db/tables/catalog.ts";
import { mailMessages } from "#db/tables/operations.ts";
import { paymentAttempts, paymentOrders, refunds } from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { sandboxRefunds } from "#db/tables/sandbox.ts";
import { startTestShop, type TestShop } from "../../tools/testing/shop.ts";
import type { Context } from "../context.ts";
import { addDays } from "../time.ts";
import { cancelCheckout } from "./cancel-checkout.server.ts";
import { carryOutRefunds } from "./carry-out-refunds.server.ts";
import { confirmCheckout } from "./confirm-checkout.server.ts";
import { endHolds } from "./end-holds.server.ts";
import { reconcileOrders } from "./reconcile-orders.server.ts";
import { settlePayment } from "./settle-payment.server.ts";
import { startCheckout } from "./start-checkout.server.ts";

let shop: TestShop;
beforeAll(async () => {
  shop = await startTestShop();
});
afterAll(() => shop.close());

const stockOf = async (toolId: string) =>
  (await shop.db.select().from(tools).where(eq(tools.id, toolId)))[0]?.availableStock;
const purchasesOf = (ctx: Context & { actor: { userId: string } }) =>
  shop.db.select().from(userPurchases).where(eq(userPurchases.userId, ctx.actor.userId));
const refundsOf = (purchaseId: string) =>
  shop.db
    .select({ status: refunds.status, amount: refunds.amount, reason: refunds.reason })
    .from(refunds)
    .innerJoin(paymentAttempts, eq(paymentAttempts.id, refunds.attemptId))
    .innerJoin(paymentOrders, eq(paymentOrders.id, paymentAttempts.orderId))
    .where(eq(paymentOrders.purchaseId, purchaseId));

describe("money that arrives in other ways", () => {
  test("a payment nobody told us of is found by the reconciler", async () => {
    const tool = await shop.tool();
    const buyer = await shop.user();
    const { orderId } = await startCheckout(buyer, { slug: tool.slug });
    await shop.payAtGateway(orderId);
    await reconcileOrders(shop.system(), { all: true });
    expect((await purchasesOf(buyer))[0]?.status).toBe("completed");
  });

  test("an order whose creation was cut off is found by its receipt", async () => {
    const tool = await shop.tool();
    const buyer = await shop.user();
    const { orderId, purchaseId } = await startCheckout(buyer, { slug: tool.slug });
    await shop.db
      .update(paymentOrders)
      .set({ gatewayOrderId: null, state: "creating" })
      .where(eq(paymentOrders.purchaseId, purchaseId));
    await shop.payAtGateway(orderId);
    await reconcileOrders(shop.system(), { all: true });
    expect((await purchasesOf(buyer))[0]?.status).toBe("completed");
    expect(await startCheckout(buyer, { slug: tool.slug }).catch((error: unknown) => error)).toMatchObject({
      code: "already-owned",
    });
  });

  test("after the hold it takes a unit again", async () => {
    const tool = await shop.tool({ availableStock: 1 });
    const buyer = await shop.user();
    const { orderId, purchaseId } = await startCheckout(buyer, { slug: tool.slug });
    await cancelCheckout(buyer, { purchaseId });
    await shop.payAtGateway(orderId);
    await settlePayment(shop.system(), { gatewayOrderId: orderId });
    expect((await purchasesOf(buyer))[0]).toMatchObject({ status: "completed", stockState: "used" });
    expect(await stockOf(tool.id)).toBe(0);
  });

  test("after the hold with nothing left it goes back, once, and the buyer is written to", async () => {
    const tool = await shop.tool({ availableStock: 1 });
    const buyer = await shop.user();
    const { orderId, purchaseId } = await startCheckout(buyer, { slug: tool.slug });
    await cancelCheckout(buyer, { purchaseId });
    await startCheckout(await shop.user(), { slug: tool.slug });
    await shop.payAtGateway(orderId);
    await Promise.all(
      Array.from({ length: 5 }, () => settlePayment(shop.system(), { gatewayOrderId: orderId })),
    );
    expect(await refundsOf(purchaseId)).toEqual([
      { status: "requested", amount: 14_900, reason: "out-of-stock" },
    ]);
    await Promise.all([carryOutRefunds(shop.system()), carryOutRefunds(shop.system())]);
    expect((await refundsOf(purchaseId))[0]?.status).toBe("processed");
    const paidBack = await shop.db.select().from(sandboxRefunds);
    expect(paidBack.filter(({ amount }) => amount === 14_900)).toHaveLength(1);
    const mails = await shop.db
      .select()
      .from(mailMessages)
      .where(eq(mailMessages.recipient, buyer.actor.email));
    expect(mails).toHaveLength(1);
    expect(mails[0]?.text).toContain("₹149");
    expect(await stockOf(tool.id)).toBe(0);
  });

  test("a replaced checkout and a disabled account get their money back", async () => {
    const option = (label: string, validityDays: number, pricePaise: number) => ({
      label,
      validityDays,
      pricePaise,
      originalPricePaise: null,
    });
    const tool = await shop.tool({
      pricingOptions: [option("7 Days", 7, 4900), option("30 Days", 30, 14_900)],
    });
    const buyer = await shop.user();
    const first = await startCheckout(buyer, { slug: tool.slug, option: "7 Days" });
    const second = await startCheckout(buyer, { slug: tool.slug, option: "30 Days" });
    await shop.payAtGateway(first.orderId);
    await settlePayment(shop.system(), { gatewayOrderId: first.orderId });
    expect(await refundsOf(first.purchaseId)).toMatchObject([{ reason: "purchase-replaced", amount: 4900 }]);
    await shop.db.update(users).set({ isActive: false }).where(eq(users.id, buyer.actor.userId));
    await shop.payAtGateway(second.orderId);
    await settlePayment(shop.system(), { gatewayOrderId: second.orderId });
    expect(await refundsOf(second.purchaseId)).toMatchObject([{ reason: "account-closed", amount: 14_900 }]);
    expect(await stockOf(tool.id)).toBe(5);
  });

  test("a pass that came another way meanwhile stays the only one, and the money goes back", async () => {
    const tool = await shop.tool();
    const buyer = await shop.user();
    const { orderId, purchaseId } = await startCheckout(buyer, { slug: tool.slug });
    const now = shop.clock.now();
    await shop.db.insert(userPurchases).values({
      userId: buyer.actor.userId,
      userEmail: buyer.actor.email,
      toolId: tool.id,
      toolName: tool.name,
      validity: 30,
      listPricePaise: 0,
      amount: 0,
      status: "completed",
      source: "admin",
      testMode: true,
      startsAt: now,
      expiresAt: addDays(now, 30),
    });
    await shop.payAtGateway(orderId);
    await settlePayment(shop.system(), { gatewayOrderId: orderId });
    expect(await refundsOf(purchaseId)).toMatchObject([{ reason: "already-owned" }]);
    expect((await purchasesOf(buyer)).filter(({ status }) => status === "completed")).toHaveLength(1);
    expect(await stockOf(tool.id)).toBe(5);
  });

  test("once real money moves, a test pass neither counts nor stands in the way of a real one", async () => {
    const tool = await shop.tool();
    const buyer = await shop.user();
    const test = await startCheckout(buyer, { slug: tool.slug });
    await confirmCheckout(buyer, await shop.payAtGateway(test.orderId));
    const { gateway } = shop.ports;
    if (!gateway) throw new Error("the test shop has a gateway");
    const real = {
      ...buyer,
      ports: { ...shop.ports, gateway: { ...gateway, name: "razorpay", testMode: false } },
    } as const;
    const started = await startCheckout(real, { slug: tool.slug });
    expect(await confirmCheckout(real, await shop.payAtGateway(started.orderId))).toMatchObject({
      state: "success",
    });
    await expect(startCheckout(real, { slug: tool.slug })).rejects.toMatchObject({ code: "already-owned" });
  });

  test("jobs are the shop's own and refuse everyone else", async () => {
    const buyer = await shop.user();
    for (const job of [endHolds, carryOutRefunds, (ctx: Context) => reconcileOrders(ctx, { all: true })]) {
      await expect(job(buyer)).rejects.toMatchObject({ code: "forbidden" });
      await expect(job(shop.visitor())).rejects.toMatchObject({ code: "forbidden" });
    }
  });
});
