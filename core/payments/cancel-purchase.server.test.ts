import { eq } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, expect, test } from "vitest";
import { paymentAttempts } from "#db/tables/payments.ts";
import { startPaidCheckout } from "#tests/fixtures/open-test-shop.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import { confirmCheckout } from "../checkout/checkout-status.server.ts";
import type { Context } from "../context.ts";
import { assignTool } from "../passes/give-pass.server.ts";
import { cancelPurchase, describeCancellation } from "./cancel-purchase.server.ts";

let shop: SandboxShop;
let admin: Context;
beforeAll(async () => {
  shop = await startSandboxShop();
  admin = await shop.user("admin");
});
afterAll(() => shop.close());

async function openCheckout() {
  const tool = await shop.tool();
  const buyer = await shop.user();
  return { tool, buyer, ...(await startPaidCheckout(buyer, { slug: tool.slug })) };
}

async function bought() {
  const checkout = await openCheckout();
  const proof = await shop.payAtGateway(checkout.gatewayOrderId);
  await confirmCheckout(checkout.buyer, proof);
  return { ...checkout, paymentId: proof.gatewayPaymentId };
}

const describeIt = (purchaseId: string) => describeCancellation(admin, { purchaseId });

test("the description of a cancellation names the amount that the cancellation then refunds", async () => {
  const { purchaseId, tool, buyer } = await bought();
  expect(await describeIt(purchaseId)).toEqual({
    purchaseId,
    userEmail: buyer.actor.email,
    toolName: tool.name,
    state: "active",
    refundablePaise: 14_900,
    dispute: null,
    paidByHand: false,
    testMode: true,
    source: "checkout",
  });
  const cancelled = await cancelPurchase(admin, { purchaseId, refund: true });
  expect(cancelled).toEqual({ refundedPaise: 14_900, byHand: false, alreadyEnded: null });
  expect(await describeIt(purchaseId)).toMatchObject({ state: "revoked", refundablePaise: 0 });
});

test.each([
  ["the remainder after a partial refund", 5_000, 9_900],
  ["nothing when the remainder is below the gateway's minimum", 14_850, 0],
])("a cancellation refunds %s", async (_what, refundedPaise, remainderPaise) => {
  const { purchaseId, paymentId } = await bought();
  await shop.db
    .update(paymentAttempts)
    .set({ refundedPaise })
    .where(eq(paymentAttempts.gatewayPaymentId, paymentId));
  expect(await describeIt(purchaseId)).toMatchObject({ refundablePaise: remainderPaise });
  expect(await cancelPurchase(admin, { purchaseId, refund: true })).toEqual({
    refundedPaise: remainderPaise,
    byHand: false,
    alreadyEnded: null,
  });
});

test("a payment that the shop retained can still be refunded", async () => {
  const { purchaseId } = await bought();
  await cancelPurchase(admin, { purchaseId, refund: false, reason: "Shared the code" });
  expect(await describeIt(purchaseId)).toMatchObject({ state: "revoked", refundablePaise: 14_900 });
});

test("an open checkout and an assigned pass have nothing to refund", async () => {
  const { purchaseId } = await openCheckout();
  expect(await describeIt(purchaseId)).toMatchObject({ state: "held", refundablePaise: 0 });
  const [tool, user] = [await shop.tool(), await shop.user()];
  const assigned = await assignTool(admin, { userId: user.actor.userId, toolId: tool.id });
  expect(await describeIt(assigned.purchaseId)).toMatchObject({
    state: "active",
    refundablePaise: 0,
    testMode: false,
  });
});

test("only an admin reads what a cancellation would do", async () => {
  const { purchaseId, buyer } = await openCheckout();
  const input = { purchaseId };
  await expect(describeCancellation(shop.visitor(), input)).rejects.toMatchObject({
    code: "unauthenticated",
  });
  await expect(describeCancellation(buyer, input)).rejects.toMatchObject({ code: "forbidden" });
});

test("an unknown purchase has no cancellation", async () => {
  await expect(describeIt(uuidv7())).rejects.toMatchObject({ code: "purchase-not-found" });
  await expect(describeIt("nonsense")).rejects.toMatchObject({ code: "invalid-input" });
});
