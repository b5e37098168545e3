import { eq, sql } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { couponCodes, tools } from "#db/tables/catalog.ts";
import { auditEvents, settings } from "#db/tables/operations.ts";
import { paymentAttempts, paymentOrders, refunds, webhookEvents } from "#db/tables/payments.ts";
import { couponRedemptions } from "#db/tables/purchases.ts";
import { startTestShop, type TestShop } from "../../tools/testing/shop.ts";
import { cancelCheckout } from "../checkout/cancel-checkout.server.ts";
import { startCheckout } from "../checkout/start-checkout.server.ts";
import type { Context } from "../context.ts";
import { processRefunds } from "../payments/process-refunds.server.ts";
import { settleOrder } from "../payments/settle-order.server.ts";
import { DAY, HOUR, MINUTE } from "../time.ts";
import { auditLedger } from "./audit-ledger.server.ts";
import { countUnaccounted, LEDGER_AUDIT_KEY } from "./discrepancies.ts";
import { writePayment } from "./testing/ledger-rows.ts";

let shop: TestShop;
beforeAll(async () => {
  shop = await startTestShop();
});
afterAll(() => shop.close());

type Errors = Record<string, unknown>[];

/** One run, and what it logged as errors. */
async function look(ctx: Context = shop.system()) {
  const errors: Errors = [];
  const error = (facts: object) => errors.push({ ...facts });
  const watch = await auditLedger({ ...ctx, log: { ...ctx.log, error } });
  return { watch, errors };
}

/** What is said of one payment's order. */
async function findingsOf({ orderId }: { orderId: string }): Promise<unknown[]> {
  return (await look()).errors.filter((one) => one.orderId === orderId).map(({ finding }) => finding);
}

/** Pays a checkout; `before` the money comes, something else may happen. @returns what became of the purchase */
async function pay(
  buyer: Awaited<ReturnType<TestShop["user"]>>,
  slug: string,
  before?: (purchaseId: string) => Promise<unknown>,
): Promise<string | undefined> {
  const started = await startCheckout(buyer, { slug });
  if (!("orderId" in started)) throw new Error("there is something to pay");
  await before?.(started.purchaseId);
  await shop.payAtGateway(started.orderId);
  await settleOrder(shop.system(), { gatewayOrderId: started.orderId });
  return (await shop.purchasesOf(buyer))[0]?.status;
}

test("a shop in order: a purchase, one paid too late, and its refund", async () => {
  const { slug } = await shop.tool({ availableStock: 2 });
  expect(await pay(await shop.user(), slug)).toBe("completed");
  const late = await shop.user();
  const closeForAnother = async (purchaseId: string) => {
    await cancelCheckout(late, { purchaseId });
    await startCheckout(await shop.user(), { slug });
  };
  expect(await pay(late, slug, closeForAnother)).toBe("failed");
  await processRefunds(shop.system());
  expect(await shop.db.select({ status: refunds.status }).from(refunds)).toEqual([{ status: "processed" }]);
  shop.clock.advance(2 * DAY);
  const { watch, errors } = await look();
  expect(errors).toEqual([]);
  expect(watch).toMatchObject({ counts: {}, paymentIds: [] });
});

