import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { users } from "#db/tables/accounts.ts";
import { tools } from "#db/tables/catalog.ts";
import { mailMessages } from "#db/tables/operations.ts";
import { paymentAttempts, paymentOrders, refunds } from "#db/tables/payments.ts";
import { createScarceModel } from "#tests/checkout-model/model.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { type FakeGatewayShop, startFakeGatewayShop } from "#tests/fixtures/fake-gateway-shop.ts";
import { startPaidCheckout } from "#tests/fixtures/open-test-shop.ts";
import { deleteUser } from "../accounts/delete-account.server.ts";
import { confirmCheckout, refreshCheckoutStatus } from "../checkout/checkout-status.server.ts";
import { cancelCheckout } from "../checkout/end-checkout.server.ts";
import { listMyPasses } from "../passes/list-my-passes.server.ts";
import { auditLedger } from "../reports/audit-ledger.server.ts";
import { readDashboardStatistics } from "../reports/read-dashboard.server.ts";
import { DAY, MINUTE } from "../time.ts";
import { cancelPurchase } from "./cancel-purchase.server.ts";
import { processRefunds } from "./process-refunds.server.ts";
import { reconcileOrders } from "./reconcile-orders.server.ts";
import { settleOrder } from "./settle-order.server.ts";

let shop: FakeGatewayShop;
beforeAll(async () => {
  shop = await startFakeGatewayShop(await freshDatabase());
});
afterAll(() => shop.close());

/** One buyer with a checkout of the only unit of a tool, with the only use of its coupon when `coupon` says so. */
async function checkedOut(facts: { coupon?: boolean } = {}) {
  const { model, buyer, other, tool } = await createScarceModel(shop);
  const option = "30 Days";
  const coupon = facts.coupon ? model.coupon.code : null;
  const started = await startPaidCheckout(buyer.ctx, { slug: tool.slug, option, coupon });
  const { gatewayOrderId, purchaseId } = started;
  const attemptOf = async (paymentId: string) => {
    const [row] = await shop.db
      .select()
      .from(paymentAttempts)
      .where(eq(paymentAttempts.gatewayPaymentId, paymentId));
    return row;
  };
  return {
    model,
    buyer,
    other,
    tool,
    option,
    gatewayOrderId,
    purchaseId,
    attemptOf,
    settle: (order = gatewayOrderId) => settleOrder(model.system, { gatewayOrderId: order }),
    /** The bank approves a payment that the gateway does not capture by itself. */
    authorise: () => shop.fake.authorize(gatewayOrderId).razorpay_payment_id,
    status: () => refreshCheckoutStatus(buyer.ctx, { purchaseId }),
    mails: async () => {
      const address = `${buyer.userId}@example.com`;
      const rows = await shop.db.select().from(mailMessages).where(eq(mailMessages.recipient, address));
      return rows.map(({ kind }) => kind);
    },
    refundsOf: async () => {
      const rows = await shop.db
        .select({ reason: refunds.reason, amountPaise: refunds.amountPaise })
        .from(refunds)
        .innerJoin(paymentAttempts, eq(paymentAttempts.id, refunds.attemptId))
        .innerJoin(paymentOrders, eq(paymentOrders.id, paymentAttempts.orderId))
        .where(eq(paymentOrders.purchaseId, purchaseId));
      return rows;
    },
  };
}

type CheckedOut = Awaited<ReturnType<typeof checkedOut>>;

/** Another buyer starts the same checkout, which takes the unit of stock and the coupon use. */
const otherTakesIt = ({ other, tool, option }: CheckedOut, coupon: string | null = null) =>
  startPaidCheckout(other.ctx, { slug: tool.slug, option, coupon });

async function close({ buyer, purchaseId }: CheckedOut): Promise<void> {
  await cancelCheckout(buyer.ctx, { purchaseId });
}

const setStock = ({ tool }: CheckedOut, availableStock: number) =>
  shop.db.update(tools).set({ availableStock }).where(eq(tools.id, tool.id));

