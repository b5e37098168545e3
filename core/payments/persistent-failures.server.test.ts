import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { paymentOrders, refunds } from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { sandboxPayments } from "#db/tables/sandbox.ts";
import { startPaidCheckout } from "#tests/fixtures/open-test-shop.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import { confirmCheckout } from "../checkout/checkout-status.server.ts";
import { cancelCheckout, expireHolds } from "../checkout/end-checkout.server.ts";
import { startCheckout } from "../checkout/start-checkout.server.ts";
import { DAY, HOUR, MINUTE } from "../time.ts";
import { cancelPurchase } from "./cancel-purchase.server.ts";
import { processRefunds } from "./process-refunds.server.ts";
import { reconcileOrders } from "./reconcile-orders.server.ts";
import { settleOrder } from "./settle-order.server.ts";

let shop: SandboxShop;
beforeAll(async () => {
  shop = await startSandboxShop();
});
afterAll(() => shop.close());

const statusOf = async (purchaseId: string) =>
  (await shop.db.select().from(userPurchases).where(eq(userPurchases.id, purchaseId)))[0]?.status;

async function reconcileDailyForAWeek(): Promise<void> {
  for (let day = 0; day < 7; day++) {
    shop.clock.advance(DAY);
    await reconcileOrders(shop.system(), { all: false });
  }
}

/** The gateway's answer about an order of another account. */
const refuseId = () =>
  Response.json(
    { error: { code: "BAD_REQUEST_ERROR", description: "The id provided does not exist" } },
    { status: 400 },
  );

async function startPendingCheckout() {
  const tool = await shop.tool();
  const buyer = await shop.user();
  return { tool, buyer, ...(await startPaidCheckout(buyer, { slug: tool.slug })) };
}

test.each([
  500, 200, 401,
])("an order for which the gateway answers %i does not delay other orders", async (status) => {
  const bad = await startPendingCheckout();
  shop.clock.advance(1000);
  const good = await startPendingCheckout();
  await shop.payAtGateway(good.gatewayOrderId);
  shop.gatewayFaults.next = (request) =>
    request.url.includes(bad.gatewayOrderId) ? new Response("garbage", { status }) : undefined;
  await reconcileOrders(shop.system(), { all: true });
  expect(await statusOf(good.purchaseId)).toBe("completed");
  shop.gatewayFaults.next = null;
  await shop.payAtGateway(bad.gatewayOrderId);
  shop.clock.advance(2 * MINUTE);
  await reconcileOrders(shop.system(), { all: false });
  expect(await statusOf(bad.purchaseId)).toBe("completed");
});

test("orders are settled as soon as a gateway that did not answer at start-up answers again", async () => {
  const { gatewayOrderId, purchaseId } = await startPendingCheckout();
  await shop.payAtGateway(gatewayOrderId);
  await shop.db
    .update(paymentOrders)
    .set({ nextPollAt: new Date(shop.clock.now().getTime() + 12 * HOUR) })
    .where(eq(paymentOrders.purchaseId, purchaseId));
  shop.gatewayFaults.next = () => new Response("{}", { status: 503 });
  await reconcileOrders(shop.system(), { all: true });
  shop.gatewayFaults.next = null;
  shop.clock.advance(2 * MINUTE);
  await reconcileOrders(shop.system(), { all: false });
  expect(await statusOf(purchaseId)).toBe("completed");
});

test("an order that the gateway refused for a week because of wrong keys is settled once they are corrected", async () => {
  const { buyer, gatewayOrderId, purchaseId } = await startPendingCheckout();
  await cancelCheckout(buyer, { purchaseId });
  await shop.payAtGateway(gatewayOrderId);
  shop.gatewayFaults.next = () => refuseId();
  await reconcileDailyForAWeek();
  shop.gatewayFaults.next = null;
  await reconcileOrders(shop.system(), { all: true });
  expect(await statusOf(purchaseId)).toBe("completed");
});

test("a hold that cannot be expired does not delay others", async () => {
  const bad = await startPendingCheckout();
  shop.clock.advance(1000);
  const good = await startPendingCheckout();
  await shop.db.execute(
    sql.raw(`create function refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
      create trigger refuse before update on user_purchases for each row
      when (new.id = '${bad.purchaseId}') execute function refuse()`),
  );
  shop.clock.advance(15 * MINUTE);
  await expireHolds(shop.system());
  await shop.db.execute(sql.raw("drop trigger refuse on user_purchases"));
  expect(await statusOf(good.purchaseId)).toBe("failed");
  expect(await statusOf(bad.purchaseId)).toBe("pending");
  await expireHolds(shop.system());
  expect(await statusOf(bad.purchaseId)).toBe("failed");
});

