import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { giveawayRounds } from "#db/tables/giveaways.ts";
import { auditEvents, mailMessages, settings } from "#db/tables/operations.ts";
import { paymentAttempts, paymentOrders, refunds } from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { type FakeGatewayShop, startFakeGatewayShop } from "#tests/fixtures/fake-gateway-shop.ts";
import { startPaidCheckout, withOldPassword } from "#tests/fixtures/open-test-shop.ts";
import { markRestored } from "#tests/fixtures/restored-shop.ts";
import { STORE_SETTINGS_KEY, saveSetting } from "../catalog/store-settings.server.ts";
import { startCheckout } from "../checkout/start-checkout.server.ts";
import type { Context } from "../context.ts";
import { claimGiveaway } from "../giveaways/claim-giveaway.server.ts";
import { readTodaysGiveaway } from "../giveaways/read-giveaways.server.ts";
import { queueMail } from "../mail/queue-mail.server.ts";
import { sendQueuedMail } from "../mail/send-queued-mail.server.ts";
import { cancelPurchase } from "../payments/cancel-purchase.server.ts";
import { pollRefundsOfPayments, processRefunds } from "../payments/process-refunds.server.ts";
import { readRestoredOrders } from "../payments/read-restored-orders.server.ts";
import { settleOrder } from "../payments/settle-order.server.ts";
import { processWebhookEvents, receiveWebhookEvent } from "../payments/webhook-events.server.ts";
import { HOUR } from "../time.ts";
import {
  confirmRestoredShop,
  isUnconfirmedRestore,
  RESTORED_BACKUP_KEY,
  readRestoreNotice,
} from "./restored-shop.server.ts";

let shop: FakeGatewayShop;
let admin: Context;
beforeAll(async () => {
  shop = await startFakeGatewayShop(await freshDatabase());
  admin = await shop.user("admin");
});
afterAll(() => shop.close());

beforeEach(async () => {
  await shop.db.delete(settings).where(eq(settings.key, RESTORED_BACKUP_KEY));
  shop.triggeredJobs.length = 0;
});

const patient = (ctx: Context) => shop.contextFor(ctx.actor, "retry");
const system = () => shop.contextFor({ kind: "system" }, "retry");
const backupAt = () => new Date(shop.clock.now().getTime() - 5 * HOUR);
const restore = () => markRestored(shop.db, { backupAt: backupAt(), restoredAt: shop.clock.now() });
const confirmations = () =>
  shop.db.select().from(auditEvents).where(eq(auditEvents.action, "store.restore-confirmed"));
const deleteConfirmations = () =>
  shop.db.delete(auditEvents).where(eq(auditEvents.action, "store.restore-confirmed"));

async function bought() {
  const buyer = await shop.user();
  const tool = await shop.tool();
  const { gatewayOrderId, purchaseId } = await startPaidCheckout(patient(buyer), { slug: tool.slug });
  const paymentId = shop.fake.pay(gatewayOrderId).razorpay_payment_id;
  await settleOrder(system(), { gatewayOrderId });
  return { buyer, tool, gatewayOrderId, purchaseId, paymentId };
}

const statusOf = async (purchaseId: string) =>
  (await shop.db.select().from(userPurchases).where(eq(userPurchases.id, purchaseId)))[0]?.status;

test("a shop that was never restored waits for nothing, and confirming it changes nothing", async () => {
  expect(await isUnconfirmedRestore(shop.db)).toBe(false);
  expect(await readRestoreNotice(admin)).toBeNull();
  await confirmRestoredShop(admin);
  expect(await confirmations()).toEqual([]);
  expect(shop.triggeredJobs).toEqual([]);
  expect(await shop.db.$count(settings, eq(settings.key, RESTORED_BACKUP_KEY))).toBe(0);
});

test("parallel confirmations of a restored shop are one event, and what has waited runs", async () => {
  await restore();
  const other = await shop.user("admin");
  expect(await readRestoreNotice(admin)).toEqual({ backupAt: backupAt(), state: "unconfirmed" });
  await Promise.all([...Array(4)].flatMap(() => [confirmRestoredShop(admin), confirmRestoredShop(other)]));
  expect(await isUnconfirmedRestore(shop.db)).toBe(false);
  const events = await confirmations();
  expect(events).toMatchObject([{ actorKind: "admin", details: { backupAt: backupAt().toISOString() } }]);
  expect(shop.triggeredJobs.toSorted()).toEqual([
    "process-refunds",
    "read-restored-orders",
    "run-bulk-actions",
    "send-mail",
    "tell-of-stock",
  ]);
  expect(await readRestoreNotice(admin)).toEqual({ backupAt: backupAt(), state: "reading" });
  await readRestoredOrders(system());
  expect(await readRestoreNotice(admin)).toBeNull();
  await deleteConfirmations();
});

test("only an admin with a recent password confirms a restored shop, and only an admin reads the notice", async () => {
  await restore();
  for (const [ctx, code] of [
    [shop.visitor(), "unauthenticated"],
    [await shop.user(), "forbidden"],
    [withOldPassword(admin), "password-needed"],
  ] as const) {
    await expect(confirmRestoredShop(ctx)).rejects.toMatchObject({ code });
  }
  await expect(readRestoreNotice(shop.visitor())).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(readRestoreNotice(await shop.user())).rejects.toMatchObject({ code: "forbidden" });
  expect(await isUnconfirmedRestore(shop.db)).toBe(true);
  expect(await confirmations()).toEqual([]);
});

