import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mailMessages } from "#db/tables/operations.ts";
import { refunds } from "#db/tables/payments.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { buyInLiveMode } from "#tests/fixtures/buy-in-live-mode.ts";
import { type FakeGatewayShop, startFakeGatewayShop } from "#tests/fixtures/fake-gateway-shop.ts";
import { auditLedger } from "../reports/audit-ledger.server.ts";
import { DAY } from "../time.ts";
import { cancelPurchase } from "./cancel-purchase.server.ts";
import { processRefunds } from "./process-refunds.server.ts";
import { processWebhookEvents, receiveWebhookEvent } from "./webhook-events.server.ts";

let shop: FakeGatewayShop;
beforeAll(async () => {
  shop = await startFakeGatewayShop(await freshDatabase());
});
afterAll(() => shop.close());

const bought = () => buyInLiveMode(shop, "retry");

const isRefundMailTo = (buyer: { userId: string }) =>
  and(eq(mailMessages.recipient, `${buyer.userId}@example.com`), eq(mailMessages.kind, "payment-refunded"));

test("a partial refund at the gateway keeps the pass, reduces revenue and is audited", async () => {
  const { model, purchaseId, paymentId, earned, hasPass } = await bought();
  expect(await earned()).toBe(14_900);
  shop.fake.refundAtGateway(paymentId, 5_000);
  // Only its webhook, sent twice, reports it.
  for (const { id, type, rawBody, signature } of shop.fake.webhooks.events()) {
    if (!type.startsWith("refund.")) continue;
    await receiveWebhookEvent(model.system, { rawBody, signature, eventId: id });
    await receiveWebhookEvent(model.system, { rawBody, signature, eventId: `${id}-again` });
  }
  await processWebhookEvents(model.system);
  expect(await earned()).toBe(9_900);
  expect(await hasPass()).toBe(true);
  const events = await shop.auditsOf(purchaseId);
  const told = events.filter(({ action }) => action === "payment.part-refunded");
  expect(told.map(({ details }) => details)).toEqual([
    { paymentId, amountPaise: 14_900, refundedPaise: 5_000 },
  ]);
  expect((await auditLedger(model.system)).counts).toEqual({});
});

test("a partial refund that failed at the bank counts as revenue again", async () => {
  const { paymentId, settle, earned } = await bought();
  shop.fake.holdRefunds(true);
  const { refundId } = shop.fake.refundAtGateway(paymentId, 5_000);
  shop.fake.holdRefunds(false);
  await settle();
  expect(await earned()).toBe(9_900);
  shop.fake.failRefund(refundId);
  await settle();
  expect(await earned()).toBe(14_900);
});

test("cancelling after a partial refund refunds the remainder and the mail names its amount", async () => {
  const { model, buyer, purchaseId, paymentId, settle, earned, hasPass, refunds: sent } = await bought();
  shop.fake.refundAtGateway(paymentId, 5_000);
  await settle();
  const cancelled = await cancelPurchase(model.admin, { purchaseId, reason: "Broken", refund: true });
  expect(cancelled).toEqual({ refundedPaise: 9_900, byHand: false, alreadyEnded: null });
  await processRefunds(model.system);
  expect(await sent()).toEqual([
    ["dashboard", 5_000, "processed"],
    ["api", 9_900, "processed"],
  ]);
  expect(await earned()).toBe(0);
  expect(await hasPass()).toBe(false);
  const [mail] = await shop.db.select().from(mailMessages).where(isRefundMailTo(buyer));
  expect(mail?.text).toContain('"amountPaise":9900');
  expect((await auditLedger(model.system)).counts).toEqual({});
});

test("the pass ends when partial refunds add up to the whole payment", async () => {
  const { paymentId, settle, earned, hasPass } = await bought();
  shop.fake.refundAtGateway(paymentId, 5_000);
  await settle();
  shop.fake.refundAtGateway(paymentId);
  await settle();
  expect(await earned()).toBe(0);
  expect(await hasPass()).toBe(false);
  expect(await shop.db.$count(refunds, eq(refunds.status, "requested"))).toBe(0);
});

test("a remainder below ₹1 is not refunded, not promised by mail and leaves no open refund", async () => {
  const { model, buyer, purchaseId, paymentId, settle, earned } = await bought();
  shop.fake.refundAtGateway(paymentId, 14_850);
  await settle();
  const cancelled = await cancelPurchase(model.admin, { purchaseId, reason: "Broken", refund: true });
  expect(cancelled).toEqual({ refundedPaise: 0, byHand: false, alreadyEnded: null });
  expect((await processRefunds(model.system)).unfinished).toBe(0);
  expect(await earned()).toBe(50);
  expect(await shop.db.$count(mailMessages, isRefundMailTo(buyer))).toBe(0);
  await settle();
  expect((await processRefunds(model.system)).unfinished).toBe(0);
  shop.clock.advance(2 * DAY);
  expect((await auditLedger(model.system)).counts).toEqual({});
});

test("a remainder that is found to be below ₹1 when it is sent is not refunded", async () => {
  const { model, purchaseId, paymentId, earned } = await bought();
  await cancelPurchase(model.admin, { purchaseId, reason: "Broken", refund: true });
  shop.fake.refundAtGateway(paymentId, 14_850);
  expect((await processRefunds(model.system)).unfinished).toBe(0);
  expect(await earned()).toBe(50);
  shop.clock.advance(2 * DAY);
  expect((await auditLedger(model.system)).counts).toEqual({});
});

test("a stale response does not undo a newer partial refund", async () => {
  const { paymentId, settle, settleSlowly, earned } = await bought();
  const old = await settleSlowly();
  shop.fake.refundAtGateway(paymentId, 5_000);
  await settle();
  await old.arrive();
  expect(await earned()).toBe(9_900);
});
