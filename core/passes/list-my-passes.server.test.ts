import { eq } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, expect, test } from "vitest";
import { tools } from "#db/tables/catalog.ts";
import { paymentAttempts, paymentOrders, refunds } from "#db/tables/payments.ts";
import type { userPurchases } from "#db/tables/purchases.ts";
import { sandboxPayments } from "#db/tables/sandbox.ts";
import { startPaidCheckout } from "#tests/fixtures/open-test-shop.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import { cancelCheckout } from "../checkout/end-checkout.server.ts";
import { settleOrder } from "../payments/settle-order.server.ts";
import { addDays } from "../time.ts";
import { listMyPasses } from "./list-my-passes.server.ts";

let shop: SandboxShop;
beforeAll(async () => {
  shop = await startSandboxShop();
});
afterAll(() => shop.close());

type Buyer = Awaited<ReturnType<SandboxShop["user"]>>;

async function addPass(buyer: Buyer, facts: Partial<typeof userPurchases.$inferInsert>) {
  const tool = await shop.tool({ name: facts.toolName ?? "Some Tool" });
  await shop.pass(buyer, { toolId: tool.id, toolName: tool.name, ...facts });
}

const names = (passes: readonly { toolName: string }[]) => passes.map(({ toolName }) => toolName);

test("the list of my passes has active passes by their end, ended and expired ones as past, and no deleted pass", async () => {
  const buyer = await shop.user();
  const now = shop.clock.now();
  await addPass(buyer, { toolName: "Late", expiresAt: addDays(now, 29) });
  await addPass(buyer, { toolName: "Soon", expiresAt: addDays(now, 2) });
  await addPass(buyer, { toolName: "At this very moment", startsAt: addDays(now, -30), expiresAt: now });
  await addPass(buyer, { toolName: "Refunded", endedAt: now, endedReason: "refunded" });
  await addPass(buyer, {
    toolName: "Cancelled",
    endedAt: now,
    endedReason: "cancelled",
    expiresAt: addDays(now, 5),
  });
  await addPass(buyer, { toolName: "Deleted", endedAt: now, endedReason: "deleted" });
  await addPass(buyer, { toolName: "Failed", status: "failed", startsAt: null, expiresAt: null });
  await addPass(await shop.user(), { toolName: "Another's" });
  const passes = await listMyPasses(buyer);
  expect(names(passes.active)).toEqual(["Soon", "Late"]);
  expect(passes.active.every(({ badge }) => badge === "Active")).toBe(true);
  expect(names(passes.past)).toEqual(["Refunded", "Cancelled", "At this very moment"]);
  expect(passes.past.map(({ badge }) => badge)).toEqual(["Refunded", "Cancelled", "Expired"]);
  expect(passes.pending).toEqual([]);
});

test("a pass that waits is a part of the active one of its tool, and stands alone without one", async () => {
  const buyer = await shop.user();
  const now = shop.clock.now();
  const tool = await shop.tool({ name: "Renewed" });
  const ofTool = { toolId: tool.id, toolName: tool.name };
  await shop.pass(buyer, { ...ofTool, expiresAt: addDays(now, 3) });
  await shop.pass(buyer, { ...ofTool, startsAt: addDays(now, 3), expiresAt: addDays(now, 33) });
  await addPass(buyer, { toolName: "Later", startsAt: addDays(now, 5), expiresAt: addDays(now, 9) });
  const { active, past, pending } = await listMyPasses(buyer);
  expect(active.map(({ toolName, badge, renewedUntil }) => ({ toolName, badge, renewedUntil }))).toEqual([
    { toolName: "Renewed", badge: "Active", renewedUntil: addDays(now, 33) },
    { toolName: "Later", badge: "Waiting", renewedUntil: null },
  ]);
  expect([...past, ...pending]).toEqual([]);
});

