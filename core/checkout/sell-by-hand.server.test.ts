import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tools as toolRows } from "#db/tables/catalog.ts";
import { auditEvents, mailMessages, settings } from "#db/tables/operations.ts";
import { credits, paymentAttempts, paymentOrders, payouts, refunds } from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { startPaidCheckout, withOldPassword } from "#tests/fixtures/open-test-shop.ts";
import { markRestored } from "#tests/fixtures/restored-shop.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import { deleteUser } from "../accounts/delete-account.server.ts";
import type { Context } from "../context.ts";
import { InvalidInputError } from "../errors.ts";
import { getPurchaseTimeline } from "../passes/get-purchase-timeline.server.ts";
import { assignTool } from "../passes/give-pass.server.ts";
import { listMyPasses } from "../passes/list-my-passes.server.ts";
import { getMyPurchase } from "../passes/list-my-purchases.server.ts";
import { listPurchases } from "../passes/list-purchases.server.ts";
import { askGateway } from "../payments/ask-gateway.server.ts";
import { cancelPurchase, describeCancellation } from "../payments/cancel-purchase.server.ts";
import { recordPayout } from "../payments/credits.server.ts";
import { processRefunds } from "../payments/process-refunds.server.ts";
import { listOpenRefunds } from "../payments/refunds.server.ts";
import { settleOrder } from "../payments/settle-order.server.ts";
import { auditLedger } from "../reports/audit-ledger.server.ts";
import { forgetFigures, readFigures } from "../reports/figures.server.ts";
import { readPaymentNotices } from "../reports/read-payment-notices.server.ts";
import { DAY } from "../time.ts";
import { sellByHand } from "./sell-by-hand.server.ts";
import { startCheckout } from "./start-checkout.server.ts";

type Person = Awaited<ReturnType<SandboxShop["user"]>>;

let shop: SandboxShop;
let admin: Person;
beforeAll(async () => {
  shop = await startSandboxShop();
  admin = await shop.user("admin");
});
afterAll(() => shop.close());

const OPTIONS = [
  { label: "Month", validityDays: 30, pricePaise: 39_900, originalPricePaise: null },
  { label: "Year", validityDays: 365, pricePaise: 199_900, originalPricePaise: null },
];

let references = 0;
const newReference = () => `4123${String(references++).padStart(8, "0")}`;

type Sale = Parameters<typeof sellByHand>[1];
const saleOf = (buyer: Person, tool: { id: string }, more: object = {}): Sale => ({
  userId: buyer.actor.userId,
  toolId: tool.id,
  amount: "399",
  way: "upi",
  reference: newReference(),
  ...more,
});
const sell = (buyer: Person, tool: { id: string }, more: object = {}, ctx: Context = admin) =>
  sellByHand(ctx, saleOf(buyer, tool, more));

const codesOf = async (calls: Promise<unknown>[]) =>
  (await Promise.allSettled(calls)).map((one) =>
    one.status === "fulfilled"
      ? "sold"
      : one.reason instanceof InvalidInputError
        ? Object.keys(one.reason.fields).join()
        : String(one.reason.code ?? one.reason),
  );
const count = (all: string[], one: string) => all.filter((code) => code === one).length;

const moneyOf = async (purchaseId: string) => {
  const [row] = await shop.db
    .select({
      order: paymentOrders,
      attempt: paymentAttempts,
      credit: credits,
      refund: refunds,
      payout: payouts,
    })
    .from(paymentOrders)
    .innerJoin(paymentAttempts, eq(paymentAttempts.orderId, paymentOrders.id))
    .leftJoin(credits, eq(credits.attemptId, paymentAttempts.id))
    .leftJoin(refunds, eq(refunds.attemptId, paymentAttempts.id))
    .leftJoin(payouts, eq(payouts.refundId, refunds.id))
    .where(eq(paymentOrders.purchaseId, purchaseId));
  return row;
};
const revenue = async () => {
  forgetFigures(shop.system());
  const figures = await readFigures(shop.system());
  const ways = Object.fromEntries(figures.byHand.map(({ way, revenuePaise }) => [way, revenuePaise]));
  return { ...figures, ways };
};
const runAudit = async () => {
  shop.clock.advance(6 * 60_000);
  return (await auditLedger(shop.system())).counts;
};