test.each([
  ["an amount that no column holds", { amount: 3_000_000_000 }],
  ["a text that Postgres cannot store", { error_description: "Declined\u0000 by the bank", amount: 14_900 }],
])("a payment with %s does not prevent a pass by another payment", async (_what, odd) => {
  const { gatewayOrderId, purchaseId, buyer } = await startPendingCheckout();
  const proof = await shop.payAtGateway(gatewayOrderId);
  shop.gatewayFaults.next = async (request) => {
    if (!request.url.includes(gatewayOrderId)) return undefined;
    const { items } = await fetchPayments(request);
    return Response.json({
      items: items.flatMap((item) => [{ ...item, ...odd, id: `${item.id}odd`, status: "failed" }, item]),
    });
  };
  expect(await confirmCheckout(buyer, proof)).toMatchObject({ state: "success" });
  await settleOrder(shop.system(), { gatewayOrderId });
  shop.gatewayFaults.next = null;
  expect(await statusOf(purchaseId)).toBe("completed");
});

test("an order whose only payment cannot be stored is postponed, and its hold expires on time", async () => {
  const { tool, gatewayOrderId, purchaseId, buyer } = await startPendingCheckout();
  const proof = await shop.payAtGateway(gatewayOrderId);
  shop.gatewayFaults.next = async (request) => {
    if (!request.url.includes(gatewayOrderId)) return undefined;
    const { items } = await fetchPayments(request);
    return Response.json({ items: items.map((item) => ({ ...item, amount: 3_000_000_000 })) });
  };
  expect(await confirmCheckout(buyer, proof)).toMatchObject({ state: "confirming" });
  shop.clock.advance(16 * MINUTE);
  await expireHolds(shop.system());
  expect(await statusOf(purchaseId)).toBe("failed");
  expect(await shop.stockOf(tool.id)).toBe(5);
  await reconcileDailyForAWeek();
  shop.gatewayFaults.next = null;
  await reconcileOrders(shop.system(), { all: true });
  expect(await statusOf(purchaseId)).toBe("completed");
});

test("an order that the gateway refuses does not prevent the settlement of others", async () => {
  const bad = await startPendingCheckout();
  shop.clock.advance(1000);
  const good = await startPendingCheckout();
  await shop.payAtGateway(good.gatewayOrderId);
  shop.gatewayFaults.next = (request) => (request.url.includes(bad.gatewayOrderId) ? refuseId() : undefined);
  shop.clock.advance(16 * MINUTE);
  await expireHolds(shop.system());
  shop.gatewayFaults.next = null;
  expect(await statusOf(bad.purchaseId)).toBe("failed");
  expect(await statusOf(good.purchaseId)).toBe("completed");
});

async function paid() {
  const checkout = await startPendingCheckout();
  const proof = await shop.payAtGateway(checkout.gatewayOrderId);
  await confirmCheckout(checkout.buyer, proof);
  const atGateway = (facts: Partial<typeof sandboxPayments.$inferInsert>) =>
    shop.db.update(sandboxPayments).set(facts).where(eq(sandboxPayments.id, proof.gatewayPaymentId));
  return { ...checkout, proof, atGateway };
}

test("an unreported second payment of a paid order is found at the next start and refunded", async () => {
  const { gatewayOrderId, purchaseId } = await paid();
  shop.gatewayFaults.next = async (request) => {
    if (!request.url.includes(gatewayOrderId)) return undefined;
    const { items } = await fetchPayments(request);
    return Response.json({ items: items.flatMap((item) => [item, { ...item, id: `${item.id}2` }]) });
  };
  await reconcileOrders(shop.system(), { all: true });
  shop.gatewayFaults.next = null;
  expect(await shop.refundsOf(purchaseId)).toMatchObject([
    { reason: "duplicate-payment", amountPaise: 14_900 },
  ]);
  expect(await statusOf(purchaseId)).toBe("completed");
});

