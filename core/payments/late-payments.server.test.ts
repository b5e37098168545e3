import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { users } from "#db/tables/accounts.ts";
import { mailMessages } from "#db/tables/operations.ts";
import { paymentOrders } from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { sandboxPayments, sandboxRefunds } from "#db/tables/sandbox.ts";
import { startPaidCheckout } from "#tests/fixtures/open-test-shop.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import { confirmCheckout } from "../checkout/checkout-status.server.ts";
import { cancelCheckout, expireHolds } from "../checkout/end-checkout.server.ts";
import type { Context } from "../context.ts";
import { addDays, DAY, MINUTE } from "../time.ts";
import { processRefunds } from "./process-refunds.server.ts";
import { reconcileOrders } from "./reconcile-orders.server.ts";
import { settleOrder } from "./settle-order.server.ts";

let shop: SandboxShop;
beforeAll(async () => {
  shop = await startSandboxShop();
});
afterAll(() => shop.close());

/** Makes a late payment: the checkout was closed and another buyer has taken the last unit. */
async function createLatePayment() {
  const tool = await shop.tool({ availableStock: 1 });
  const buyer = await shop.user();
  const { gatewayOrderId, purchaseId } = await startPaidCheckout(buyer, { slug: tool.slug });
  await cancelCheckout(buyer, { purchaseId });
  await startPaidCheckout(await shop.user(), { slug: tool.slug });
  await shop.payAtGateway(gatewayOrderId);
  return { tool, buyer, gatewayOrderId, purchaseId };
}

test("reconciliation finds a payment that no webhook reported", async () => {
  const tool = await shop.tool();
  const buyer = await shop.user();
  const { gatewayOrderId } = await startPaidCheckout(buyer, { slug: tool.slug });
  await shop.payAtGateway(gatewayOrderId);
  await reconcileOrders(shop.system(), { all: true });
  expect((await shop.purchasesOf(buyer))[0]?.status).toBe("completed");
});

test("an order whose creation was interrupted is found by its receipt", async () => {
  const tool = await shop.tool();
  const buyer = await shop.user();
  const { gatewayOrderId, purchaseId } = await startPaidCheckout(buyer, { slug: tool.slug });
  await shop.db
    .update(paymentOrders)
    .set({ gatewayOrderId: null, state: "creating" })
    .where(eq(paymentOrders.purchaseId, purchaseId));
  await shop.payAtGateway(gatewayOrderId);
  await reconcileOrders(shop.system(), { all: true });
  expect((await shop.purchasesOf(buyer))[0]?.status).toBe("completed");
  expect(await startPaidCheckout(buyer, { slug: tool.slug }).catch((error: unknown) => error)).toMatchObject({
    code: "already-owned",
  });
});

test("a late payment reacquires a unit and becomes a pass", async () => {
  const tool = await shop.tool({ availableStock: 1 });
  const buyer = await shop.user();
  const { gatewayOrderId, purchaseId } = await startPaidCheckout(buyer, { slug: tool.slug });
  await cancelCheckout(buyer, { purchaseId });
  await shop.payAtGateway(gatewayOrderId);
  await settleOrder(shop.system(), { gatewayOrderId });
  expect((await shop.purchasesOf(buyer))[0]).toMatchObject({ status: "completed", stockState: "used" });
  expect(await shop.stockOf(tool.id)).toBe(0);
});

test("a late payment for a sold-out tool is refunded once and the buyer gets a mail", async () => {
  const { tool, buyer, gatewayOrderId, purchaseId } = await createLatePayment();
  await Promise.all(Array.from({ length: 5 }, () => settleOrder(shop.system(), { gatewayOrderId })));
  expect(await shop.refundsOf(purchaseId)).toEqual([
    { status: "requested", amountPaise: 14_900, reason: "out-of-stock" },
  ]);
  await Promise.all([processRefunds(shop.system()), processRefunds(shop.system())]);
  expect((await shop.refundsOf(purchaseId))[0]?.status).toBe("processed");
  const refundedPaise = await shop.db.select().from(sandboxRefunds);
  expect(refundedPaise.filter(({ amountPaise }) => amountPaise === 14_900)).toHaveLength(1);
  const mails = await shop.db
    .select()
    .from(mailMessages)
    .where(eq(mailMessages.recipient, buyer.actor.email));
  expect(mails).toHaveLength(1);
  expect(mails[0]?.text).toContain("₹149");
  expect(await shop.stockOf(tool.id)).toBe(0);
});

