import { eq, sql } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { couponCodes, tools } from "#db/tables/catalog.ts";
import { auditEvents, settings } from "#db/tables/operations.ts";
import { paymentAttempts, paymentOrders, refunds, webhookEvents } from "#db/tables/payments.ts";
import { couponRedemptions } from "#db/tables/purchases.ts";
import { insertPayment } from "#tests/fixtures/insert-payment.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import { cancelCheckout } from "../checkout/end-checkout.server.ts";
import { startCheckout } from "../checkout/start-checkout.server.ts";
import type { Context } from "../context.ts";
import { processRefunds } from "../payments/process-refunds.server.ts";
import { settleOrder } from "../payments/settle-order.server.ts";
import { DAY, HOUR, MINUTE } from "../time.ts";
import { auditLedger, selectLedgerAudit } from "./audit-ledger.server.ts";
import { countUnaccountedPayments, LEDGER_AUDIT_KEY } from "./discrepancies.ts";

let shop: SandboxShop;
beforeAll(async () => {
  shop = await startSandboxShop();
});
afterAll(() => shop.close());

type Errors = Record<string, unknown>[];

/** Runs one audit. `errors` are the facts that it logs. */
async function runAudit(ctx: Context = shop.system()) {
  const errors: Errors = [];
  const error = (facts: object) => errors.push({ ...facts });
  const audit = await auditLedger({ ...ctx, log: { ...ctx.log, error } });
  return { audit, errors };
}

/** The kinds of discrepancy that an audit logs for the order of a payment. */
async function auditOrder({ orderId }: { orderId: string }): Promise<unknown[]> {
  return (await runAudit()).errors
    .filter((one) => one.orderId === orderId)
    .map(({ discrepancy }) => discrepancy);
}

/** Pays a checkout and settles its order. @returns the status of the purchase */
async function pay(
  buyer: Awaited<ReturnType<SandboxShop["user"]>>,
  slug: string,
  beforePayment?: (purchaseId: string) => Promise<unknown>,
): Promise<string | undefined> {
  const started = await startCheckout(buyer, { slug });
  if (!("gatewayOrderId" in started)) throw new Error("the checkout has no order");
  await beforePayment?.(started.purchaseId);
  await shop.payAtGateway(started.gatewayOrderId);
  await settleOrder(shop.system(), { gatewayOrderId: started.gatewayOrderId });
  return (await shop.purchasesOf(buyer))[0]?.status;
}

test("the ledger audit finds no discrepancy after a purchase, and after a late payment with its refund", async () => {
  const { slug } = await shop.tool({ availableStock: 2 });
  expect(await pay(await shop.user(), slug)).toBe("completed");
  const lateBuyer = await shop.user();
  const cancelAndSellToAnother = async (purchaseId: string) => {
    await cancelCheckout(lateBuyer, { purchaseId });
    await startCheckout(await shop.user(), { slug });
  };
  expect(await pay(lateBuyer, slug, cancelAndSellToAnother)).toBe("failed");
  await processRefunds(shop.system());
  expect(await shop.db.select({ status: refunds.status }).from(refunds)).toEqual([{ status: "processed" }]);
  shop.clock.advance(2 * DAY);
  const { audit, errors } = await runAudit();
  expect(errors).toEqual([]);
  expect(audit).toMatchObject({ counts: {}, paymentIds: [] });
});