test("a refund that the owner made at the gateway and that failed there is sent again by the shop", async () => {
  const { gatewayOrderId, purchaseId, atGateway } = await paid();
  await atGateway({ status: "refunded" });
  await settleOrder(shop.system(), { gatewayOrderId });
  expect(await shop.refundsOf(purchaseId)).toMatchObject([{ status: "processed" }]);
  await atGateway({ status: "captured" });
  await settleOrder(shop.system(), { gatewayOrderId });
  expect(await shop.refundsOf(purchaseId)).toMatchObject([{ status: "requested" }]);
  await processRefunds(shop.system());
  await settleOrder(shop.system(), { gatewayOrderId });
  expect(await shop.refundsOf(purchaseId)).toMatchObject([{ status: "processed", amountPaise: 14_900 }]);
});

test("the remainder of a payment is refunded after a partial refund by the owner", async () => {
  const { purchaseId } = await paid();
  await cancelPurchase(await shop.user("admin"), { purchaseId, reason: "Mistake", refund: true });
  let asked = 0;
  shop.gatewayFaults.next = async (request) => {
    if (request.url.endsWith("/payments")) {
      const items = await fetchPayments(request);
      return Response.json({
        ...items,
        items: items.items.map((item) => ({ ...item, amount_refunded: 5_000 })),
      });
    }
    if (!request.url.endsWith("/refund")) return undefined;
    const { amount }: { amount: number } = await request.clone().json();
    asked = amount;
    if (amount <= 9_900) return undefined;
    const description = "The refund amount provided is greater than the refund payment amount";
    return Response.json({ error: { code: "BAD_REQUEST_ERROR", description } }, { status: 400 });
  };
  await processRefunds(shop.system());
  shop.gatewayFaults.next = null;
  expect(asked).toBe(9_900);
  expect(await shop.refundsOf(purchaseId)).toMatchObject([{ status: "processed", amountPaise: 14_900 }]);
});

/** The sandbox's own answer. */
async function fetchPayments(request: Request): Promise<{ items: Record<string, unknown>[] }> {
  const orderId = /orders\/([^/]+)\/payments/.exec(request.url)?.[1] ?? "";
  const rows = await shop.db.select().from(sandboxPayments).where(eq(sandboxPayments.orderId, orderId));
  return {
    items: rows.map(({ id, amountPaise, currency, status }) => ({
      id,
      order_id: orderId,
      amount: amountPaise,
      currency,
      status,
      captured: true,
    })),
  };
}

test("a pending refund is polled and not sent again", async () => {
  const { purchaseId, proof } = await paid();
  await cancelPurchase(await shop.user("admin"), { purchaseId, reason: "Mistake", refund: true });
  const methods: string[] = [];
  shop.gatewayFaults.next = (request) => {
    const isOurs = [`${proof.gatewayPaymentId}/refund`, "rfnd_onitsway"].some((end) =>
      request.url.endsWith(end),
    );
    if (!isOurs) return undefined;
    methods.push(request.method);
    const status = methods.length < 2 ? "pending" : "processed";
    return Response.json({ id: "rfnd_onitsway", payment_id: proof.gatewayPaymentId, amount: 14_900, status });
  };
  await processRefunds(shop.system());
  expect(await shop.refundsOf(purchaseId)).toMatchObject([{ status: "processing" }]);
  shop.clock.advance(2 * MINUTE);
  await processRefunds(shop.system());
  shop.gatewayFaults.next = null;
  expect(methods).toEqual(["POST", "GET"]);
  expect(await shop.refundsOf(purchaseId)).toMatchObject([{ status: "processed" }]);
  expect(await shop.db.$count(refunds, eq(refunds.gatewayRefundId, "rfnd_onitsway"))).toBe(1);
});

test("repeated starts and confirmations poll the gateway once", async () => {
  const { tool, buyer, gatewayOrderId } = await startPendingCheckout();
  let asked = 0;
  const count = () => {
    asked++;
    return undefined;
  };
  shop.gatewayFaults.next = count;
  for (let n = 0; n < 20; n++) await startCheckout(buyer, { slug: tool.slug });
  expect(asked).toBe(1);
  shop.gatewayFaults.next = null;
  const proof = await shop.payAtGateway(gatewayOrderId);
  await confirmCheckout(buyer, proof);
  shop.gatewayFaults.next = count;
  asked = 0;
  for (let n = 0; n < 20; n++) expect((await confirmCheckout(buyer, proof)).state).toBe("success");
  shop.gatewayFaults.next = null;
  expect(asked).toBe(0);
});
