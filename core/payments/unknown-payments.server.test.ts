import { eq, sql } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { authAccounts, users } from "#db/tables/accounts.ts";
import { tools } from "#db/tables/catalog.ts";
import { auditEvents, mailMessages } from "#db/tables/operations.ts";
import { credits, paymentAttempts, paymentOrders, payouts, unknownPayments } from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { inTransaction } from "#db/transaction.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { type FakeGatewayShop, startFakeGatewayShop } from "#tests/fixtures/fake-gateway-shop.ts";
import { startPaidCheckout, withOldPassword } from "#tests/fixtures/open-test-shop.ts";
import { markRestored, payAndLose } from "#tests/fixtures/restored-shop.ts";
import { deleteUser } from "../accounts/delete-account.server.ts";
import { confirmRestoredShop, readRestoredShop } from "../backups/restored-shop.server.ts";
import { sellByHand } from "../checkout/sell-by-hand.server.ts";
import type { Context } from "../context.ts";
import { assignTool } from "../passes/give-pass.server.ts";
import { listMyPasses } from "../passes/list-my-passes.server.ts";
import { listPurchases } from "../passes/list-purchases.server.ts";
import { auditLedger } from "../reports/audit-ledger.server.ts";
import { readDashboardStatistics } from "../reports/read-dashboard.server.ts";
import { DAY, HOUR, MINUTE } from "../time.ts";
import { cancelPurchase } from "./cancel-purchase.server.ts";
import { processRefunds } from "./process-refunds.server.ts";
import { readRestoredOrders } from "./read-restored-orders.server.ts";
import { reconcileOrders } from "./reconcile-orders.server.ts";
import { settleOrder } from "./settle-order.server.ts";
import { listUnknownPayments, refundUnknownPayment } from "./unknown-payments.server.ts";

let shop: FakeGatewayShop;
let admin: Context;
beforeAll(async () => {
  shop = await startFakeGatewayShop(await freshDatabase());
  admin = await shop.user("admin");
});
afterAll(() => shop.close());

/** Each test begins with a backup that was restored and confirmed, and with the orders before it out of sight. */
beforeEach(async () => {
  shop.clock.advance(3 * HOUR);
  await shop.db.delete(unknownPayments);
  shop.fake.faults.clear();
  shop.triggeredJobs.length = 0;
  await restore({ confirmed: true });
});

async function restore({ confirmed }: { confirmed: boolean }): Promise<void> {
  const now = shop.clock.now();
  await markRestored(shop.db, { backupAt: now, restoredAt: now, ...(confirmed && { confirmedAt: now }) });
}

/** A busy machine may make the gateway slow. */
const patient = (ctx: Context) => shop.contextFor(ctx.actor, "retry");
const system = () => shop.contextFor({ kind: "system" }, "retry");
const read = () => readRestoredOrders(system());

/** An order at the gateway that this shop has not made. @returns the gateway's id */
async function createOrder(receipt: string = uuidv7()): Promise<string> {
  const order = await system().ports.gateway?.createOrder({ receipt, amountPaise: 14_900, currency: "INR" });
  return order?.gatewayOrderId ?? "";
}

const stored = () => shop.db.select().from(unknownPayments);
const wasRead = async () => (await readRestoredShop(shop.db))?.ordersReadAt !== null;

async function onlyUnknown() {
  const [payment, ...others] = await stored();
  if (payment === undefined || others.length > 0) throw new Error("there is not exactly one unknown payment");
  return payment;
}

/** The sale to which a lost payment is assigned. */
const saleOf = (
  { buyer, tool, paymentId }: Awaited<ReturnType<typeof payAndLose>>,
  change: object = {},
): Parameters<typeof sellByHand>[1] => ({
  userId: buyer.actor.kind === "user" ? buyer.actor.userId : "",
  toolId: tool.id,
  validityDays: "30",
  amount: "149",
  way: "other",
  reference: paymentId,
  sendMail: "on",
  ...change,
});

/** A payment that the shop has lost and found again at the gateway. */
async function found(options: Parameters<typeof payAndLose>[1] = {}) {
  const lost = await payAndLose(shop, options);
  await read();
  const { id } = await onlyUnknown();
  const assign = (ctx: Context = admin, change: object = {}) => sellByHand(ctx, saleOf(lost, change));
  return { ...lost, id, assign, refund: (ctx: Context = admin) => refundUnknownPayment(ctx, { id }) };
}

