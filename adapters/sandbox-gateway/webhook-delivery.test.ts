import { randomUUID } from "node:crypto";
import { count, isNull } from "drizzle-orm";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Clock } from "#core/time.ts";
import { sandboxWebhooks } from "#db/tables/sandbox.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { startLoopbackShop } from "#tests/fixtures/loopback-shop.ts";

type Shop = Awaited<ReturnType<typeof startLoopbackShop>>;
let database: Awaited<ReturnType<typeof freshDatabase>>;
const started: Shop[] = [];

beforeEach(async () => {
  database = await freshDatabase();
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((shop) => shop.stop()));
  await database.drop();
});

async function startShop(options: { clock?: Clock } = {}): Promise<Shop> {
  const shop = await startLoopbackShop(database.url, options);
  started.push(shop);
  return shop;
}

async function pay(shop: Shop): Promise<string> {
  const input = { receipt: randomUUID(), amountPaise: 14_900, currency: "INR" };
  const { gatewayOrderId } = await shop.gateway.createOrder(input);
  await shop.choose("pay", gatewayOrderId);
  return gatewayOrderId;
}

async function undelivered(shop: Shop): Promise<number> {
  const [row] = await shop.db
    .select({ n: count() })
    .from(sandboxWebhooks)
    .where(isNull(sandboxWebhooks.deliveredAt));
  return row?.n ?? 0;
}

const until = (check: () => unknown) => vi.waitFor(check, { timeout: 10_000, interval: 20 });
const nothingWaits = (shop: Shop) => until(async () => expect(await undelivered(shop)).toBe(0));
const refuse = () => new Response(null, { status: 503 });

test("the webhooks of a payment are delivered at once, signed, each with its own id", async () => {
  const shop = await startShop();
  shop.sandbox.startDelivery();
  const gatewayOrderId = await pay(shop);
  await nothingWaits(shop);
  const events = shop.deliveries.map((delivery) => delivery.event);
  expect(events.map((event) => event?.type).sort()).toEqual(["order.paid", "payment.captured"]);
  expect(
    events.every(
      (event) => event?.gatewayOrderId === gatewayOrderId && event.gatewayPaymentId?.startsWith("pay_"),
    ),
  ).toBe(true);
  expect(new Set(events.map((event) => event?.eventId)).size).toBe(2);
});

test("a webhook whose body was changed is not accepted", async () => {
  const shop = await startShop();
  shop.sandbox.startDelivery();
  const gatewayOrderId = await pay(shop);
  await nothingWaits(shop);
  const [delivery] = shop.deliveries;
  if (!delivery) throw new Error("nothing was delivered");
  const rawBody = delivery.rawBody.replace(gatewayOrderId, "order_AAAAAAAAAAAAAA");
  expect(shop.gateway.parseWebhook({ ...delivery, rawBody })).toBeNull();
  expect(shop.gateway.parseWebhook(delivery)?.gatewayOrderId).toBe(gatewayOrderId);
});

test("a webhook that the shop refuses is delivered again with the same id", async () => {
  const shop = await startShop();
  let answers = 0;
  shop.answerWebhooks(() => (answers++ < 2 ? refuse() : new Response()));
  shop.sandbox.startDelivery();
  await pay(shop);
  await nothingWaits(shop);
  const ids = shop.deliveries.map((delivery) => delivery.eventId);
  expect(ids).toHaveLength(4);
  expect(new Set(ids).size).toBe(2);
});

test("a restart of the sandbox delivers waiting webhooks at once", async () => {
  const before = await startShop();
  const orderIds = [await pay(before), await pay(before)];
  // As after an hour without success: due in some minutes.
  await before.db.update(sandboxWebhooks).set({ nextTryAt: new Date(Date.now() + 290_000), tries: 20 });
  await before.stop();
  started.splice(started.indexOf(before), 1);

  const after = await startShop();
  after.sandbox.startDelivery();
  await nothingWaits(after);
  const delivered = after.deliveries.map((delivery) => delivery.event?.gatewayOrderId);
  expect(delivered).toHaveLength(4);
  expect(new Set(delivered)).toEqual(new Set(orderIds));
});

test("a stop waits for the webhook delivery in progress and starts no other", async () => {
  const shop = await startShop();
  let release: (response: Response) => void = () => undefined;
  shop.answerWebhooks(() => new Promise((resolve) => (release = resolve)));
  shop.sandbox.startDelivery();
  const { gatewayOrderId } = await shop.gateway.createOrder({
    receipt: "r-1",
    amountPaise: 100,
    currency: "INR",
  });
  await shop.choose("fail", gatewayOrderId);
  await until(() => expect(shop.deliveries).toHaveLength(1));
  const stopped = shop.sandbox.stopDelivery();
  await pay(shop);
  release(new Response());
  await stopped;
  expect(shop.deliveries).toHaveLength(1);
  expect(await undelivered(shop)).toBe(2);
});

test("two processes on one database deliver every webhook once", async () => {
  const [one, other] = [await startShop(), await startShop()];
  for (const shop of [one, other]) shop.sandbox.startDelivery();
  await Promise.all(Array.from({ length: 15 }, () => Promise.all([pay(one), pay(other)])));
  await nothingWaits(one);
  const ids = [...one.deliveries, ...other.deliveries].map((delivery) => delivery.eventId);
  expect(ids).toHaveLength(60);
  expect(new Set(ids).size).toBe(60);
});

test("a process that starts does not deliver a webhook that another process is delivering, even when its clock is behind", async () => {
  const one = await startShop();
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  one.answerWebhooks(() => released.then(() => new Response()));
  one.sandbox.startDelivery();
  await pay(one);
  await until(() => expect(one.deliveries).toHaveLength(2));
  const other = await startShop({ clock: { now: () => new Date(Date.now() - 5_000) } });
  other.sandbox.startDelivery();
  await pay(other);
  await until(() => expect(other.deliveries.length).toBeGreaterThanOrEqual(2));
  release();
  await nothingWaits(one);
  const ids = [...one.deliveries, ...other.deliveries].map((delivery) => delivery.eventId);
  expect(new Set(ids).size).toBe(ids.length);
});
