import { eq } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, expect, test } from "vitest";
import { tools } from "#db/tables/catalog.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { buyInLiveMode } from "#tests/fixtures/buy-in-live-mode.ts";
import { startFakeGatewayShop } from "#tests/fixtures/fake-gateway-shop.ts";
import { startPaidCheckout } from "#tests/fixtures/open-test-shop.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import { confirmCheckout } from "../checkout/checkout-status.server.ts";
import { expireHolds } from "../checkout/end-checkout.server.ts";
import type { Context } from "../context.ts";
import { cancelPurchase } from "../payments/cancel-purchase.server.ts";
import { processRefunds } from "../payments/process-refunds.server.ts";
import { settleOrder } from "../payments/settle-order.server.ts";
import { auditLedger } from "../reports/audit-ledger.server.ts";
import { DAY, HOUR } from "../time.ts";
import { findActivePass } from "./access.server.ts";
import { deletePurchase } from "./end-purchases.server.ts";
import { listMyPasses } from "./list-my-passes.server.ts";
import { listUserPurchases } from "./list-purchases.server.ts";

let shop: SandboxShop;
let admin: Context;
beforeAll(async () => {
  shop = await startSandboxShop();
  admin = await shop.user("admin");
});
afterAll(() => shop.close());

async function bought() {
  const tool = await shop.tool();
  const coupon = await shop.coupon(tool.id);
  const buyer = await shop.user();
  const { gatewayOrderId, purchaseId } = await startPaidCheckout(buyer, {
    slug: tool.slug,
    coupon: coupon.code,
  });
  await confirmCheckout(buyer, await shop.payAtGateway(gatewayOrderId));
  return { tool, coupon, buyer, gatewayOrderId, purchaseId, userId: buyer.actor.userId };
}

const audits = async (purchaseId: string) =>
  (await shop.auditsOf(purchaseId)).filter(({ action }) => action === "purchase.deleted");
const discrepancies = async () => {
  shop.clock.advance(HOUR);
  return (await auditLedger(shop.system())).counts;
};

test("deleting a purchase ends access at once, hides it from every list, and releases its unit and its coupon use", async () => {
  const { tool, coupon, buyer, purchaseId, userId } = await bought();
  await Promise.all(Array.from({ length: 4 }, () => deletePurchase(admin, { purchaseId })));
  expect(await findActivePass(buyer, shop.db, { userId, toolId: tool.id })).toBeNull();
  expect(await listUserPurchases(admin, { userId })).toEqual([]);
  expect(await listMyPasses(buyer)).toEqual({ active: [], past: [], pending: [] });
  expect(await shop.purchasesOf(buyer)).toMatchObject([
    { status: "completed", endedAt: shop.clock.now(), endedReason: "deleted", stockState: "released" },
  ]);
  expect(await shop.stockOf(tool.id)).toBe(5);
  expect((await shop.couponOf(coupon.id))?.usesTaken).toBe(0);
  expect(await shop.refundsOf(purchaseId)).toEqual([]);
  expect(await audits(purchaseId)).toMatchObject([
    { details: { before: { endedReason: null }, after: { endedReason: "deleted" } } },
  ]);
  expect(await discrepancies()).toEqual({});
});

test("deleting a purchase keeps the unit of an expired pass, which is not sold again", async () => {
  const { tool, purchaseId, buyer } = await bought();
  shop.clock.advance(31 * DAY);
  await deletePurchase(admin, { purchaseId });
  expect(await shop.stockOf(tool.id)).toBe(4);
  expect(await listMyPasses(buyer)).toMatchObject({ past: [] });
});

test("deleting a purchase ends an open checkout; a payment that is captured later is refunded", async () => {
  const tool = await shop.tool();
  const buyer = await shop.user();
  const { gatewayOrderId, purchaseId } = await startPaidCheckout(buyer, { slug: tool.slug });
  await deletePurchase(admin, { purchaseId });
  expect(await shop.stockOf(tool.id)).toBe(5);
  await expireHolds(shop.system());
  await shop.payAtGateway(gatewayOrderId);
  await settleOrder(shop.system(), { gatewayOrderId });
  expect(await shop.refundsOf(purchaseId)).toMatchObject([{ reason: "purchase-ended" }]);
  expect(await shop.purchasesOf(buyer)).toMatchObject([{ endedReason: "deleted", status: "failed" }]);
  await processRefunds(shop.system());
  expect(await shop.stockOf(tool.id)).toBe(5);
  expect(await discrepancies()).toEqual({});
});

test("deleting a purchase makes one pass or one refund of a payment that is captured at the same time", async () => {
  for (let round = 0; round < 5; round++) {
    const tool = await shop.tool();
    const buyer = await shop.user();
    const { gatewayOrderId, purchaseId } = await startPaidCheckout(buyer, { slug: tool.slug });
    await shop.payAtGateway(gatewayOrderId);
    await Promise.all([
      deletePurchase(admin, { purchaseId }),
      settleOrder(shop.system(), { gatewayOrderId }),
    ]);
    expect(await shop.stockOf(tool.id)).toBe(5);
    expect(await shop.purchasesOf(buyer)).toMatchObject([{ endedReason: "deleted" }]);
  }
  await processRefunds(shop.system());
  expect(await discrepancies()).toEqual({});
});