test("a captured payment of an unknown order since the backup is stored with its order's notes, once", async () => {
  const { buyer, tool, paymentId, gatewayOrderId, purchaseId } = await payAndLose(shop);
  expect(await read()).toEqual({ found: 1 });
  const { userId } = (buyer as Context & { actor: { userId: string } }).actor;
  expect(await onlyUnknown()).toMatchObject({
    gateway: "razorpay",
    testMode: false,
    gatewayPaymentId: paymentId,
    gatewayOrderId,
    receipt: purchaseId,
    amountPaise: 14_900,
    currency: "INR",
    paidAt: shop.clock.now(),
    email: "buyer@example.com",
    phone: "+919900000000",
    toolSlug: tool.slug,
    buyerId: userId,
    validityDays: 30,
    state: "waiting",
  });
  expect(await wasRead()).toBe(true);
  const requests = shop.fake.faults.count("list-orders");
  expect(await read()).toEqual({ found: 0 });
  expect(shop.fake.faults.count("list-orders")).toBe(requests);
  // A second restore of the same backup reads them again.
  await restore({ confirmed: true });
  expect(await Promise.all([read(), read()])).toEqual([{ found: 0 }, { found: 0 }]);
  await onlyUnknown();
});

test("orders since the backup that are not paid, refunded, only authorised, older, or of another program are skipped", async () => {
  await createOrder();
  shop.fake.fail(await createOrder());
  shop.fake.authorize(await createOrder());
  shop.fake.refundAtGateway(shop.fake.pay(await createOrder()).razorpay_payment_id);
  shop.fake.pay(await createOrder("invoice-17"));
  shop.fake.pay(await createOrder());
  shop.clock.advance(HOUR + MINUTE);
  await restore({ confirmed: true });
  shop.fake.pay(await createOrder());
  expect(await read()).toEqual({ found: 1 });
  expect(await onlyUnknown()).toMatchObject({
    paidAt: shop.clock.now(),
    toolSlug: null,
    orderNumber: null,
  });
});

test("a payment within the hour before the backup is found", async () => {
  await payAndLose(shop);
  shop.clock.advance(HOUR - MINUTE);
  await restore({ confirmed: true });
  expect(await read()).toEqual({ found: 1 });
});

test("a known order since the backup is settled as usual", async () => {
  const buyer = await shop.user();
  const tool = await shop.tool();
  const { gatewayOrderId, purchaseId } = await startPaidCheckout(patient(buyer), { slug: tool.slug });
  shop.fake.pay(gatewayOrderId);
  // Given up, so that nobody but the list of orders names it.
  await shop.db
    .update(paymentOrders)
    .set({ state: "closed", nextPollAt: null })
    .where(eq(paymentOrders.purchaseId, purchaseId));
  expect(await read()).toEqual({ found: 0 });
  expect((await shop.purchasesOf(buyer))[0]?.status).toBe("completed");
  expect(await stored()).toEqual([]);
});

test("an order whose id was lost is found by its receipt and is not unknown", async () => {
  const buyer = await shop.user();
  const { gatewayOrderId, purchaseId } = await startPaidCheckout(patient(buyer), {
    slug: (await shop.tool()).slug,
  });
  shop.fake.pay(gatewayOrderId);
  await shop.db
    .update(paymentOrders)
    .set({ state: "creating", gatewayOrderId: null })
    .where(eq(paymentOrders.purchaseId, purchaseId));
  expect(await read()).toEqual({ found: 0 });
  expect((await shop.purchasesOf(buyer))[0]?.status).toBe("completed");
});

test.each([
  "list-orders",
  "order-payments",
] as const)("the reading of restored orders is repeated by the next run when the gateway does not answer %s", async (match) => {
  await payAndLose(shop);
  shop.fake.faults.add({ match, what: "status", status: 502 });
  expect(await read()).toEqual({ found: 0 });
  expect(await wasRead()).toBe(false);
  shop.fake.faults.clear();
  expect(await read()).toEqual({ found: 1 });
  expect(await wasRead()).toBe(true);
});