test("a sale by hand is a pass, a payment of the gateway manual, revenue, a receipt and an audit event", async () => {
  const tool = await shop.tool({ pricingOptions: OPTIONS });
  const buyer = await shop.user();
  const before = await revenue();
  const { purchaseId, expiresAt } = await sell(buyer, tool, {
    option: "Month",
    amount: "₹350",
    reference: " 4123 5566\u200b7788ab ",
    payerName: "Asha",
    sendMail: "on",
  });
  const [purchase] = await shop.purchasesOf(buyer);
  expect(purchase).toMatchObject({
    status: "completed",
    source: "admin",
    assignedBy: "admin",
    optionLabel: "Month",
    validityDays: 30,
    listPricePaise: 39_900,
    discountPaise: 4_900,
    amountPaise: 35_000,
    testMode: false,
    isRenewal: false,
    expiresAt,
  });
  expect(expiresAt.getTime() - shop.clock.now().getTime()).toBe(30 * DAY);
  expect(await shop.stockOf(tool.id)).toBe(4);
  const money = await moneyOf(purchaseId);
  expect(money).toMatchObject({
    order: { gateway: "manual", gatewayOrderId: null, testMode: false, state: "settled", nextPollAt: null },
    attempt: { status: "captured", outcome: "pass", amountPaise: 35_000, method: "upi" },
    credit: { way: "upi", reference: "412355667788AB", payerName: "Asha" },
  });
  expect(money?.attempt.gatewayPaymentId).toBe(`manual_${money?.attempt.id}`);
  const after = await revenue();
  expect(after.revenuePaise - before.revenuePaise).toBe(35_000);
  expect(after.ways).toEqual({ ...before.ways, upi: (before.ways.upi ?? 0) + 35_000 });
  expect(await getMyPurchase(buyer, { purchaseId })).toMatchObject({
    status: "active",
    payments: [{ gateway: "manual", reference: "412355667788AB", amountPaise: 35_000 }],
  });
  expect(await runAudit()).toEqual({});
  const mails = await shop.db.select().from(mailMessages).where(eq(mailMessages.purchaseId, purchaseId));
  expect(mails).toMatchObject([{ kind: "purchase-receipt", recipient: buyer.actor.email }]);
  const [event] = await shop.db.select().from(auditEvents).where(eq(auditEvents.subjectId, purchaseId));
  expect(event).toMatchObject({
    action: "purchase.sold-by-hand",
    details: { amountPaise: 35_000, way: "upi" },
  });
  // No gateway has its order.
  const { entries } = await getPurchaseTimeline(admin, { purchaseId });
  expect(entries.map(({ kind }) => kind)).not.toContain("order-created");
  await expect(askGateway(admin, { purchaseId })).rejects.toMatchObject({ code: "purchase-not-found" });
  // The audit log outlives the account.
  expect(JSON.stringify(event)).not.toContain("412355667788AB");
  // The buyer counts as a buyer who has paid.
  const network = { headers: new Headers(), ipAddress: "192.0.2.77" };
  await startCheckout({ ...buyer, browser: network }, { slug: (await shop.tool()).slug });
  expect((await shop.purchasesOf(buyer)).map(({ holdNetwork }) => holdNetwork)).toEqual([null, null]);
});