test("deleting a cancelled purchase hides it too, and its payment can still be refunded", async () => {
  const { purchaseId, userId, tool } = await bought();
  await cancelPurchase(admin, { purchaseId, refund: false, reason: "Shared the account" });
  expect(await listUserPurchases(admin, { userId })).toHaveLength(1);
  await deletePurchase(admin, { purchaseId });
  expect(await listUserPurchases(admin, { userId })).toEqual([]);
  expect(await shop.stockOf(tool.id)).toBe(5);
  expect(await discrepancies()).toEqual({});
  await cancelPurchase(admin, { purchaseId, refund: true });
  await processRefunds(shop.system());
  expect(await shop.refundsOf(purchaseId)).toMatchObject([{ status: "processed" }]);
  expect(await discrepancies()).toEqual({});
});

test("deleting a purchase needs a password that was entered in the last 15 minutes", async () => {
  const { purchaseId, tool } = await bought();
  const { userId, email } = { userId: uuidv7(), email: "owner@example.com" };
  const enteredAt = (ms: number | null) =>
    shop.contextFor({
      kind: "admin",
      userId,
      email,
      sessionId: uuidv7(),
      passwordEnteredAt: ms === null ? null : new Date(shop.clock.now().getTime() - ms),
    });
  for (const ctx of [enteredAt(null), enteredAt(HOUR / 4 + 1)]) {
    await expect(deletePurchase(ctx, { purchaseId })).rejects.toMatchObject({ code: "password-needed" });
    await expect(cancelPurchase(ctx, { purchaseId, refund: true })).rejects.toMatchObject({
      code: "password-needed",
    });
  }
  expect(await shop.stockOf(tool.id)).toBe(4);
  await deletePurchase(enteredAt(HOUR / 4), { purchaseId });
  expect(await shop.stockOf(tool.id)).toBe(5);
});

test("deleting a purchase is for admins only, and only for a purchase that exists", async () => {
  const { purchaseId, buyer, tool } = await bought();
  await expect(deletePurchase(buyer, { purchaseId })).rejects.toMatchObject({ code: "forbidden" });
  await expect(deletePurchase(shop.visitor(), { purchaseId })).rejects.toMatchObject({
    code: "unauthenticated",
  });
  await expect(deletePurchase(admin, { purchaseId: uuidv7() })).rejects.toMatchObject({
    code: "purchase-not-found",
  });
  await expect(deletePurchase(admin, { purchaseId: "x" })).rejects.toMatchObject({ code: "invalid-input" });
  expect(await shop.stockOf(tool.id)).toBe(4);
});

test("the revenue stays when a purchase is deleted", async () => {
  const live = await startFakeGatewayShop(await freshDatabase());
  try {
    const { model, purchaseId, earned, hasPass } = await buyInLiveMode(live);
    expect(await earned()).toBe(14_900);
    await deletePurchase(model.admin, { purchaseId });
    expect(await hasPass()).toBe(false);
    expect(await earned()).toBe(14_900);
    live.clock.advance(HOUR);
    expect((await auditLedger(model.system)).counts).toEqual({});
  } finally {
    await live.close();
  }
});

test("the purchases of a user show the tool as it is now, or no tool when it is deleted", async () => {
  const { tool, buyer, purchaseId, userId } = await bought();
  expect(await listUserPurchases(admin, { userId })).toEqual([
    {
      id: purchaseId,
      toolId: tool.id,
      toolName: tool.name,
      description: "A tool.",
      purchasedName: tool.name,
      amountPaise: 11_920,
      status: "completed",
      endedReason: null,
      source: "checkout",
      testMode: true,
      purchasedAt: shop.clock.now(),
      expiresAt: new Date(shop.clock.now().getTime() + 30 * DAY),
      accessEndsAt: new Date(shop.clock.now().getTime() + 30 * DAY),
      isActive: true,
      waitsUntil: null,
    },
  ]);
  await shop.db.update(tools).set({ deletedAt: new Date() }).where(eq(tools.id, tool.id));
  expect(await listUserPurchases(admin, { userId })).toMatchObject([
    { toolName: null, description: null, purchasedName: tool.name, isActive: true },
  ]);
  await expect(listUserPurchases(buyer, { userId })).rejects.toMatchObject({ code: "forbidden" });
  await expect(listUserPurchases(shop.visitor(), { userId })).rejects.toMatchObject({
    code: "unauthenticated",
  });
  await expect(listUserPurchases(admin, { userId: uuidv7() })).rejects.toMatchObject({ code: "not-found" });
});