test("the orders since the backup are read before the confirmation, and once more after it", async () => {
  await payAndLose(shop);
  await restore({ confirmed: false });
  expect(await read()).toEqual({ found: 1 });
  // The old shop still sells.
  shop.fake.pay(await createOrder());
  expect(await read()).toEqual({ found: 0 });
  shop.clock.advance(MINUTE);
  await confirmRestoredShop(admin);
  expect(await read()).toEqual({ found: 1 });
  expect(await stored()).toHaveLength(2);
});

test.each([
  ["an hour", HOUR],
  ["a day", DAY],
  ["five days", 5 * DAY],
])("a payment that is captured later is found %s after the confirmation, once", async (_, ms) => {
  const order = await createOrder();
  const { razorpay_payment_id: paymentId } = shop.fake.authorize(order);
  expect(await read()).toEqual({ found: 0 });
  shop.fake.captureNow(paymentId);
  shop.clock.advance(ms - MINUTE);
  await read();
  await shop.db.delete(unknownPayments);
  expect(await read()).toEqual({ found: 0 });
  shop.clock.advance(MINUTE);
  expect(await read()).toEqual({ found: 1 });
  const requests = shop.fake.faults.count("list-orders");
  await read();
  expect(shop.fake.faults.count("list-orders")).toBe(requests);
});

test("orders that were created more than an hour after the confirmation are not asked for", async () => {
  await read();
  shop.clock.advance(2 * HOUR);
  shop.fake.pay(await createOrder());
  expect(await read()).toEqual({ found: 0 });
  expect((await readRestoredShop(shop.db))?.ordersReadAt).toEqual(shop.clock.now());
});

test("only the shop itself reads the orders since the backup", async () => {
  for (const ctx of [shop.visitor(), await shop.user(), admin])
    await expect(readRestoredOrders(ctx)).rejects.toMatchObject({ code: "forbidden" });
});

test("the list of unknown payments names the buyer and the tool of the notes", async () => {
  const { id, buyer, tool, paymentId } = await found();
  const list = await listUnknownPayments(admin);
  expect(list.total).toBe(1);
  expect(list.payments).toEqual([
    {
      id,
      gatewayPaymentId: paymentId,
      amountPaise: 14_900,
      orderAmountPaise: 14_900,
      paidAt: shop.clock.now(),
      email: "buyer@example.com",
      phone: "+919900000000",
      lastError: null,
      testMode: false,
      state: "waiting",
      references: [expect.stringMatching(/^UTR …\d{4}$/), "UPI …@sandbox"],
      suggested: {
        email: (buyer as Context & { actor: { email: string } }).actor.email,
        toolId: tool.id,
        toolName: tool.name,
        validityDays: 30,
      },
    },
  ]);
});

test("the list of unknown payments names the account of the payer's address without the buyer's, and no deleted tool", async () => {
  const { buyer, tool } = await found();
  await shop.db
    .delete(users)
    .where(eq(users.email, (buyer as Context & { actor: { email: string } }).actor.email));
  await shop.db.update(tools).set({ isActive: false }).where(eq(tools.id, tool.id));
  const payer = await shop.user();
  await shop.db.update(unknownPayments).set({ email: payer.actor.email.toUpperCase() });
  expect((await listUnknownPayments(admin)).payments[0]?.suggested).toEqual({
    email: payer.actor.email,
    toolId: null,
    toolName: null,
    validityDays: 30,
  });
  await deleteUser(admin, { userId: payer.actor.userId });
  expect((await listUnknownPayments(admin)).payments[0]).toMatchObject({ suggested: { email: null } });
});

test.each([
  ["waits for an admin", "waiting", true, true],
  ["is being refunded", "refunding", true, true],
  ["was refunded", "refunded", true, false],
  ["was refunded and has the unverified address of somebody else", "refunded", false, true],
] as const)("an unknown payment keeps only what is needed after the deletion of its payer when it %s", async (_, state, emailVerified, keeps) => {
  await found();
  const payer = await shop.user();
  const { userId, email } = payer.actor;
  await shop.db.update(users).set({ emailVerified }).where(eq(users.id, userId));
  await shop.db.update(unknownPayments).set({ email: email.toUpperCase(), state });
  await deleteUser(admin, { userId });
  expect(await onlyUnknown()).toMatchObject(
    keeps ? { email: email.toUpperCase(), phone: "+919900000000" } : { email: null, phone: null },
  );
});