describe("a payment", () => {
  test("in order is not spoken of", async () => {
    expect(await findingsOf(await writePayment(shop))).toEqual([]);
  });

  type Facts = Parameters<typeof writePayment>[1];
  test.each<[string, string, Facts]>([
    ["no-outcome", "that became nothing", { attempt: { outcome: null } }],
    ["pass-missing", "for a pending purchase", { purchase: { status: "pending" } }],
    ["pass-missing", "for a failed purchase", { purchase: { status: "failed" } }],
    [
      "pass-missing",
      "whose pass was ended by a refund nobody wrote down",
      { purchase: { endedAt: new Date(), endedReason: "refunded" } },
    ],
    ["refund-missing", "without its refund", { attempt: { outcome: "refund" } }],
    [
      "refund-missing",
      "paid back in part",
      { attempt: { outcome: "refund" }, refunds: [{ amountPaise: 14_899 }] },
    ],
    ["refund-missing", "paid back twice", { attempt: { outcome: "refund" }, refunds: [{}, {}] }],
    [
      "refund-missing",
      "in two halves",
      { attempt: { outcome: "refund" }, refunds: [{ amountPaise: 1 }, { amountPaise: 14_899 }] },
    ],
    ["refund-beside-pass", "kept and paid back", { refunds: [{}] }],
    ["cancellation-unaudited", "kept without an audit row", { attempt: { outcome: "cancellation" } }],
  ])("is found as %s: %s", async (finding, _what, facts) => {
    expect(await findingsOf(await writePayment(shop, facts))).toEqual([finding]);
  });

  test("whose order has lost its purchase is found", async () => {
    const payment = await writePayment(shop);
    await shop.db.execute(
      sql`alter table payment_orders drop constraint payment_orders_purchase_id_user_purchases_id_fk`,
    );
    await shop.db.execute(sql`delete from user_purchases where id = ${payment.purchaseId}`);
    expect(await findingsOf(payment)).toEqual(["pass-missing"]);
  });

  test("kept twice for one order is found, both of them", async () => {
    const payment = await writePayment(shop);
    const [first] = await shop.db
      .select()
      .from(paymentAttempts)
      .where(eq(paymentAttempts.id, payment.attemptId));
    if (!first) throw new Error("the payment was not written");
    const second = {
      ...first,
      id: uuidv7(),
      gatewayPaymentId: `pay_${uuidv7()}`,
      outcome: "cancellation",
    } as const;
    await shop.db.insert(paymentAttempts).values(second);
    await auditCancellation(payment.purchaseId);
    expect(await findingsOf(payment)).toEqual(["order-kept-twice", "order-kept-twice"]);
  });

  test("kept for a cancelled purchase is in order with its audit row", async () => {
    const payment = await writePayment(shop, { attempt: { outcome: "cancellation" } });
    await auditCancellation(payment.purchaseId);
    expect(await findingsOf(payment)).toEqual([]);
  });

  test("has five minutes", async () => {
    const capturedAt = shop.clock.now();
    const payment = await writePayment(shop, { attempt: { outcome: null, capturedAt } });
    shop.clock.advance(5 * MINUTE - 1);
    expect(await findingsOf(payment)).toEqual([]);
    shop.clock.advance(1);
    expect(await findingsOf(payment)).toEqual(["no-outcome"]);
  });

  test.each(["created", "authorized", "failed"] as const)("that is only %s owes nothing", async (status) => {
    expect(await findingsOf(await writePayment(shop, { attempt: { status, outcome: null } }))).toEqual([]);
  });

  async function auditCancellation(subjectId: string): Promise<void> {
    const action = "purchase.cancelled";
    await shop.db
      .insert(auditEvents)
      .values({ actorKind: "admin", action, subjectType: "purchase", subjectId });
  }
});

describe("a refund", () => {
  const refunded = (refund: { status: "failed" | "requested" | "processing"; createdAt?: Date }) =>
    writePayment(shop, { attempt: { outcome: "refund" }, refunds: [refund] });
  const findingsOfRefund = async ({ purchaseId }: { purchaseId: string }) =>
    (await look()).errors.filter((one) => one.purchaseId === purchaseId).map(({ finding }) => finding);

  test("that failed is found at once", async () => {
    expect(await findingsOfRefund(await refunded({ status: "failed" }))).toEqual(["refund-failed"]);
  });

  test.each(["requested", "processing"] as const)("that is %s has a day", async (status) => {
    const payment = await refunded({ status, createdAt: shop.clock.now() });
    shop.clock.advance(24 * HOUR - 1);
    expect(await findingsOfRefund(payment)).toEqual([]);
    shop.clock.advance(1);
    expect(await findingsOfRefund(payment)).toEqual(["refund-overdue"]);
  });
});