/** What makes a pass impossible, and the reason that the buyer sees. */
const OBSTACLES: [string, string, { coupon?: boolean }, (checkout: CheckedOut) => Promise<unknown>][] = [
  [
    "whose tool was sold out",
    "out-of-stock",
    {},
    async (checkout) => {
      await close(checkout);
      await otherTakesIt(checkout);
    },
  ],
  [
    "whose coupon was used up",
    "coupon-used-up",
    { coupon: true },
    async (checkout) => {
      await close(checkout);
      await otherTakesIt(checkout, checkout.model.coupon.code);
      await setStock(checkout, 3);
    },
  ],
  [
    "that was replaced",
    "purchase-replaced",
    {},
    ({ buyer, tool }) => startPaidCheckout(buyer.ctx, { slug: tool.slug, option: "7 Days" }),
  ],
  [
    "whose buyer has the tool by another purchase",
    "already-owned",
    {},
    async (checkout) => {
      await close(checkout);
      const { buyer, tool } = checkout;
      await setStock(checkout, 3);
      const { gatewayOrderId } = await startPaidCheckout(buyer.ctx, { slug: tool.slug, option: "7 Days" });
      shop.fake.pay(gatewayOrderId);
      await checkout.settle(gatewayOrderId);
    },
  ],
  [
    "whose buyer was disabled",
    "account-closed",
    {},
    ({ buyer }) => shop.db.update(users).set({ isActive: false }).where(eq(users.id, buyer.userId)),
  ],
  [
    "whose buyer was deleted",
    "purchase-ended",
    {},
    ({ model, buyer }) => deleteUser(model.admin, { userId: buyer.userId }),
  ],
  [
    "that an admin cancelled",
    "purchase-ended",
    {},
    ({ model, purchaseId }) =>
      cancelPurchase(model.admin, { purchaseId, reason: "Suspicious", refund: false }),
  ],
];

describe.each(OBSTACLES)("an authorised payment for a purchase %s", (_what, reason, facts, obstacle) => {
  test("an authorised payment for a purchase that cannot become a pass is not captured, and nothing is refunded", async () => {
    const checkout = await checkedOut(facts);
    await obstacle(checkout);
    const paymentId = checkout.authorise();
    const captures = shop.fake.faults.count("capture");
    await Promise.all(Array.from({ length: 4 }, () => checkout.settle()));
    await checkout.settle();
    expect(shop.fake.faults.count("capture")).toBe(captures);
    expect(shop.fake.paymentsOf(checkout.gatewayOrderId)).toMatchObject([
      { status: "authorized", captured: false },
    ]);
    expect(await checkout.attemptOf(paymentId)).toMatchObject({
      status: "authorized",
      outcome: null,
      uncapturedReason: reason,
    });
    expect(await checkout.refundsOf()).toEqual([]);
  });

  test("an authorised payment for a purchase that cannot become a pass is refunded once when somebody captures it at the gateway", async () => {
    const checkout = await checkedOut(facts);
    await obstacle(checkout);
    const paymentId = checkout.authorise();
    await checkout.settle();
    shop.fake.captureNow(paymentId);
    await reconcileOrders(checkout.model.system, { all: true });
    await checkout.settle();
    expect(await checkout.refundsOf()).toMatchObject([{ reason }]);
    expect((await checkout.attemptOf(paymentId))?.outcome).toBe("refund");
  });
});

async function soldOut() {
  const checkout = await checkedOut();
  await close(checkout);
  await otherTakesIt(checkout);
  // Closing has asked the gateway, and a page that polls does not ask it again at once.
  shop.clock.advance(2_000);
  const paymentId = checkout.authorise();
  return { ...checkout, paymentId };
}

test("a payment that is left uncaptured is shown to its buyer once by mail, in the checkout and on the dashboard", async () => {
  const checkout = await soldOut();
  expect(await checkout.status()).toEqual({
    state: "not-taken",
    reason: "The tool was sold out when the payment arrived.",
  });
  await checkout.settle();
  expect(await checkout.mails()).toEqual(["payment-not-taken"]);
  const { pending, past } = await listMyPasses(checkout.buyer.ctx);
  expect(pending).toEqual([]);
  expect(past).toMatchObject([
    {
      badge: "Not charged",
      refunds: [],
      uncapturedPayment: { amountPaise: 14_900, why: "The tool was sold out when the payment arrived." },
    },
  ]);
});

test("a payment that is left uncaptured is shown to the browser that confirms with the gateway's signature", async () => {
  const checkout = await checkedOut();
  await close(checkout);
  await otherTakesIt(checkout);
  const proof = shop.fake.authorize(checkout.gatewayOrderId);
  const answer = await confirmCheckout(checkout.buyer.ctx, {
    gatewayOrderId: proof.razorpay_order_id,
    gatewayPaymentId: proof.razorpay_payment_id,
    signature: proof.razorpay_signature,
  });
  expect(answer).toMatchObject({ state: "not-taken" });
});