test("a refunded unknown payment has no payer after the deletion of the buyer that the order names", async () => {
  const { buyer } = await found();
  const { userId } = (buyer as Context & { actor: { userId: string } }).actor;
  await shop.db.update(unknownPayments).set({ state: "refunded" });
  await deleteUser(admin, { userId });
  expect(await onlyUnknown()).toMatchObject({ email: null, phone: null });
});

test("a shop that takes real money lists no unknown test payment", async () => {
  await found();
  await shop.db.update(unknownPayments).set({ testMode: true });
  expect(await listUnknownPayments(admin)).toEqual({ payments: [], total: 0 });
});

test("only admins read the list of unknown payments", async () => {
  await expect(listUnknownPayments(shop.visitor())).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(listUnknownPayments(await shop.user())).rejects.toMatchObject({ code: "forbidden" });
});

const refundsAt = (orderId: string) => shop.fake.paymentsOf(orderId)[0]?.refunds ?? [];

test("parallel requests of two admins refund an unknown payment once, and it is audited once", async () => {
  const { id, refund, gatewayOrderId } = await found();
  const other = await shop.user("admin");
  const results = await Promise.allSettled([...Array(4)].flatMap(() => [refund(admin), refund(other)]));
  expect(results.filter(({ status }) => status === "fulfilled")).toEqual([
    { status: "fulfilled", value: { amountPaise: 14_900 } },
  ]);
  for (const result of results)
    if (result.status === "rejected")
      expect(result.reason).toMatchObject({ code: "payment-already-handled" });
  expect(shop.triggeredJobs).toEqual(["process-refunds"]);
  expect(await shop.auditsOf(id)).toMatchObject([{ action: "unknown-payment.refunded", actorKind: "admin" }]);
  await Promise.all([processRefunds(system()), processRefunds(system()), processRefunds(system())]);
  expect(refundsAt(gatewayOrderId)).toMatchObject([{ amountPaise: 14_900, status: "processed" }]);
  expect(await onlyUnknown()).toMatchObject({ state: "refunded", refundedPaise: 14_900 });
  expect((await listUnknownPayments(admin)).total).toBe(0);
});

test("a refund of an unknown payment whose answer was lost is sent again with its key, and the gateway refunds once", async () => {
  const { refund, gatewayOrderId } = await found();
  await refund();
  shop.fake.faults.add({ match: "refund", what: "drop-after" });
  expect(await processRefunds(shop.system())).toEqual({ processed: 0, unfinished: 1 });
  expect(await onlyUnknown()).toMatchObject({ state: "refunding", gatewayRefundId: null, tries: 1 });
  expect((await listUnknownPayments(admin)).payments[0]?.lastError).toContain("not answered");
  shop.fake.faults.clear();
  expect(await processRefunds(system())).toEqual({ processed: 0, unfinished: 0 });
  shop.clock.advance(MINUTE);
  expect(await processRefunds(system())).toEqual({ processed: 1, unfinished: 0 });
  const [made, ...others] = refundsAt(gatewayOrderId);
  expect(others).toEqual([]);
  // With another key the gateway would have refused the request, and named no refund.
  expect((await onlyUnknown()).gatewayRefundId).toBe(made?.refundId);
});

test("a refund of an unknown payment that fails at the bank waits for the admin again, who can refund it once more", async () => {
  const { refund, gatewayOrderId } = await found();
  shop.fake.holdRefunds(true);
  await refund();
  await processRefunds(system());
  const { idempotencyKey } = await onlyUnknown();
  const [pending] = refundsAt(gatewayOrderId);
  shop.fake.failRefund(pending?.refundId ?? "");
  shop.fake.holdRefunds(false);
  shop.clock.advance(MINUTE);
  await processRefunds(system());
  expect(await onlyUnknown()).toMatchObject({
    state: "waiting",
    lastError: "The payment provider could not pay it back.",
  });
  await refund();
  expect((await onlyUnknown()).idempotencyKey).not.toBe(idempotencyKey);
  await processRefunds(system());
  expect(await onlyUnknown()).toMatchObject({ state: "refunded", lastError: null });
  expect(refundsAt(gatewayOrderId).map(({ status }) => status)).toEqual(["failed", "processed"]);
});