test("a sale is found by its reference, with and without UTR before it and in any case", async () => {
  const [bare, named] = [newReference(), newReference()];
  const tool = await shop.tool();
  const first = await sell(await shop.user(), tool, { reference: bare });
  const second = await sell(await shop.user(), tool, { reference: `Utr: ${named}`, way: "bank-transfer" });
  for (const [reference, { purchaseId }] of [
    [bare, first],
    [named, second],
  ] as const)
    for (const q of [
      reference,
      `UTR${reference}`,
      `utr ${reference}`,
      `UTR No. ${reference.slice(0, 4)}-${reference.slice(4)}`,
      ` ${reference.slice(0, 4)} ${reference.slice(4)}\u200b`,
    ])
      expect([q, (await listPurchases(admin, { q })).rows.map(({ id }) => id)]).toEqual([q, [purchaseId]]);
  // The same transfer, however it was copied.
  for (const typed of [`UTR: ${bare}`, `utr no. ${bare.slice(0, 4)}-${bare.slice(4)}`, `#${bare}.`])
    await expect(sell(await shop.user(), tool, { reference: typed })).rejects.toMatchObject({
      fields: { reference: ["A payment with this reference is recorded already."] },
    });
  for (const q of [bare.slice(0, -1), "UTR", "utr: "])
    expect([q, (await listPurchases(admin, { q })).rows]).toEqual([q, []]);
});

test("a sale by hand without an option has the tool's own days or those that are entered, and sends no mail unless asked for", async () => {
  const tool = await shop.tool({ validityDays: 12 });
  const [own, other] = [await shop.user(), await shop.user()];
  const first = await sell(own, tool, { way: "cash", reference: "" });
  const second = await sell(other, tool, { way: "cash", reference: "", validityDays: "90", amount: "100" });
  expect(await shop.purchasesOf(own)).toMatchObject([{ validityDays: 12, listPricePaise: 39_900 }]);
  expect(await shop.purchasesOf(other)).toMatchObject([{ validityDays: 90, listPricePaise: 10_000 }]);
  for (const { purchaseId } of [first, second])
    expect(await shop.db.$count(mailMessages, eq(mailMessages.purchaseId, purchaseId))).toBe(0);
});

test("a promised coupon counts as used, and one that is used up refuses the sale and changes nothing", async () => {
  const tool = await shop.tool();
  const { code, id } = await shop.coupon(tool.id, { usageLimit: 1 });
  const buyers = await Promise.all(Array.from({ length: 60 }, () => shop.user()));
  const ends = await codesOf(
    buyers.map((buyer) => sell(buyer, tool, { coupon: code.toLowerCase(), amount: "119" })),
  );
  expect(count(ends, "sold")).toBe(1);
  expect(count(ends, "coupon-used-up")).toBe(59);
  expect(await shop.stockOf(tool.id)).toBe(4);
  expect(await shop.db.$count(userPurchases, eq(userPurchases.toolId, tool.id))).toBe(1);
  const sold = await shop.db.select().from(userPurchases).where(eq(userPurchases.toolId, tool.id));
  expect(sold).toMatchObject([{ couponCode: code, discountPaise: 3_000, amountPaise: 11_900 }]);
  expect(await runAudit()).toEqual({});
  expect(id).toBeTruthy();
});

test("exactly one of sixty sales by hand at once with one reference is made", async () => {
  const tool = await shop.tool({ availableStock: 100 });
  const buyers = await Promise.all(Array.from({ length: 60 }, () => shop.user()));
  const reference = newReference();
  const ends = await codesOf(buyers.map((buyer) => sell(buyer, tool, { reference })));
  expect(count(ends, "sold")).toBe(1);
  expect(count(ends, "reference")).toBe(59);
  expect(await shop.stockOf(tool.id)).toBe(99);
  expect(await shop.db.$count(credits, eq(credits.reference, reference))).toBe(1);
  expect(await shop.db.$count(userPurchases, eq(userPurchases.toolId, tool.id))).toBe(1);
  const [late] = [await shop.user()];
  // The same number in another system is another payment.
  await sell(late, tool, { reference, way: "bank-transfer" });
});