test("payments for a replaced checkout and for a disabled account are refunded", async () => {
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
  const first = await startPaidCheckout(buyer, { slug: tool.slug, option: "7 Days" });
  const second = await startPaidCheckout(buyer, { slug: tool.slug, option: "30 Days" });
  await shop.payAtGateway(first.gatewayOrderId);
  await settleOrder(shop.system(), { gatewayOrderId: first.gatewayOrderId });
  expect(await shop.refundsOf(first.purchaseId)).toMatchObject([
    { reason: "purchase-replaced", amountPaise: 4900 },
  ]);
  await shop.db.update(users).set({ isActive: false }).where(eq(users.id, buyer.actor.userId));
  await shop.payAtGateway(second.gatewayOrderId);
  await settleOrder(shop.system(), { gatewayOrderId: second.gatewayOrderId });
  expect(await shop.refundsOf(second.purchaseId)).toMatchObject([
    { reason: "account-closed", amountPaise: 14_900 },
  ]);
  expect(await shop.stockOf(tool.id)).toBe(5);
});

test("a payment is refunded when the buyer got another pass for the tool meanwhile", async () => {
  const tool = await shop.tool();
  const buyer = await shop.user();
  const { gatewayOrderId, purchaseId } = await startPaidCheckout(buyer, { slug: tool.slug });
  const now = shop.clock.now();
  await shop.db.insert(userPurchases).values({
    userId: buyer.actor.userId,
    userEmail: buyer.actor.email,
    toolId: tool.id,
    toolName: tool.name,
    validityDays: 30,
    listPricePaise: 0,
    amountPaise: 0,
    status: "completed",
    source: "admin",
    testMode: true,
    startsAt: now,
    expiresAt: addDays(now, 30),
  });
  await shop.payAtGateway(gatewayOrderId);
  await settleOrder(shop.system(), { gatewayOrderId });
  expect(await shop.refundsOf(purchaseId)).toMatchObject([{ reason: "already-owned" }]);
  expect((await shop.purchasesOf(buyer)).filter(({ status }) => status === "completed")).toHaveLength(1);
  expect(await shop.stockOf(tool.id)).toBe(5);
});

test("a test pass gives no access in live mode and does not prevent a purchase", async () => {
  const tool = await shop.tool();
  const buyer = await shop.user();
  const test = await startPaidCheckout(buyer, { slug: tool.slug });
  await confirmCheckout(buyer, await shop.payAtGateway(test.gatewayOrderId));
  const { gateway } = shop.ports;
  if (!gateway) throw new Error("the test shop has a gateway");
  const real = {
    ...buyer,
    ports: { ...shop.ports, gateway: { ...gateway, name: "razorpay", testMode: false } },
  } as const;
  const started = await startPaidCheckout(real, { slug: tool.slug });
  expect(await confirmCheckout(real, await shop.payAtGateway(started.gatewayOrderId))).toMatchObject({
    state: "success",
  });
  await expect(startPaidCheckout(real, { slug: tool.slug })).rejects.toMatchObject({
    code: "already-owned",
  });
});

test("a payment that the owner refunded at the gateway makes no pass and is not refunded again", async () => {
  const tool = await shop.tool();
  const buyer = await shop.user();
  const { gatewayOrderId, purchaseId } = await startPaidCheckout(buyer, { slug: tool.slug });
  const proof = await shop.payAtGateway(gatewayOrderId);
  await shop.db
    .update(sandboxPayments)
    .set({ status: "refunded" })
    .where(eq(sandboxPayments.id, proof.gatewayPaymentId));
  await settleOrder(shop.system(), { gatewayOrderId });
  expect(await shop.refundsOf(purchaseId)).toMatchObject([
    { status: "processed", reason: "refunded-at-gateway" },
  ]);
  expect((await shop.purchasesOf(buyer))[0]?.status).toBe("failed");
  expect(await shop.stockOf(tool.id)).toBe(5);
});

