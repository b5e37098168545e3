import { eq, isNull } from "drizzle-orm";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { users } from "#db/tables/accounts.ts";
import { paymentOrders, webhookEvents } from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { startPaidCheckout } from "#tests/fixtures/open-test-shop.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import { expireHolds } from "../checkout/end-checkout.server.ts";
import { DAY, MINUTE } from "../time.ts";
import { reconcileOrders } from "./reconcile-orders.server.ts";
import { settleOrder } from "./settle-order.server.ts";
import { processWebhookEvents, receiveWebhookEvent } from "./webhook-events.server.ts";

let shop: SandboxShop;
beforeAll(async () => {
  shop = await startSandboxShop();
  shop.sandbox.startDelivery();
});
afterAll(() => shop.close());

/** Pays a new checkout and waits for the gateway's own webhook to arrive. */
async function paidCheckout() {
  const tool = await shop.tool();
  const buyer = await shop.user();
  const { gatewayOrderId, purchaseId } = await startPaidCheckout(buyer, { slug: tool.slug });
  return { buyer, gatewayOrderId, purchaseId, ...(await payAndReceive(gatewayOrderId)) };
}

async function payAndReceive(gatewayOrderId: string) {
  await shop.payAtGateway(gatewayOrderId);
  const webhook = await vi.waitUntil(
    () =>
      shop.webhooks.find(
        ({ rawBody }) => rawBody.includes(gatewayOrderId) && rawBody.includes("payment.captured"),
      ),
    { timeout: 10_000, interval: 20 },
  );
  return { webhook };
}

const nextPollOf = async (purchaseId: string) =>
  (await shop.db.select().from(paymentOrders).where(eq(paymentOrders.purchaseId, purchaseId)))[0]?.nextPollAt;

const statusOf = async (purchaseId: string) =>
  (await shop.db.select().from(userPurchases).where(eq(userPurchases.id, purchaseId)))[0]?.status;

test("a webhook alone creates one pass, also when it arrives three times", async () => {
  const { purchaseId, webhook } = await paidCheckout();
  for (let i = 0; i < 3; i++) await receiveWebhookEvent(shop.system(), webhook);
  expect(await statusOf(purchaseId)).toBe("pending");
  await Promise.all([processWebhookEvents(shop.system()), processWebhookEvents(shop.system())]);
  expect(await statusOf(purchaseId)).toBe("completed");
  const stored = await shop.db
    .select()
    .from(webhookEvents)
    .where(eq(webhookEvents.eventId, webhook.eventId ?? ""));
  expect(stored).toHaveLength(1);
  expect(stored[0]?.processedAt).not.toBeNull();
});

test("the body of a webhook that arrives after its buyer's account was deleted is not kept", async () => {
  const [deleted, other] = [await paidCheckout(), await paidCheckout()];
  const [purchase] = await shop.db
    .select({ userId: userPurchases.userId })
    .from(userPurchases)
    .where(eq(userPurchases.id, deleted.purchaseId));
  await shop.db
    .update(users)
    .set({ deletedAt: new Date() })
    .where(eq(users.id, purchase?.userId ?? ""));
  for (const { webhook } of [deleted, other]) await receiveWebhookEvent(shop.system(), webhook);
  await processWebhookEvents(shop.system());
  const bodyOf = async ({ webhook }: typeof deleted) =>
    (
      await shop.db
        .select()
        .from(webhookEvents)
        .where(eq(webhookEvents.eventId, webhook.eventId ?? ""))
    ).map(({ payload, processedAt }) => ({ payload, isProcessed: processedAt !== null }));
  expect(await bodyOf(deleted)).toEqual([{ payload: "", isProcessed: true }]);
  expect(await bodyOf(other)).toEqual([{ payload: other.webhook.rawBody, isProcessed: true }]);
});