test("the owner's refund of an unknown payment on the gateway's own pages is recorded and not made twice", async () => {
  const { refund, paymentId, gatewayOrderId } = await found();
  shop.fake.refundAtGateway(paymentId);
  await refund();
  await processRefunds(system());
  expect(await onlyUnknown()).toMatchObject({ state: "refunded" });
  expect(refundsAt(gatewayOrderId)).toHaveLength(1);
});

test("the remainder of an unknown payment is refunded after a part was refunded on the gateway's own pages", async () => {
  const { refund, paymentId, gatewayOrderId } = await found();
  shop.fake.refundAtGateway(paymentId, 5_000);
  await refund();
  await processRefunds(system());
  expect(await onlyUnknown()).toMatchObject({ state: "refunded" });
  expect(refundsAt(gatewayOrderId).map(({ amountPaise }) => amountPaise)).toEqual([5_000, 9_900]);
});

test("an assignment of an unknown payment takes over an account that nobody has confirmed, unless the order names it", async () => {
  const { assign } = await found();
  const stranger = await shop.user();
  const { userId } = stranger.actor;
  await shop.db
    .insert(authAccounts)
    .values({ userId, accountId: userId, providerId: "credential", password: "$x" });
  const event = {
    actorKind: "user",
    action: "account.signed-up",
    subjectType: "user",
    subjectId: userId,
  } as const;
  await shop.db.insert(auditEvents).values(event);
  const ways = () => shop.db.$count(authAccounts, eq(authAccounts.userId, userId));
  expect(await assign(admin, { userId })).toMatchObject({ isTakenOver: true });
  expect(await ways()).toBe(0);
  expect((await shop.auditsOf(userId)).map(({ action }) => action)).toContain("account.taken-over");
});

test("an assignment to the account that the order names keeps its password, confirmed or not", async () => {
  const { assign, buyer } = await found();
  const { userId } = (buyer as Context & { actor: { userId: string } }).actor;
  await shop.db
    .insert(authAccounts)
    .values({ userId, accountId: userId, providerId: "credential", password: "$x" });
  const event = {
    actorKind: "user",
    action: "account.signed-up",
    subjectType: "user",
    subjectId: userId,
  } as const;
  await shop.db.insert(auditEvents).values(event);
  expect(await assign()).toMatchObject({ isTakenOver: false });
  expect(await shop.db.$count(authAccounts, eq(authAccounts.userId, userId))).toBe(1);
});

test("an assignment of an unknown payment gives the buyer a pass and a receipt, is revenue, and leaves no discrepancy", async () => {
  const { id, assign, buyer, tool, purchaseId, paymentId, gatewayOrderId } = await found();
  const { orderNumber } = await onlyUnknown();
  expect(orderNumber).toMatch(/^[2-9A-Z]{8}$/);
  const before = await readDashboardStatistics(admin);
  const now = shop.clock.now();
  shop.clock.advance(10 * MINUTE);
  expect(await assign(admin, { validityDays: "7" })).toMatchObject({ purchaseId });
  const [purchase, ...others] = await shop.purchasesOf(buyer as Context & { actor: { userId: string } });
  expect(others).toEqual([]);
  expect(purchase).toMatchObject({
    id: purchaseId,
    orderNumber,
    status: "completed",
    source: "checkout",
    amountPaise: 14_900,
    discountPaise: 0,
    testMode: false,
    stockState: "used",
    validityDays: 7,
    createdAt: now,
    capturedAt: now,
    startsAt: shop.clock.now(),
  });
  expect((await listMyPasses(buyer)).active).toHaveLength(1);
  expect(await shop.stockOf(tool.id)).toBe(4);
  const mails = await shop.db.select().from(mailMessages).where(eq(mailMessages.purchaseId, purchaseId));
  expect(mails).toMatchObject([{ kind: "purchase-receipt", status: "queued" }]);
  expect(await onlyUnknown()).toMatchObject({ state: "assigned", purchaseId });
  expect(await shop.auditsOf(purchaseId)).toMatchObject([
    { action: "unknown-payment.assigned", actorKind: "admin", details: { paymentId } },
  ]);
  const after = await readDashboardStatistics(admin);
  expect(after.totalRevenuePaise - before.totalRevenuePaise).toBe(14_900);
  expect(shop.triggeredJobs.toSorted()).toEqual(["reconcile-orders", "send-mail"]);
  // The gateway's report about the order changes nothing.
  await reconcileOrders(system(), { all: false });
  const [order] = await shop.db.select().from(paymentOrders).where(eq(paymentOrders.purchaseId, purchaseId));
  expect(order).toMatchObject({ gatewayOrderId, state: "settled", polledAt: shop.clock.now() });
  const attempts = await shop.db
    .select()
    .from(paymentAttempts)
    .where(eq(paymentAttempts.orderId, order?.id ?? ""));
  expect(attempts).toMatchObject([{ gatewayPaymentId: paymentId, status: "captured", outcome: "pass" }]);
  expect(await shop.refundsOf(purchaseId)).toEqual([]);
  shop.clock.advance(HOUR);
  expect((await auditLedger(system())).counts).toEqual({});
  await expect(refundUnknownPayment(admin, { id })).rejects.toMatchObject({
    code: "payment-already-handled",
    details: { state: "assigned" },
  });
});