test("exactly one of sixty sales by hand at once to one buyer is made, and one of sixty renewals", async () => {
  const tool = await shop.tool({ availableStock: 100 });
  const buyer = await shop.user();
  const sales = await codesOf(Array.from({ length: 60 }, () => sell(buyer, tool)));
  expect(count(sales, "sold")).toBe(1);
  expect(count(sales, "already-owned")).toBe(59);
  const renewals = await codesOf(Array.from({ length: 60 }, () => sell(buyer, tool, { renews: "true" })));
  expect(count(renewals, "sold")).toBe(1);
  expect(count(renewals, "renewal-waiting")).toBe(59);
  const [renewal, pass] = await shop.purchasesOf(buyer);
  expect([renewal, pass].map((one) => one?.isRenewal).sort()).toEqual([false, true]);
  const [early, late] = [renewal, pass].toSorted((a, b) => Number(a?.startsAt) - Number(b?.startsAt));
  expect(late?.startsAt).toEqual(early?.expiresAt);
  expect(await shop.stockOf(tool.id)).toBe(98);
  expect(await runAudit()).toEqual({});
});

test("sixty buyers of a tool with three units get three sales by hand", async () => {
  const tool = await shop.tool({ availableStock: 3 });
  const buyers = await Promise.all(Array.from({ length: 60 }, () => shop.user()));
  const ends = await codesOf(buyers.map((buyer) => sell(buyer, tool)));
  expect(count(ends, "sold")).toBe(3);
  expect(count(ends, "tool-out-of-stock")).toBe(57);
  expect(await shop.stockOf(tool.id)).toBe(0);
});

test("an open checkout is replaced by a sale by hand, its unit goes over, and a payment of it that arrives later is refunded", async () => {
  const tool = await shop.tool({ availableStock: 1 });
  const { code } = await shop.coupon(tool.id, { usageLimit: 1 });
  const buyer = await shop.user();
  const { gatewayOrderId } = await startPaidCheckout(buyer, { slug: tool.slug, coupon: code });
  expect(await shop.stockOf(tool.id)).toBe(0);
  const { purchaseId } = await sell(buyer, tool, { coupon: code, amount: "100" });
  expect(await shop.stockOf(tool.id)).toBe(0);
  await shop.payAtGateway(gatewayOrderId);
  expect(await settleOrder(shop.system(), { gatewayOrderId })).toMatchObject({ result: "refunded" });
  await processRefunds(shop.system());
  const purchases = await shop.purchasesOf(buyer);
  expect(purchases.find(({ id }) => id === purchaseId)).toMatchObject({
    status: "completed",
    endedAt: null,
  });
  expect(purchases.find(({ id }) => id !== purchaseId)).toMatchObject({ failedReason: "refunded" });
  expect(await shop.stockOf(tool.id)).toBe(0);
  expect(await runAudit()).toEqual({});
});

test("an open checkout that is paid during a sale by hand becomes one pass, and every payment is a pass or a refund", async () => {
  for (let round = 0; round < 10; round++) {
    const tool = await shop.tool({ availableStock: 2 });
    const buyer = await shop.user();
    const { gatewayOrderId } = await startPaidCheckout(buyer, { slug: tool.slug });
    await shop.payAtGateway(gatewayOrderId);
    await codesOf([sell(buyer, tool), settleOrder(shop.system(), { gatewayOrderId })]);
    await settleOrder(shop.system(), { gatewayOrderId });
    const passes = (await shop.purchasesOf(buyer)).filter(({ status }) => status === "completed");
    expect(passes).toHaveLength(1);
    expect(await shop.stockOf(tool.id)).toBe(1);
  }
  await processRefunds(shop.system());
  expect(await runAudit()).toEqual({});
});

test("a renewal by hand is refused without a running pass", async () => {
  const [buyer, tool] = [await shop.user(), await shop.tool()];
  await expect(sell(buyer, tool, { renews: "true" })).rejects.toMatchObject({
    code: "pass-not-changeable",
  });
  expect(await shop.stockOf(tool.id)).toBe(5);
});

test("a renewal by hand is refused for a pass without an end", async () => {
  const [buyer, tool] = [await shop.user(), await shop.tool()];
  const { purchaseId } = await assignTool(admin, { userId: buyer.actor.userId, toolId: tool.id });
  await shop.db
    .update(userPurchases)
    .set({ expiresAt: new Date("2099-12-31") })
    .where(eq(userPurchases.id, purchaseId));
  await expect(sell(buyer, tool, { renews: "true" })).rejects.toMatchObject({
    code: "pass-not-changeable",
  });
});