test("a webhook with an invalid signature or a changed body is refused and not stored", async () => {
  const { purchaseId, webhook } = await paidCheckout();
  const before = await shop.db.$count(webhookEvents);
  const changed = { ...webhook, rawBody: webhook.rawBody.replace("captured", "captured ") };
  for (const bad of [{ ...webhook, signature: "00" }, { ...webhook, signature: "" }, changed]) {
    await expect(receiveWebhookEvent(shop.system(), bad)).rejects.toMatchObject({
      code: "payment-not-verified",
    });
  }
  expect(await shop.db.$count(webhookEvents)).toBe(before);
  expect(await statusOf(purchaseId)).toBe("pending");
});

test("a webhook without a payment at the gateway creates no pass", async () => {
  const { purchaseId, webhook } = await paidCheckout();
  shop.gatewayFaults.next = () => Response.json({ entity: "collection", count: 0, items: [] });
  await receiveWebhookEvent(shop.system(), webhook);
  await processWebhookEvents(shop.system());
  shop.gatewayFaults.next = null;
  expect(await statusOf(purchaseId)).toBe("pending");
});

test("an event about a payment that has its outcome does not ask the gateway", async () => {
  const { gatewayOrderId, purchaseId, webhook } = await paidCheckout();
  await settleOrder(shop.system(), { gatewayOrderId });
  expect(await statusOf(purchaseId)).toBe("completed");
  let asked = 0;
  shop.gatewayFaults.next = () => {
    asked++;
    return undefined;
  };
  await receiveWebhookEvent(shop.system(), webhook);
  await processWebhookEvents(shop.system());
  shop.gatewayFaults.next = null;
  expect(asked).toBe(0);
  expect(await shop.db.$count(webhookEvents, isNull(webhookEvents.processedAt))).toBe(0);
});

test("an event stays unprocessed while the gateway cannot be asked, and is processed later", async () => {
  const { purchaseId, webhook } = await paidCheckout();
  await receiveWebhookEvent(shop.system(), webhook);
  shop.gatewayFaults.next = () => new Response("{}", { status: 502 });
  await processWebhookEvents(shop.system());
  shop.gatewayFaults.next = null;
  expect(await statusOf(purchaseId)).toBe("pending");
  await processWebhookEvents(shop.system());
  expect(await statusOf(purchaseId)).toBe("completed");
});

test("an order whose polls have ended is polled again when the gateway refuses the request about its event", async () => {
  const tool = await shop.tool();
  const { gatewayOrderId, purchaseId } = await startPaidCheckout(await shop.user(), { slug: tool.slug });
  shop.clock.advance(8 * DAY);
  await expireHolds(shop.system());
  await reconcileOrders(shop.system(), { all: false });
  expect(await nextPollOf(purchaseId)).toBeNull();

  const { webhook } = await payAndReceive(gatewayOrderId);
  await receiveWebhookEvent(shop.system(), webhook);
  shop.gatewayFaults.next = () => Response.json({ error: { code: "BAD_REQUEST_ERROR" } }, { status: 400 });
  await processWebhookEvents(shop.system());
  shop.gatewayFaults.next = null;
  expect(await shop.db.$count(webhookEvents, isNull(webhookEvents.processedAt))).toBe(0);
  expect(await statusOf(purchaseId)).toBe("failed");

  shop.clock.advance(2 * MINUTE);
  await reconcileOrders(shop.system(), { all: false });
  expect(await statusOf(purchaseId)).toBe("completed");
  expect(await nextPollOf(purchaseId)).toBeNull();
});

test("receiving and processing webhook events refuse every actor but the system", async () => {
  const { webhook } = await paidCheckout();
  for (const ctx of [shop.visitor(), await shop.user(), await shop.user("admin")]) {
    await expect(receiveWebhookEvent(ctx, webhook)).rejects.toMatchObject({ code: expect.any(String) });
    await expect(processWebhookEvents(ctx)).rejects.toMatchObject({ code: expect.any(String) });
  }
});