test("an assigned payment is found by its payer before and after its refund", async () => {
  const { refund, paymentId } = await found();
  const search = async () => (await listPurchases(admin, { q: "99000 00000" })).unknownPayments;
  expect(await search()).toMatchObject([{ gatewayPaymentId: paymentId, state: "waiting" }]);
  await refund();
  await processRefunds(system());
  expect(await search()).toMatchObject([{ gatewayPaymentId: paymentId, state: "refunded" }]);
});

test("only one of parallel assignments and refunds of an unknown payment by several admins is made", async () => {
  for (let round = 0; round < 3; round++) {
    await shop.db.delete(unknownPayments);
    await restore({ confirmed: true });
    const { assign, refund, tool, gatewayOrderId } = await found();
    const others = await Promise.all([shop.user(), shop.user()]);
    const [second, third] = await Promise.all([shop.user("admin"), shop.user("admin")]);
    const results = await Promise.allSettled([
      assign(admin),
      refund(second),
      assign(second, { userId: others[0]?.actor.userId }),
      assign(third, { userId: others[1]?.actor.userId }),
      refund(third),
      assign(admin),
    ]);
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const { state } = await onlyUnknown();
    await processRefunds(system());
    await reconcileOrders(system(), { all: false });
    const passes = await shop.db.$count(userPurchases, eq(userPurchases.toolId, tool.id));
    expect({ state, passes, refunds: refundsAt(gatewayOrderId).length }).toEqual(
      state === "assigned" ? { state, passes: 1, refunds: 0 } : { state: "refunding", passes: 0, refunds: 1 },
    );
    expect(await shop.stockOf(tool.id)).toBe(5 - passes);
    shop.clock.advance(3 * HOUR);
  }
});