describe("the audit of a payment", () => {
  test("the ledger audit finds nothing for a payment with its pass", async () => {
    expect(await auditOrder(await insertPayment(shop))).toEqual([]);
  });

  type Facts = Parameters<typeof insertPayment>[1];
  test.each<[string, string, Facts]>([
    ["no-outcome", "a captured payment without an outcome", { attempt: { outcome: null } }],
    ["pass-missing", "the outcome pass with a pending purchase", { purchase: { status: "pending" } }],
    ["pass-missing", "the outcome pass with a failed purchase", { purchase: { status: "failed" } }],
    [
      "pass-missing",
      "the outcome pass with a pass that a refund ended",
      { purchase: { endedAt: new Date(), endedReason: "refunded" } },
    ],
    ["refund-missing", "the outcome refund without a refund", { attempt: { outcome: "refund" } }],
    [
      "refund-missing",
      "the outcome refund with a partial refund",
      { attempt: { outcome: "refund" }, refunds: [{ amountPaise: 14_899 }] },
    ],
    [
      "refund-missing",
      "the outcome refund with two full refunds",
      { attempt: { outcome: "refund" }, refunds: [{}, {}] },
    ],
    [
      "refund-missing",
      "the outcome refund with two partial refunds",
      { attempt: { outcome: "refund" }, refunds: [{ amountPaise: 1 }, { amountPaise: 14_899 }] },
    ],
    ["refund-beside-pass", "the outcome pass with a refund", { refunds: [{}] }],
    [
      "cancellation-unaudited",
      "a retained payment without an audit event",
      { attempt: { outcome: "cancellation" } },
    ],
  ])("the ledger audit finds %s for %s", async (kind, _what, facts) => {
    expect(await auditOrder(await insertPayment(shop, facts))).toEqual([kind]);
  });

  test("the ledger audit finds pass-missing for an order whose purchase does not exist", async () => {
    const payment = await insertPayment(shop);
    await shop.db.execute(
      sql`alter table payment_orders drop constraint payment_orders_purchase_id_user_purchases_id_fk`,
    );
    await shop.db.execute(sql`delete from user_purchases where id = ${payment.purchaseId}`);
    expect(await auditOrder(payment)).toEqual(["pass-missing"]);
  });

  test("the ledger audit finds both payments of an order that were not refunded", async () => {
    const payment = await insertPayment(shop);
    const [first] = await shop.db
      .select()
      .from(paymentAttempts)
      .where(eq(paymentAttempts.id, payment.attemptId));
    if (!first) throw new Error("the payment was not inserted");
    const second = {
      ...first,
      id: uuidv7(),
      gatewayPaymentId: `pay_${uuidv7()}`,
      outcome: "cancellation",
    } as const;
    await shop.db.insert(paymentAttempts).values(second);
    await auditCancellation(payment.purchaseId);
    expect(await auditOrder(payment)).toEqual(["order-kept-twice", "order-kept-twice"]);
  });

  test("the ledger audit finds nothing for a retained payment with an audit event", async () => {
    const payment = await insertPayment(shop, { attempt: { outcome: "cancellation" } });
    await auditCancellation(payment.purchaseId);
    expect(await auditOrder(payment)).toEqual([]);
  });

  test("the ledger audit allows five minutes from the capture to the outcome", async () => {
    const capturedAt = shop.clock.now();
    const payment = await insertPayment(shop, { attempt: { outcome: null, capturedAt } });
    shop.clock.advance(5 * MINUTE - 1);
    expect(await auditOrder(payment)).toEqual([]);
    shop.clock.advance(1);
    expect(await auditOrder(payment)).toEqual(["no-outcome"]);
  });

  test.each([
    "created",
    "authorized",
    "failed",
  ] as const)("the ledger audit finds nothing for a payment that is %s", async (status) => {
    expect(await auditOrder(await insertPayment(shop, { attempt: { status, outcome: null } }))).toEqual([]);
  });

  async function auditCancellation(subjectId: string): Promise<void> {
    const action = "purchase.cancelled";
    await shop.db
      .insert(auditEvents)
      .values({ actorKind: "admin", action, subjectType: "purchase", subjectId });
  }
});

describe("the audit of a refund", () => {
  const insertRefund = (refund: { status: "failed" | "requested" | "processing"; createdAt?: Date }) =>
    insertPayment(shop, { attempt: { outcome: "refund" }, refunds: [refund] });
  const auditPurchase = async ({ purchaseId }: { purchaseId: string }) =>
    (await runAudit()).errors
      .filter((one) => one.purchaseId === purchaseId)
      .map(({ discrepancy }) => discrepancy);

  test("the ledger audit finds a failed refund immediately", async () => {
    expect(await auditPurchase(await insertRefund({ status: "failed" }))).toEqual(["refund-failed"]);
  });

  test.each([
    "requested",
    "processing",
  ] as const)("the ledger audit finds a %s refund after 24 hours", async (status) => {
    const payment = await insertRefund({ status, createdAt: shop.clock.now() });
    shop.clock.advance(24 * HOUR - 1);
    expect(await auditPurchase(payment)).toEqual([]);
    shop.clock.advance(1);
    expect(await auditPurchase(payment)).toEqual(["refund-overdue"]);
  });
});