test("a refund that the gateway refuses stays due and is sent later", async () => {
  const { gatewayOrderId, purchaseId } = await createLatePayment();
  await settleOrder(shop.system(), { gatewayOrderId });
  const refused = {
    error: { code: "BAD_REQUEST_ERROR", description: "Your account has too little balance." },
  };
  shop.gatewayFaults.next = (request) =>
    request.url.endsWith("/refund") ? Response.json(refused, { status: 400 }) : undefined;
  await processRefunds(shop.system());
  shop.gatewayFaults.next = null;
  expect((await shop.refundsOf(purchaseId))[0]?.status).toBe("requested");
  await processRefunds(shop.system());
  expect((await shop.refundsOf(purchaseId))[0]?.status, "not asked again at once").toBe("requested");
  shop.clock.advance(2 * MINUTE);
  await processRefunds(shop.system());
  expect((await shop.refundsOf(purchaseId))[0]?.status).toBe("processed");
});

test("an order is not given up while the gateway does not answer or another gateway is configured", async () => {
  const tool = await shop.tool();
  const buyer = await shop.user();
  const { gatewayOrderId, purchaseId } = await startPaidCheckout(buyer, { slug: tool.slug });
  await cancelCheckout(buyer, { purchaseId });
  await shop.payAtGateway(gatewayOrderId);
  shop.clock.advance(6 * DAY);
  shop.gatewayFaults.next = () => new Response("{}", { status: 503 });
  await reconcileOrders(shop.system(), { all: true });
  shop.gatewayFaults.next = null;
  const system = shop.system();
  const { gateway } = system.ports;
  if (!gateway) throw new Error("the test shop has a gateway");
  const other = {
    ...system,
    ports: { ...system.ports, gateway: { ...gateway, name: "razorpay" } },
  } as const;
  await reconcileOrders(other, { all: true });
  expect((await shop.purchasesOf(buyer))[0]?.status).toBe("failed");
  await reconcileOrders(system, { all: true });
  expect((await shop.purchasesOf(buyer))[0]?.status).toBe("completed");
});

test("an unpaid order is given up after five days, once the gateway has answered", async () => {
  const buyer = await shop.user();
  const { purchaseId } = await startPaidCheckout(buyer, { slug: (await shop.tool()).slug });
  await cancelCheckout(buyer, { purchaseId });
  const purchaseStateOf = async () =>
    (await shop.db.select().from(paymentOrders).where(eq(paymentOrders.purchaseId, purchaseId)))[0]?.state;
  shop.clock.advance(4 * DAY);
  await reconcileOrders(shop.system(), { all: true });
  expect(await purchaseStateOf()).toBe("open");
  shop.clock.advance(2 * DAY);
  await reconcileOrders(shop.system(), { all: true });
  expect(await purchaseStateOf()).toBe("closed");
});

test("holds expire on time while the gateway does not answer, and the gateway is asked once", async () => {
  const tool = await shop.tool();
  for (let i = 0; i < 3; i++) await startPaidCheckout(await shop.user(), { slug: tool.slug });
  shop.clock.advance(15 * MINUTE);
  const asked = new Set<string>();
  shop.gatewayFaults.next = (request) => {
    asked.add(request.url);
    return new Response("{}", { status: 503 });
  };
  await expireHolds(shop.system());
  shop.gatewayFaults.next = null;
  expect(await shop.stockOf(tool.id)).toBe(5);
  expect(asked.size).toBe(1);
});

test("an authorised payment that cannot be captured does not prevent the capture of another one", async () => {
  const tool = await shop.tool();
  const buyer = await shop.user();
  const { gatewayOrderId } = await startPaidCheckout(buyer, { slug: tool.slug });
  for (const id of ["pay_bad", "pay_good"]) {
    const facts = {
      id: `${id}${gatewayOrderId.slice(6)}`,
      orderId: gatewayOrderId,
      amountPaise: 14_900,
      currency: "INR",
    };
    await shop.db.insert(sandboxPayments).values({ ...facts, status: "authorized" });
  }
  shop.gatewayFaults.next = (request) =>
    request.url.includes("pay_bad") ? Response.json({}, { status: 400 }) : undefined;
  expect(await settleOrder(shop.system(), { gatewayOrderId })).toMatchObject({ result: "pass" });
  shop.gatewayFaults.next = null;
  expect((await shop.purchasesOf(buyer))[0]?.status).toBe("completed");
});

test("payment jobs refuse every actor but the system", async () => {
  const buyer = await shop.user();
  for (const job of [expireHolds, processRefunds, (ctx: Context) => reconcileOrders(ctx, { all: true })]) {
    await expect(job(buyer)).rejects.toMatchObject({ code: "forbidden" });
    await expect(job(shop.visitor())).rejects.toMatchObject({ code: "forbidden" });
  }
});