test("a renewal by hand follows a free pass too, and a pass of a tool that is sold in the chat only", async () => {
  const [buyer, tool] = [await shop.user(), await shop.tool({ contactOnly: true })];
  const { expiresAt } = await assignTool(admin, { userId: buyer.actor.userId, toolId: tool.id });
  await sell(buyer, tool, { renews: "true" });
  const starts = (await shop.purchasesOf(buyer)).map(({ startsAt }) => startsAt?.getTime());
  expect(starts).toContain(expiresAt.getTime());
  const { active } = await listMyPasses(buyer);
  expect(active).toMatchObject([{ contactOnly: true, amountPaise: 0, renewedUntil: expect.any(Date) }]);
});

describe("a refund of a sale by hand", () => {
  async function refundedSale() {
    const [buyer, tool] = [await shop.user(), await shop.tool()];
    const { purchaseId } = await sell(buyer, tool);
    expect(await describeCancellation(admin, { purchaseId })).toMatchObject({
      refundablePaise: 39_900,
      paidByHand: true,
    });
    expect(await cancelPurchase(admin, { purchaseId, refund: true })).toMatchObject({ byHand: true });
    const payoutId = (await moneyOf(purchaseId))?.payout?.id ?? "";
    return { buyer, tool, purchaseId, payoutId };
  }

  test("a refund of a sale by hand is promised until the owner enters how it was given back, no gateway gets it, and it is never overdue", async () => {
    const before = await revenue();
    const { buyer, tool, purchaseId, payoutId } = await refundedSale();
    expect(await shop.stockOf(tool.id)).toBe(5);
    expect(await moneyOf(purchaseId)).toMatchObject({
      attempt: { outcome: "refund" },
      refund: { status: "requested", amountPaise: 39_900, reason: "cancelled-and-given-back" },
      payout: { state: "promised", way: null },
    });
    await processRefunds(shop.system());
    shop.clock.advance(30 * DAY);
    expect(await runAudit()).toEqual({});
    const notices = await readPaymentNotices(admin);
    expect(notices.overdueRefunds).toEqual({ number: 0, paise: 0 });
    expect(notices.promisedPayouts.payouts).toContainEqual(
      expect.objectContaining({ id: payoutId, email: buyer.actor.email, amountPaise: 39_900 }),
    );
    expect((await revenue()).revenuePaise - before.revenuePaise).toBe(39_900);
    expect(await getMyPurchase(buyer, { purchaseId })).toMatchObject({ refunds: [{ status: "requested" }] });

    await recordPayout(admin, { payoutId, way: "upi", reference: "5566" });
    expect(await moneyOf(purchaseId)).toMatchObject({
      refund: { status: "processed" },
      payout: { state: "paid", way: "upi", reference: "5566" },
    });
    expect((await readPaymentNotices(admin)).promisedPayouts.payouts).not.toContainEqual(
      expect.objectContaining({ id: payoutId }),
    );
    const after = await revenue();
    expect(after.revenuePaise).toBe(before.revenuePaise);
    expect(after.ways).toEqual(before.ways);
    expect(await runAudit()).toEqual({});
  });

  test("a refund of a sale by hand is entered once by sixty parallel calls, and is promised once by sixty parallel cancellations", async () => {
    const [buyer, tool] = [await shop.user(), await shop.tool()];
    const { purchaseId } = await sell(buyer, tool);
    await Promise.all(Array.from({ length: 60 }, () => cancelPurchase(admin, { purchaseId, refund: true })));
    expect(
      await shop.db.$count(refunds, eq(refunds.attemptId, (await moneyOf(purchaseId))?.attempt.id ?? "")),
    ).toBe(1);
    expect(await shop.stockOf(tool.id)).toBe(5);
    const payoutId = (await moneyOf(purchaseId))?.payout?.id ?? "";
    const ends = await codesOf(
      Array.from({ length: 60 }, (_, at) =>
        recordPayout(admin, { payoutId, way: "cash", reference: `C${at}` }),
      ),
    );
    expect(count(ends, "sold")).toBe(1);
    expect(count(ends, "payment-already-handled")).toBe(59);
  });

  test("a refund of a sale by hand loses its references and names with the account, and the promise stays", async () => {
    const { buyer, purchaseId } = await refundedSale();
    const { openRefunds } = await listOpenRefunds(shop.db, buyer.actor.userId);
    expect(openRefunds).toMatchObject([{ amountPaise: 39_900, byHand: true }]);
    await deleteUser(admin, { userId: buyer.actor.userId });
    expect(await moneyOf(purchaseId)).toMatchObject({
      credit: { reference: null, payerName: null },
      payout: { state: "promised", reference: null },
    });
    const { promisedPayouts } = await readPaymentNotices(admin);
    expect(promisedPayouts.payouts.filter(({ email }) => email === null)).toHaveLength(1);
  });
});