test("a payment that is left uncaptured is no discrepancy and no revenue, and its order is polled for five days", async () => {
  const checkout = await soldOut();
  await processRefunds(checkout.model.system);
  const before = await readDashboardStatistics(checkout.model.admin);
  await checkout.settle();
  for (let day = 1; day <= 5; day++) {
    shop.clock.advance(DAY - 1000);
    await reconcileOrders(checkout.model.system, { all: false });
    const [order] = await shop.db
      .select({ checkedAt: paymentOrders.polledAt })
      .from(paymentOrders)
      .where(eq(paymentOrders.purchaseId, checkout.purchaseId));
    expect(order?.checkedAt, `day ${day}`).toEqual(shop.clock.now());
    expect((await auditLedger(checkout.model.system)).counts).toEqual({});
  }
  expect((await readDashboardStatistics(checkout.model.admin)).totalRevenuePaise).toBe(
    before.totalRevenuePaise,
  );
});

test("a payment that was left uncaptured stays so when a unit is available again, because its buyer has got a mail", async () => {
  const checkout = await soldOut();
  await checkout.settle();
  await setStock(checkout, 3);
  await checkout.settle();
  expect(shop.fake.paymentsOf(checkout.gatewayOrderId)).toMatchObject([{ captured: false }]);
  expect(await checkout.status()).toMatchObject({ state: "not-taken" });
});

test("a payment that was left uncaptured stays so after the gateway has returned it", async () => {
  const checkout = await soldOut();
  await checkout.settle();
  shop.fake.returnUncaptured(checkout.paymentId);
  await checkout.settle();
  expect(await checkout.refundsOf()).toEqual([]);
  expect(await checkout.status()).toMatchObject({ state: "not-taken" });
  expect(await checkout.mails()).toEqual(["payment-not-taken"]);
});

test("an authorised payment is captured while the purchase is held, and after the hold when a unit can be reacquired", async () => {
  for (const closes of [false, true]) {
    const checkout = await checkedOut({ coupon: true });
    if (closes) await close(checkout);
    checkout.authorise();
    expect(await checkout.settle()).toMatchObject({ result: "pass" });
    expect(shop.fake.paymentsOf(checkout.gatewayOrderId)).toMatchObject([{ status: "captured" }]);
  }
});

test("only one of several authorised payments of an order is captured", async () => {
  const checkout = await checkedOut();
  const ids = [checkout.authorise(), checkout.authorise(), checkout.authorise()];
  await Promise.all(Array.from({ length: 4 }, () => checkout.settle()));
  const theirs = shop.fake.paymentsOf(checkout.gatewayOrderId);
  expect(theirs.filter(({ captured }) => captured)).toHaveLength(1);
  const rows = await Promise.all(ids.map(checkout.attemptOf));
  expect(rows.map((row) => row?.outcome ?? row?.uncapturedReason).sort()).toEqual([
    "duplicate-payment",
    "duplicate-payment",
    "pass",
  ]);
  expect(await checkout.refundsOf()).toEqual([]);
});

test("an authorised payment is refunded once when its purchase becomes impossible between the decision and the capture", async () => {
  const checkout = await checkedOut();
  await close(checkout);
  const paymentId = checkout.authorise();
  shop.fake.faults.add({ match: "capture", what: "gate", gate: "capture", times: 1 });
  const settling = checkout.settle();
  await shop.fake.faults.waitFor("capture", { until: "arrived" });
  await otherTakesIt(checkout);
  shop.fake.faults.release("capture");
  expect(await settling).toMatchObject({ result: "refunded" });
  await checkout.settle();
  expect(await checkout.refundsOf()).toEqual([{ reason: "out-of-stock", amountPaise: 14_900 }]);
  expect(await checkout.attemptOf(paymentId)).toMatchObject({ outcome: "refund", uncapturedReason: null });
});

test("an authorised payment is polled again within minutes when the gateway did not answer the capture", async () => {
  const checkout = await checkedOut();
  checkout.authorise();
  shop.fake.faults.add({ match: "capture", what: "drop-before" });
  await expect(checkout.settle()).rejects.toThrow();
  shop.fake.faults.clear();
  expect(await checkout.status()).toEqual({ state: "confirming" });
  shop.clock.advance(2 * MINUTE);
  await reconcileOrders(checkout.model.system, { all: false });
  expect(await checkout.status()).toMatchObject({ state: "success" });
});