test("each pass says whether its tool is still on sale", async () => {
  const buyer = await shop.user();
  const now = shop.clock.now();
  const ended = { startsAt: addDays(now, -30), expiresAt: addDays(now, -1) };
  for (const [toolName, state] of [
    ["On sale", {}],
    ["Off sale", { isActive: false }],
    ["Deleted", { deletedAt: now }],
  ] as const) {
    const tool = await shop.tool({ name: toolName });
    await shop.pass(buyer, { toolId: tool.id, toolName, ...ended });
    await shop.db
      .update(tools)
      .set({ ...state, updatedAt: now })
      .where(eq(tools.id, tool.id));
  }
  await shop.pass(buyer, { toolId: null, toolName: "Without a tool", ...ended });
  const { past } = await listMyPasses(buyer);
  expect(Object.fromEntries(past.map(({ toolName, onSale }) => [toolName, onSale]))).toEqual({
    "On sale": true,
    "Off sale": false,
    Deleted: false,
    "Without a tool": false,
  });
});

test("a pass can be renewed where its tool has a price to pay, also when that is the price of an option only", async () => {
  const buyer = await shop.user();
  const week = { label: "7 Days", validityDays: 7, pricePaise: 4900, originalPricePaise: null };
  for (const [toolName, pricePaise, options] of [
    ["Free", 0, []],
    ["Paid", 4900, []],
    ["Option", 0, [week]],
  ] as const) {
    const tool = await shop.tool({ name: toolName, pricePaise, pricingOptions: [...options] });
    await shop.pass(buyer, { toolId: tool.id, toolName });
  }
  const { active } = await listMyPasses(buyer);
  expect(Object.fromEntries(active.map(({ toolName, isSold }) => [toolName, isSold]))).toEqual({
    Free: false,
    Paid: true,
    Option: true,
  });
});

test("the list of my passes has a refunded purchase, but not a cancelled checkout without a payment", async () => {
  const buyer = await shop.user();
  const soldOut = await shop.tool({ name: "Sold out", availableStock: 1 });
  const cancelled = await startPaidCheckout(buyer, { slug: (await shop.tool({ name: "Left" })).slug });
  await cancelCheckout(buyer, cancelled);
  const late = await startPaidCheckout(buyer, { slug: soldOut.slug });
  await cancelCheckout(buyer, late);
  await startPaidCheckout(await shop.user(), { slug: soldOut.slug });
  await shop.payAtGateway(late.gatewayOrderId);
  await settleOrder(shop.system(), { gatewayOrderId: late.gatewayOrderId });
  const { active, past } = await listMyPasses(buyer);
  expect(active).toEqual([]);
  expect(past).toMatchObject([
    {
      toolName: "Sold out",
      badge: "Refunded",
      amountPaise: 14_900,
      paidAt: null,
      refunds: [
        {
          status: "requested",
          amountPaise: 14_900,
          at: shop.clock.now(),
          why: "The tool was sold out when the payment arrived.",
        },
      ],
    },
  ]);
});

test.each([
  ["no payment", null, false],
  ["a payment that failed", "failed", false],
  ["a payment that is authorized", "authorized", true],
  ["a payment that is captured", "captured", true],
] as const)("a checkout with %s is pending, with paymentSeen and declined set accordingly", async (_what, status, seen) => {
  const buyer = await shop.user();
  const { purchaseId } = await startPaidCheckout(buyer, { slug: (await shop.tool({ name: "Opened" })).slug });
  if (status !== null) {
    const [order] = await shop.db
      .select({ id: paymentOrders.id })
      .from(paymentOrders)
      .where(eq(paymentOrders.purchaseId, purchaseId));
    await shop.db.insert(paymentAttempts).values({
      orderId: order?.id ?? "",
      gatewayPaymentId: `pay_${purchaseId}`,
      status,
      amountPaise: 14_900,
    });
  }
  const { active, past, pending } = await listMyPasses(buyer);
  expect([active, past]).toEqual([[], []]);
  const declined = status === "failed";
  expect(pending).toMatchObject([
    { toolName: "Opened", paymentSeen: seen, declined, paidAt: null, refunds: [] },
  ]);
});

/** Inserts refunded payments of a purchase, oldest first, without any operation. */
async function addRefunds(purchaseId: string, statuses: ("processing" | "processed")[]) {
  const now = shop.clock.now();
  const [order] = await shop.db
    .select({ id: paymentOrders.id })
    .from(paymentOrders)
    .where(eq(paymentOrders.purchaseId, purchaseId));
  for (const status of statuses) {
    const attemptId = uuidv7();
    await shop.db.insert(paymentAttempts).values({
      id: attemptId,
      orderId: order?.id ?? "",
      gatewayPaymentId: `pay_${attemptId}`,
      status: "captured",
      amountPaise: 14_900,
      outcome: "refund",
    });
    await shop.db.insert(refunds).values({
      attemptId,
      amountPaise: 14_900,
      reason: "out-of-stock",
      status,
      idempotencyKey: attemptId,
      createdAt: now,
      updatedAt: now,
    });
  }
}