describe("counters", () => {
  test("a stock below zero is found", async () => {
    const { id } = await shop.tool();
    await shop.db.execute(sql`alter table tools drop constraint tools_stock_not_negative`);
    await shop.db.update(tools).set({ availableStock: -1 }).where(eq(tools.id, id));
    const found = (await look()).errors.filter(({ toolId }) => toolId === id);
    expect(found).toMatchObject([{ finding: "stock-below-zero", stock: -1 }]);
  });

  test.each([
    [0, []],
    [2, ["coupon-miscounted"]],
    [1, ["coupon-miscounted"]],
    [3, []],
  ])("a coupon that counted %i uses", async (usesTaken, discrepancies) => {
    const tool = await shop.tool();
    const [coupon] = await shop.db
      .insert(couponCodes)
      .values({ code: uuidv7(), toolId: tool.id, discountPercentage: 10, usesTaken })
      .returning();
    if (!coupon) throw new Error("the coupon was not written");
    const states = usesTaken === 0 ? [] : (["held", "used", "used", "released"] as const);
    for (const state of states) {
      const { purchaseId } = await writePayment(shop);
      await shop.db.insert(couponRedemptions).values({ purchaseId, couponId: coupon.id, state });
    }
    const found = (await look()).errors.filter(({ couponId }) => couponId === coupon.id);
    expect(found.map(({ finding }) => finding)).toEqual(discrepancies);
  });
});

describe("what is made of it", () => {
  test("each is said once a run, with ids and amounts and no address", async () => {
    const payment = await writePayment(shop, { attempt: { outcome: null } });
    const { errors } = await look();
    const { paymentId, orderId, purchaseId } = payment;
    expect(errors.filter((one) => one.orderId === orderId)).toEqual([
      {
        finding: "no-outcome",
        ofThem: expect.any(Number),
        paymentId,
        orderId,
        purchaseId,
        amountPaise: 14_900,
      },
    ]);
    expect(JSON.stringify(errors)).not.toContain("@");
  });

  test("all are counted, fifty of a kind are told", async () => {
    for (let n = 0; n < 51; n++) await writePayment(shop, { attempt: { outcome: null } });
    const { watch, errors } = await look();
    expect(errors.filter(({ finding }) => finding === "no-outcome")).toHaveLength(50);
    expect(watch.counts["no-outcome"]).toBeGreaterThan(50);
    expect(watch.paymentIds).toHaveLength(10);
    const [kept] = await shop.db.select().from(settings).where(eq(settings.key, LEDGER_AUDIT_KEY));
    expect(kept?.value).toEqual(watch);
  });

  test("once a gateway takes real money, test money is nobody's loss", async () => {
    const real = await writePayment(shop, { attempt: { outcome: null }, order: { testMode: false } });
    const { gateway } = shop.ports;
    if (!gateway) throw new Error("the test shop has a gateway");
    const live = { ...shop.system(), ports: { ...shop.ports, gateway: { ...gateway, testMode: false } } };
    const { watch } = await look(live);
    expect(watch.paymentIds).toEqual([real.paymentId]);
    expect(countUnaccounted(watch.counts)).toBe(1);
  });

  test("only the shop itself looks", async () => {
    await expect(auditLedger(shop.visitor())).rejects.toMatchObject({ code: "forbidden" });
    await expect(auditLedger(await shop.user("admin"))).rejects.toMatchObject({ code: "forbidden" });
  });
});

test("a payment the gateway told of, for an order of ours, that never came into the books", async () => {
  const { purchaseId } = await writePayment(shop);
  const [order] = await shop.db.select().from(paymentOrders).where(eq(paymentOrders.purchaseId, purchaseId));
  const event = (paymentId: string) => ({
    gateway: order?.gateway ?? "",
    eventId: `evt_${paymentId}`,
    type: "payment.captured",
    payload: "{}",
    gatewayOrderId: order?.gatewayOrderId ?? null,
    gatewayPaymentId: paymentId,
    processedAt: shop.clock.now(),
    createdAt: shop.clock.now(),
  });
  await shop.db.insert(webhookEvents).values(event("pay_neverseen"));
  const told = async () => (await look()).errors.filter(({ paymentId }) => paymentId === "pay_neverseen");
  shop.clock.advance(4 * MINUTE);
  expect(await told()).toEqual([]);
  shop.clock.advance(MINUTE);
  expect(await told()).toMatchObject([{ finding: "told-and-not-settled", purchaseId }]);
});