test.each([
  ["amount", { amount: "0.99" }],
  ["amount", { amount: "" }],
  ["amount", { amount: "-5" }],
  ["reference", { reference: "" }],
  ["reference", { reference: "\u200b " }],
  ["reference", { way: "bank-transfer", reference: undefined }],
  ["reference", { reference: "x".repeat(65) }],
  ["way", { way: "cheque" }],
  ["validityDays", { validityDays: "0" }],
  ["option", { option: "Decade" }],
  ["coupon", { coupon: "x".repeat(300) }],
])("a sale by hand with the field %s of %j is refused, and nothing changes", async (field, more) => {
  const [buyer, tool] = [await shop.user(), await shop.tool({ pricingOptions: OPTIONS })];
  const error: unknown = await sell(buyer, tool, more).catch((refusal: unknown) => refusal);
  expect(error).toBeInstanceOf(InvalidInputError);
  expect(Object.keys(error instanceof InvalidInputError ? error.fields : {})).toEqual([field]);
  expect(await shop.purchasesOf(buyer)).toEqual([]);
  expect(await shop.stockOf(tool.id)).toBe(5);
});

test("only an admin with a recent password may record a sale or a payout", async () => {
  const [buyer, tool] = [await shop.user(), await shop.tool()];
  for (const [ctx, code] of [
    [shop.visitor(), "unauthenticated"],
    [buyer, "forbidden"],
    [withOldPassword(admin), "password-needed"],
    [shop.system(), "unauthenticated"],
  ] as const) {
    await expect(sell(buyer, tool, {}, ctx)).rejects.toMatchObject({ code });
    await expect(recordPayout(ctx, { payoutId: tool.id, way: "cash" })).rejects.toMatchObject({ code });
  }
});

test("a restored shop that is not confirmed records no sale and no payout", async () => {
  const [buyer, tool] = [await shop.user(), await shop.tool()];
  const now = shop.clock.now();
  await markRestored(shop.db, { backupAt: now, restoredAt: now });
  await expect(sell(buyer, tool)).rejects.toMatchObject({ code: "shop-not-confirmed" });
  await expect(recordPayout(admin, { payoutId: tool.id, way: "cash" })).rejects.toMatchObject({
    code: "shop-not-confirmed",
  });
  await shop.db.delete(settings).where(eq(settings.key, "restored-backup"));
  await expect(recordPayout(admin, { payoutId: tool.id, way: "cash" })).rejects.toMatchObject({
    code: "payment-not-found",
  });
});

test("a sale by hand is refused for a tool that is off, a closed account and a sold out tool", async () => {
  const tool = await shop.tool();
  await shop.db.update(toolRows).set({ isActive: false }).where(eq(toolRows.id, tool.id));
  await expect(sell(await shop.user(), tool)).rejects.toMatchObject({ code: "tool-not-found" });
  const other = await shop.tool({ availableStock: 0 });
  await expect(sell(await shop.user(), other)).rejects.toMatchObject({ code: "tool-out-of-stock" });
});