test("the list of my passes has a purchase with several refunds once, with all of them", async () => {
  const buyer = await shop.user();
  const { purchaseId } = await startPaidCheckout(buyer, {
    slug: (await shop.tool({ name: "Paid twice" })).slug,
  });
  await cancelCheckout(buyer, { purchaseId });
  await addRefunds(purchaseId, ["processed", "processing"]);
  const why = "The tool was sold out when the payment arrived.";
  const at = shop.clock.now();
  expect((await listMyPasses(buyer)).past).toMatchObject([
    {
      toolName: "Paid twice",
      badge: "Refunded",
      refunds: [
        { status: "processed", amountPaise: 14_900, at, why },
        { status: "processing", amountPaise: 14_900, at, why },
      ],
    },
  ]);
});

test("the length of the list is limited by purchases, not by refunds", async () => {
  const buyer = await shop.user();
  await addPass(buyer, { toolName: "Older", createdAt: addDays(shop.clock.now(), -10) });
  const { purchaseId } = await startPaidCheckout(buyer, { slug: (await shop.tool({ name: "Newer" })).slug });
  await cancelCheckout(buyer, { purchaseId });
  await addRefunds(
    purchaseId,
    Array.from({ length: 200 }, () => "processed" as const),
  );
  const { active, past } = await listMyPasses(buyer);
  expect(names(active)).toEqual(["Older"]);
  expect(past.map(({ refunds }) => refunds.length)).toEqual([200]);
});

test("a pass shows its partial refund made at the gateway and stays active", async () => {
  const buyer = await shop.user();
  const { purchaseId, gatewayOrderId } = await startPaidCheckout(buyer, { slug: (await shop.tool()).slug });
  const { gatewayPaymentId } = await shop.payAtGateway(gatewayOrderId);
  await settleOrder(shop.system(), { gatewayOrderId });
  await shop.db
    .update(sandboxPayments)
    .set({ refundedPaise: 5_000 })
    .where(eq(sandboxPayments.id, gatewayPaymentId));
  await settleOrder(shop.system(), { gatewayOrderId });
  expect((await listMyPasses(buyer)).active).toMatchObject([
    {
      id: purchaseId,
      badge: "Active",
      refunds: [
        { status: "processed", amountPaise: 5_000, why: "The shop has refunded a part of the price." },
      ],
    },
  ]);
});

test("a paid pass has the time of its payment, a free or assigned pass has none", async () => {
  const buyer = await shop.user();
  const capturedAt = addDays(shop.clock.now(), -1);
  await addPass(buyer, { toolName: "Paid", capturedAt });
  await addPass(buyer, { toolName: "Assigned", source: "admin" });
  await addPass(buyer, { toolName: "Free", capturedAt, amountPaise: 0 });
  const { active } = await listMyPasses(buyer);
  const times = Object.fromEntries(active.map(({ toolName, paidAt }) => [toolName, paidAt]));
  expect(times).toEqual({ Paid: capturedAt, Assigned: null, Free: null });
});

test("a pass without a label is named by its days, and each says where it comes from", async () => {
  const buyer = await shop.user();
  await addPass(buyer, { toolName: "Bought", optionLabel: "One month" });
  await addPass(buyer, { toolName: "Won", source: "giveaway", validityDays: 1, amountPaise: 0 });
  const { active } = await listMyPasses(buyer);
  const facts = active.map(({ toolName, optionLabel, source }) => [toolName, optionLabel, source]);
  expect(facts.toSorted()).toEqual([
    ["Bought", "One month", "checkout"],
    ["Won", "1 Day", "giveaway"],
  ]);
});

test("a visitor cannot list passes", async () => {
  await expect(listMyPasses(shop.visitor())).rejects.toMatchObject({ code: "unauthenticated" });
});