test("no mail is sent before the confirmation, and all of it after", async () => {
  const sent: string[] = [];
  const mailTransport = { send: async ({ to }: { to: string }) => void sent.push(to) };
  const sender = { ...shop.system(), ports: { ...shop.ports, mailTransport } };
  const facts = { resetUrl: "https://shop.example/reset-password?token=x", validMinutes: 60 };
  await queueMail(sender, shop.db, { to: "asha@example.com", kind: "password-reset", facts });
  await restore();
  expect(await sendQueuedMail(sender)).toEqual({ sent: 0, failed: 0 });
  expect(sent).toEqual([]);
  await confirmRestoredShop(admin);
  await sendQueuedMail(sender);
  expect(sent).toContain("asha@example.com");
  expect(await shop.db.$count(mailMessages, eq(mailMessages.status, "queued"))).toBe(0);
});

test("no refund is sent or polled before the confirmation, and each one once after it", async () => {
  const { purchaseId, paymentId, gatewayOrderId } = await bought();
  await restore();
  await cancelPurchase(admin, { purchaseId, refund: true });
  await processRefunds(system());
  await pollRefundsOfPayments(system(), [paymentId]);
  expect(shop.fake.paymentsOf(gatewayOrderId)[0]?.refunds).toEqual([]);
  expect(await shop.refundsOf(purchaseId)).toMatchObject([{ status: "requested" }]);
  expect(await shop.db.$count(refunds, eq(refunds.tries, 0))).toBe(1);
  await confirmRestoredShop(admin);
  await Promise.all([processRefunds(system()), processRefunds(system())]);
  expect(shop.fake.paymentsOf(gatewayOrderId)[0]?.refunds).toHaveLength(1);
  expect(await shop.refundsOf(purchaseId)).toMatchObject([{ status: "processed" }]);
});

test("no authorised payment is captured or left uncaptured before the confirmation; the reading after it captures", async () => {
  const buyer = await shop.user();
  const tool = await shop.tool();
  const { gatewayOrderId, purchaseId } = await startPaidCheckout(patient(buyer), { slug: tool.slug });
  const paymentId = shop.fake.authorize(gatewayOrderId).razorpay_payment_id;
  await restore();
  expect((await settleOrder(system(), { gatewayOrderId })).result).toBe("waiting");
  await readRestoredOrders(system());
  expect(shop.fake.paymentsOf(gatewayOrderId)[0]?.status).toBe("authorized");
  const [attempt] = await shop.db
    .select()
    .from(paymentAttempts)
    .where(eq(paymentAttempts.gatewayPaymentId, paymentId));
  expect(attempt).toMatchObject({ status: "authorized", uncapturedReason: null });
  // Its polls have ended, so that only the confirmation makes the shop ask again.
  await shop.db
    .update(paymentOrders)
    .set({ nextPollAt: null })
    .where(eq(paymentOrders.purchaseId, purchaseId));
  shop.clock.advance(HOUR);
  await confirmRestoredShop(admin);
  await readRestoredOrders(system());
  expect(shop.fake.paymentsOf(gatewayOrderId)[0]?.capturedBy).toBe("api");
  expect(await statusOf(purchaseId)).toBe("completed");
});

test("a webhook that arrives before the confirmation is stored, and a payment that is captured becomes a pass", async () => {
  const buyer = await shop.user();
  const tool = await shop.tool();
  const { gatewayOrderId, purchaseId } = await startPaidCheckout(patient(buyer), { slug: tool.slug });
  await restore();
  shop.fake.pay(gatewayOrderId);
  const event = shop.fake.webhooks.events().findLast(({ type }) => type === "payment.captured");
  if (event === undefined) throw new Error("the gateway has sent no webhook");
  await receiveWebhookEvent(system(), {
    rawBody: event.rawBody,
    signature: event.signature,
    eventId: event.id,
  });
  await processWebhookEvents(system());
  expect(await statusOf(purchaseId)).toBe("completed");
});

test("a restored shop sells nothing before the confirmation, and holds no checkout", async () => {
  const buyer = await shop.user();
  const tool = await shop.tool();
  const free = await shop.coupon(tool.id, { discountPercentage: 100 });
  await restore();
  for (const coupon of [null, free.code]) {
    await expect(startCheckout(buyer, { slug: tool.slug, coupon })).rejects.toMatchObject({
      code: "shop-not-confirmed",
    });
  }
  expect(await shop.purchasesOf(buyer)).toEqual([]);
  expect(await shop.stockOf(tool.id)).toBe(5);
  await confirmRestoredShop(admin);
  await startPaidCheckout(patient(buyer), { slug: tool.slug });
});

test("no giveaway is opened, shown or claimed before the confirmation", async () => {
  const tool = await shop.tool();
  const buyer = await shop.user();
  await saveSetting(shop.db, STORE_SETTINGS_KEY, { name: "Shop", giveawayToolSlug: tool.slug });
  await restore();
  expect(await readTodaysGiveaway(buyer)).toBeNull();
  expect(await shop.db.$count(giveawayRounds)).toBe(0);
  await confirmRestoredShop(admin);
  const today = await readTodaysGiveaway(buyer);
  await restore();
  expect(await readTodaysGiveaway(buyer)).toBeNull();
  const claim = () => claimGiveaway(buyer, { roundId: today?.roundId });
  await expect(claim()).rejects.toMatchObject({ code: "shop-not-confirmed" });
  expect(await shop.purchasesOf(buyer)).toEqual([]);
  await confirmRestoredShop(admin);
  expect(await claim()).toMatchObject({ toolSlug: tool.slug });
});