test.each([
  ["refund", "assign"],
  ["assign", "refund"],
] as const)("the first of two decisions, a %s, excludes the %s of the same unknown payment", async (first, second) => {
  const { id, buyer, gatewayOrderId, ...ways } = await found();
  const waiting = async (number: number) => {
    const { rows } = await shop.db.execute(
      sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    expect(rows).toHaveLength(number);
  };
  const calls: Promise<unknown>[] = [];
  await inTransaction(shop.db, async (tx) => {
    await tx.select().from(unknownPayments).where(eq(unknownPayments.id, id)).for("update");
    for (const way of [first, second]) {
      calls.push(ways[way]());
      await vi.waitFor(() => waiting(calls.length));
    }
  });
  const state = first === "refund" ? "refunding" : "assigned";
  expect(await Promise.allSettled(calls)).toMatchObject([
    { status: "fulfilled" },
    { status: "rejected", reason: { code: "payment-already-handled", details: { state } } },
  ]);
  await processRefunds(system());
  await reconcileOrders(system(), { all: false });
  const person = buyer as Context & { actor: { userId: string } };
  expect((await shop.purchasesOf(person)).length + refundsAt(gatewayOrderId).length).toBe(1);
});

test("an assignment of an unknown payment makes no payment by hand, and a refund later goes through the gateway", async () => {
  const { assign, purchaseId, gatewayOrderId, paymentId } = await found();
  const byHand = async () => [
    await shop.db.$count(credits),
    await shop.db.$count(paymentOrders, eq(paymentOrders.gateway, "manual")),
    await shop.db.$count(payouts),
  ];
  const before = await byHand();
  await assign(admin, { payerName: "Asha", way: "upi" });
  await cancelPurchase(admin, { purchaseId, refund: true });
  await processRefunds(system());
  expect(refundsAt(gatewayOrderId)).toMatchObject([{ amountPaise: 14_900, status: "processed" }]);
  expect(await byHand()).toEqual(before);
  // Nor does one when the same reference is typed again.
  const stranger = await shop.user();
  await expect(assign(admin, { userId: stranger.actor.userId })).rejects.toMatchObject({
    code: "payment-already-handled",
  });
  expect([await byHand(), await shop.purchasesOf(stranger)]).toEqual([before, []]);
  shop.clock.advance(HOUR);
  expect((await auditLedger(system())).counts).toEqual({});
  expect(await onlyUnknown()).toMatchObject({ gatewayPaymentId: paymentId, state: "assigned", purchaseId });
});

test("the reference of an unknown payment is understood in any case and with what was copied along", async () => {
  const { assign, paymentId, purchaseId } = await found();
  const copied = ` ${paymentId.toUpperCase().replace("_", " ")}\u200b.`;
  expect(await assign(admin, { reference: copied })).toMatchObject({ purchaseId });
});

test.each([
  ["words", (id: string) => `Payment ID: ${id}`],
  ["a link to the gateway", (id: string) => `https://dashboard.razorpay.com/app/payments/${id}`],
])("the reference of an unknown payment may be the id with %s", async (_what, typed) => {
  const { assign, paymentId, purchaseId } = await found();
  expect(await assign(admin, { reference: typed(paymentId) })).toMatchObject({ purchaseId });
  expect(await shop.db.$count(credits)).toBe(0);
});

test("the id of a payment that pays another purchase is refused as a reference", async () => {
  const { assign, tool } = await found();
  const other = await shop.user();
  const { gatewayOrderId } = await startPaidCheckout(other, { slug: tool.slug });
  const { razorpay_payment_id: known } = shop.fake.pay(gatewayOrderId);
  await settleOrder(system(), { gatewayOrderId });
  await expect(assign(admin, { reference: `Payment ID: ${known}` })).rejects.toMatchObject({
    fields: { reference: ["A payment with this reference is recorded already."] },
  });
  expect(await shop.db.$count(credits)).toBe(0);
});

test("a payment that was recorded as a sale by hand before it was found is not listed", async () => {
  const lost = await payAndLose(shop);
  await sellByHand(admin, saleOf(lost, { reference: `Razorpay ${lost.paymentId}` }));
  expect(await read()).toEqual({ found: 0 });
  expect(await stored()).toEqual([]);
  await shop.db.delete(credits);
});

test("a buyer who has the tool gets a renewal for an unknown payment", async () => {
  const { assign, buyer, tool } = await found();
  const person = buyer as Context & { actor: { userId: string; email: string } };
  const { expiresAt } = await assignTool(admin, { userId: person.actor.userId, toolId: tool.id });
  await assign(admin, { renews: "true" });
  const renewal = (await shop.purchasesOf(person)).find(({ isRenewal }) => isRenewal);
  expect(renewal).toMatchObject({ source: "checkout", amountPaise: 14_900, startsAt: expiresAt });
});

test("the purchase of an assigned payment has its currency and its test mode", async () => {
  const { assign, purchaseId } = await found();
  await shop.db.update(unknownPayments).set({ testMode: true, currency: "USD" });
  await assign();
  const facts = { testMode: true, currency: "USD" };
  expect(await shop.db.select().from(userPurchases).where(eq(userPurchases.id, purchaseId))).toMatchObject([
    facts,
  ]);
  expect(
    await shop.db.select().from(paymentOrders).where(eq(paymentOrders.purchaseId, purchaseId)),
  ).toMatchObject([{ ...facts, amountPaise: 14_900 }]);
  await shop.db.delete(mailMessages).where(eq(mailMessages.purchaseId, purchaseId));
});

test("a coupon that was promised counts as used when an unknown payment is assigned", async () => {
  const { assign, tool, buyer } = await found();
  const { code } = await shop.coupon(tool.id, { usageLimit: 1 });
  await assign(admin, { coupon: code });
  expect(await shop.purchasesOf(buyer as Context & { actor: { userId: string } })).toMatchObject([
    { couponCode: code, amountPaise: 14_900 },
  ]);
  shop.clock.advance(HOUR);
  expect((await auditLedger(system())).counts).toEqual({});
});

test.each([
  ["a sold-out tool", { soldOut: true }, {}, "tool-out-of-stock"],
  ["a buyer who has the tool", { owned: true }, {}, "already-owned"],
  ["a deleted account", {}, { userId: uuidv7() }, "not-found"],
  ["an unknown tool", {}, { toolId: uuidv7() }, "tool-not-found"],
  ["no days", {}, { validityDays: "0" }, "invalid-input"],
  ["another amount", {}, { amount: "148.99" }, "invalid-input"],
  ["a renewal without a pass", {}, { renews: "true" }, "pass-not-changeable"],
] as const)("an assignment of an unknown payment with %s is refused, and nothing is changed", async (_, facts, change, code) => {
  const { assign, buyer, tool } = await found();
  const person = buyer as Context & { actor: { userId: string; email: string } };
  if ("soldOut" in facts) await shop.db.update(tools).set({ availableStock: 0 }).where(eq(tools.id, tool.id));
  if ("owned" in facts) await shop.pass(person, { toolId: tool.id, toolName: tool.name });
  const before = [
    await shop.purchasesOf(person),
    await shop.db.$count(auditEvents),
    await shop.stockOf(tool.id),
  ];
  await expect(assign(admin, change)).rejects.toMatchObject({ code });
  expect([
    await shop.purchasesOf(person),
    await shop.db.$count(auditEvents),
    await shop.stockOf(tool.id),
  ]).toEqual(before);
  expect(await onlyUnknown()).toMatchObject({ state: "waiting" });
});

test("a second payment of the same unknown order is refunded as one that was paid twice", async () => {
  const lost = await payAndLose(shop);
  const second = shop.fake.payAgain(lost.gatewayOrderId).razorpay_payment_id;
  await read();
  const first = (await stored()).find(({ gatewayPaymentId }) => gatewayPaymentId === lost.paymentId);
  expect(first).toMatchObject({ state: "waiting" });
  await sellByHand(admin, saleOf(lost));
  expect((await stored()).map(({ state }) => state)).toEqual(["assigned", "assigned"]);
  await reconcileOrders(system(), { all: false });
  await processRefunds(system());
  expect(await shop.refundsOf(lost.purchaseId)).toEqual([
    { status: "processed", amountPaise: 14_900, reason: "duplicate-payment" },
  ]);
  const refunded = shop.fake.paymentsOf(lost.gatewayOrderId).filter(({ refunds }) => refunds.length > 0);
  expect(refunded.map(({ paymentId }) => paymentId)).toEqual([second]);
});

test("an assigned payment that was refunded at the gateway meanwhile ends the pass at the next poll", async () => {
  const { assign, paymentId, purchaseId, tool } = await found();
  shop.fake.refundAtGateway(paymentId);
  await assign();
  await reconcileOrders(system(), { all: false });
  const [purchase] = await shop.db.select().from(userPurchases).where(eq(userPurchases.id, purchaseId));
  expect(purchase).toMatchObject({ endedReason: "refunded" });
  expect(await shop.stockOf(tool.id)).toBe(5);
});

test("a purchase with the id of the receipt stays, and the purchase of an assigned payment has another id", async () => {
  const { assign, purchaseId } = await found();
  const other = await shop.user();
  await shop.pass(other, { id: purchaseId, toolName: "Another" });
  const assigned = await assign();
  expect(assigned.purchaseId).not.toBe(purchaseId);
  expect((await shop.purchasesOf(other))[0]?.toolName).toBe("Another");
});

test("nobody refunds or assigns an unknown payment but an admin with a recent password, and only in a confirmed shop", async () => {
  const { assign, refund } = await found();
  for (const [ctx, code] of [
    [shop.visitor(), "unauthenticated"],
    [await shop.user(), "forbidden"],
    [withOldPassword(admin), "password-needed"],
  ] as const) {
    await expect(assign(ctx)).rejects.toMatchObject({ code });
    await expect(refund(ctx)).rejects.toMatchObject({ code });
  }
  await restore({ confirmed: false });
  await expect(assign()).rejects.toMatchObject({ code: "shop-not-confirmed" });
  await expect(refund()).rejects.toMatchObject({ code: "shop-not-confirmed" });
  expect(await onlyUnknown()).toMatchObject({ state: "waiting" });
});