test("the ledger audit finds a stock below zero", async () => {
  const { id } = await shop.tool();
  await shop.db.execute(sql`alter table tools drop constraint tools_stock_not_negative`);
  await shop.db.update(tools).set({ availableStock: -1 }).where(eq(tools.id, id));
  const found = (await runAudit()).errors.filter(({ toolId }) => toolId === id);
  expect(found).toMatchObject([{ discrepancy: "stock-below-zero", stock: -1 }]);
});

test.each([
  [0, []],
  [2, ["coupon-miscounted"]],
  [1, ["coupon-miscounted"]],
  [3, []],
])("a coupon with a counter of %i has the discrepancies %j", async (usesTaken, discrepancies) => {
  const tool = await shop.tool();
  const [coupon] = await shop.db
    .insert(couponCodes)
    .values({ code: uuidv7().toUpperCase(), toolId: tool.id, discountPercentage: 10, usesTaken })
    .returning();
  if (!coupon) throw new Error("the coupon was not inserted");
  const states = usesTaken === 0 ? [] : (["held", "used", "used", "released"] as const);
  for (const state of states) {
    const { purchaseId } = await insertPayment(shop);
    await shop.db.insert(couponRedemptions).values({ purchaseId, couponId: coupon.id, state });
  }
  const found = (await runAudit()).errors.filter(({ couponId }) => couponId === coupon.id);
  expect(found.map(({ discrepancy }) => discrepancy)).toEqual(discrepancies);
});

test("the ledger audit writes one log entry per discrepancy, with ids and amounts but no email address", async () => {
  const payment = await insertPayment(shop, { attempt: { outcome: null } });
  const { errors } = await runAudit();
  const { paymentId, orderId, purchaseId } = payment;
  expect(errors.filter((one) => one.orderId === orderId)).toEqual([
    {
      discrepancy: "no-outcome",
      total: expect.any(Number),
      paymentId,
      orderId,
      purchaseId,
      amountPaise: 14_900,
    },
  ]);
  expect(JSON.stringify(errors)).not.toContain("@");
});

test("the ledger audit counts all discrepancies, logs fifty of a kind and saves the counts", async () => {
  for (let n = 0; n < 51; n++) await insertPayment(shop, { attempt: { outcome: null } });
  const { audit, errors } = await runAudit();
  expect(errors.filter(({ discrepancy }) => discrepancy === "no-outcome")).toHaveLength(50);
  expect(audit.counts["no-outcome"]).toBeGreaterThan(50);
  expect(audit.paymentIds).toHaveLength(10);
  const [saved] = await shop.db.select().from(settings).where(eq(settings.key, LEDGER_AUDIT_KEY));
  expect(saved?.value).toEqual(audit);
});

test("the stored result of an older version is read, with the present names of its kinds", async () => {
  const value = { at: "2026-11-20T10:00:00.000Z", counts: { "told-and-not-settled": 2 }, paymentIds: [] };
  await shop.db.delete(settings).where(eq(settings.key, LEDGER_AUDIT_KEY));
  await shop.db.insert(settings).values({ key: LEDGER_AUDIT_KEY, value });
  expect((await selectLedgerAudit(shop.db))?.counts).toEqual({ "reported-not-settled": 2 });
});

test("the ledger audit excludes test mode once the gateway takes real money", async () => {
  const real = await insertPayment(shop, { attempt: { outcome: null }, order: { testMode: false } });
  const { gateway } = shop.ports;
  if (!gateway) throw new Error("the test shop has a gateway");
  const live = { ...shop.system(), ports: { ...shop.ports, gateway: { ...gateway, testMode: false } } };
  const { audit } = await runAudit(live);
  expect(audit.paymentIds).toEqual([real.paymentId]);
  expect(countUnaccountedPayments(audit.counts)).toBe(1);
});

test("only the system may run the ledger audit", async () => {
  await expect(auditLedger(shop.visitor())).rejects.toMatchObject({ code: "forbidden" });
  await expect(auditLedger(await shop.user("admin"))).rejects.toMatchObject({ code: "forbidden" });
});

test("the ledger audit finds a payment that a webhook event reported and that was never settled", async () => {
  const { purchaseId } = await insertPayment(shop);
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
  const found = async () =>
    (await runAudit()).errors.filter(({ paymentId }) => paymentId === "pay_neverseen");
  shop.clock.advance(4 * MINUTE);
  expect(await found()).toEqual([]);
  shop.clock.advance(MINUTE);
  expect(await found()).toMatchObject([{ discrepancy: "reported-not-settled", purchaseId }]);
});
