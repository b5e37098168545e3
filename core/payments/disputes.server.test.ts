import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mailMessages, settings } from "#db/tables/operations.ts";
import {
  paymentAttempts,
  paymentDisputes,
  refunds,
  unknownPayments,
  webhookEvents,
} from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { buyInLiveMode } from "#tests/fixtures/buy-in-live-mode.ts";
import { type FakeGatewayShop, startFakeGatewayShop } from "#tests/fixtures/fake-gateway-shop.ts";
import { markRestored, payAndLose } from "#tests/fixtures/restored-shop.ts";
import { deleteUser } from "../accounts/delete-account.server.ts";
import { getPurchaseTimeline } from "../passes/get-purchase-timeline.server.ts";
import { listMyPasses } from "../passes/list-my-passes.server.ts";
import { getMyPurchase } from "../passes/list-my-purchases.server.ts";
import { auditLedger } from "../reports/audit-ledger.server.ts";
import { readPaymentNotices } from "../reports/read-payment-notices.server.ts";
import { DAY, HOUR, MINUTE } from "../time.ts";
import { cancelPurchase, describeCancellation } from "./cancel-purchase.server.ts";
import { processRefunds } from "./process-refunds.server.ts";
import { readDisputes } from "./read-disputes.server.ts";
import { readRestoredOrders } from "./read-restored-orders.server.ts";
import { refundUnknownPayment } from "./unknown-payments.server.ts";
import { processWebhookEvents, receiveWebhookEvent } from "./webhook-events.server.ts";

let shop: FakeGatewayShop;
beforeAll(async () => {
  shop = await startFakeGatewayShop(await freshDatabase());
});
afterAll(() => shop.close());

const system = () => shop.contextFor({ kind: "system" }, "retry");

/** All webhooks arrive, each twice, the newest first. */
async function hear(): Promise<void> {
  const events = shop.fake.webhooks.events().toReversed();
  for (const { id, rawBody, signature } of [...events, ...events])
    await receiveWebhookEvent(system(), { rawBody, signature, eventId: id });
  await processWebhookEvents(system());
}

/** No webhook arrives; the daily job reads. */
async function readDaily(): Promise<void> {
  shop.clock.advance(DAY);
  await readDisputes(system());
}

const disputeOf = async (disputeId: string) =>
  (await shop.db.select().from(paymentDisputes).where(eq(paymentDisputes.gatewayDisputeId, disputeId)))[0];
const paymentOf = async (paymentId: string) =>
  (await shop.db.select().from(paymentAttempts).where(eq(paymentAttempts.gatewayPaymentId, paymentId)))[0];
const refundOf = async (paymentId: string) => {
  const [row] = await shop.db
    .select({ refund: refunds })
    .from(refunds)
    .innerJoin(paymentAttempts, eq(paymentAttempts.id, refunds.attemptId))
    .where(eq(paymentAttempts.gatewayPaymentId, paymentId));
  return row?.refund;
};
const purchaseOf = async (id: string) =>
  (await shop.db.select().from(userPurchases).where(eq(userPurchases.id, id)))[0];
const mailsOf = (kind: string, recipient: string) =>
  shop.db
    .select()
    .from(mailMessages)
    .where(and(eq(mailMessages.kind, kind), eq(mailMessages.recipient, recipient)));
const counts = async () => (await auditLedger(system())).counts;

type Bought = Awaited<ReturnType<typeof buyInLiveMode>>;

const bought = () => buyInLiveMode(shop, "retry");
const emailOf = ({ buyer }: Bought) => `${buyer.userId}@example.com`;
const adminEmailOf = ({ model }: Bought) =>
  model.admin.actor.kind === "admin" ? model.admin.actor.email : "";

async function cancelWithRefund({ model, purchaseId }: Bought): Promise<void> {
  await cancelPurchase(model.admin, { purchaseId, reason: "Broken", refund: true });
}

test("an open dispute is stored as reported, mailed to the owner once with reason, amount and last day, and shown", async () => {
  const sale = await bought();
  const { disputeId } = shop.fake.openDispute(sale.paymentId, { amountPaise: 5_000, phase: "retrieval" });
  await hear();
  await hear();
  await readDaily();
  expect(await disputeOf(disputeId)).toMatchObject({
    gateway: "razorpay",
    gatewayPaymentId: sale.paymentId,
    amountPaise: 5_000,
    deductedPaise: 0,
    currency: "INR",
    phase: "retrieval",
    status: "open",
    reason: "The buyer says that nothing was delivered.",
  });
  const mails = await mailsOf("dispute-opened", adminEmailOf(sale));
  expect(mails).toHaveLength(1);
  expect(JSON.parse(mails[0]?.text ?? "")).toMatchObject({
    toolName: sale.tool.name,
    amountPaise: 5_000,
    reason: "The buyer says that nothing was delivered.",
    respondBy: expect.stringMatching(/^\d\d\/\d\d\/\d\d, \d\d:\d\d$/),
    mustRefund: false,
  });
  const { disputes } = await readPaymentNotices(sale.model.admin);
  const own = disputes.disputes.find(({ gatewayPaymentId }) => gatewayPaymentId === sale.paymentId);
  expect(own).toMatchObject({ status: "open", mustRefund: false, purchase: { id: sale.purchaseId } });
  const { entries } = await getPurchaseTimeline(sale.model.admin, { purchaseId: sale.purchaseId });
  expect(entries.find(({ kind }) => kind === "dispute-opened")).toMatchObject({
    disputeId,
    amountPaise: 5_000,
  });
  // It changes nothing else.
  expect(await sale.hasPass()).toBe(true);
  expect(await sale.earned()).toBe(14_900);
  expect(await counts()).toEqual({});
});

test("a dispute that the bank opens again after a review is reported again", async () => {
  const sale = await bought();
  const { disputeId } = shop.fake.openDispute(sale.paymentId);
  await hear();
  shop.fake.moveDispute(disputeId, "under_review");
  await hear();
  expect((await disputeOf(disputeId))?.status).toBe("under_review");
  shop.fake.moveDispute(disputeId, "open");
  await hear();
  expect((await disputeOf(disputeId))?.status).toBe("open");
  expect(await mailsOf("dispute-opened", adminEmailOf(sale))).toHaveLength(3);
});

test("an open dispute refuses a cancellation with a refund and changes nothing; without a refund it is possible", async () => {
  const sale = await bought();
  const { model, purchaseId } = sale;
  const { disputeId } = shop.fake.openDispute(sale.paymentId);
  await readDaily();
  expect((await describeCancellation(model.admin, { purchaseId })).dispute).toBe("open");
  await expect(cancelWithRefund(sale)).rejects.toMatchObject({ code: "payment-disputed" });
  expect(await sale.hasPass()).toBe(true);
  expect(await refundOf(sale.paymentId)).toBeUndefined();
  await cancelPurchase(model.admin, { purchaseId, reason: "A thief", refund: false });
  expect(await sale.hasPass()).toBe(false);
  // The shop kept the money, and loses it now.
  shop.fake.moveDispute(disputeId, "lost");
  await hear();
  expect(await paymentOf(sale.paymentId)).toMatchObject({ outcome: "chargeback", lostPaise: 14_900 });
  expect((await purchaseOf(purchaseId))?.endedReason).toBe("cancelled");
  expect(await counts()).toEqual({});
});

test("a dispute in the phase fraud asks for a refund, which is sent, and is then done", async () => {
  const sale = await bought();
  const { model, purchaseId, paymentId } = sale;
  const { disputeId } = shop.fake.openDispute(paymentId, { phase: "fraud" });
  await hear();
  const shown = async () =>
    (await readPaymentNotices(model.admin)).disputes.disputes.find(
      (one) => one.gatewayPaymentId === paymentId,
    );
  expect(await shown()).toMatchObject({ mustRefund: true });
  expect((await describeCancellation(model.admin, { purchaseId })).dispute).toBe("must-refund");
  // The gateway takes no money, also when it is lost.
  shop.fake.moveDispute(disputeId, "lost");
  await hear();
  expect(await paymentOf(paymentId)).toMatchObject({ outcome: "pass", lostPaise: 0 });
  expect(await shown()).toMatchObject({ mustRefund: true });
  await cancelWithRefund(sale);
  await processRefunds(system());
  expect(sale.refundedPaise()).toBe(14_900);
  expect(await shown()).toBeUndefined();
  expect(await counts()).toEqual({});
});

describe("a refund", () => {
  /** The buyer pays twice, and the second payment is disputed before the shop hears of it. */
  async function disputedTwin() {
    const sale = await bought();
    const paymentId = shop.fake.payAgain(sale.gatewayOrderId).razorpay_payment_id;
    const { disputeId } = shop.fake.openDispute(paymentId);
    await hear();
    await processRefunds(system());
    const refundedPaise = () =>
      shop.fake.paymentsOf(sale.gatewayOrderId).find((one) => one.paymentId === paymentId)?.refundedPaise;
    return { ...sale, paymentId, disputeId, refundedPaise };
  }

  test("a refund that settling decides is held while a dispute is open, counts as no problem, and is sent once it is won", async () => {
    const { paymentId, disputeId, refundedPaise, model, buyer, purchaseId } = await disputedTwin();
    expect(await paymentOf(paymentId)).toMatchObject({ outcome: "refund" });
    // The buyer does not read that it has started.
    const seen = async () => (await getMyPurchase(buyer.ctx, { purchaseId })).refunds[0]?.status;
    expect(await seen()).toBe("held");
    const { active } = await listMyPasses(buyer.ctx);
    expect(active.find(({ id }) => id === purchaseId)?.refunds).toMatchObject([{ status: "held" }]);
    shop.clock.advance(3 * DAY);
    await processRefunds(system());
    expect(await refundOf(paymentId)).toMatchObject({ status: "requested", tries: 0 });
    expect(refundedPaise()).toBe(0);
    expect(await counts()).toEqual({});
    expect((await readPaymentNotices(model.admin)).overdueRefunds.number).toBe(0);
    shop.triggeredJobs.length = 0;
    shop.fake.moveDispute(disputeId, "won");
    await hear();
    expect(shop.triggeredJobs).toContain("process-refunds");
    expect(await counts()).toEqual({});
    await processRefunds(system());
    expect(refundedPaise()).toBe(14_900);
    expect(await refundOf(paymentId)).toMatchObject({ status: "processed" });
    expect(await seen()).toBe("processed");
  });

  test("a refund of a payment that was disputed before the shop hears of it is mailed as held", async () => {
    const sale = await bought();
    const paymentId = shop.fake.payAgain(sale.gatewayOrderId).razorpay_payment_id;
    const { disputeId } = shop.fake.openDispute(paymentId);
    await readDaily();
    await hear();
    const [mail] = await mailsOf("payment-refunded", emailOf(sale));
    expect(JSON.parse(mail?.text ?? "")).toMatchObject({ isHeld: true });
    shop.fake.moveDispute(disputeId, "won");
    await hear();
    await processRefunds(system());
  });

  test("a refund that has waited for hours after a failed try is sent at once when the dispute is closed", async () => {
    const sale = await bought();
    await cancelWithRefund(sale);
    shop.fake.faults.add({ match: "refund", what: "status", status: 400, times: 1 });
    await processRefunds(system());
    expect(await refundOf(sale.paymentId)).toMatchObject({ status: "requested", tries: 1 });
    const { disputeId } = shop.fake.openDispute(sale.paymentId);
    await hear();
    shop.clock.advance(2 * HOUR);
    await processRefunds(system());
    expect(sale.refundedPaise()).toBe(0);
    shop.fake.moveDispute(disputeId, "closed");
    await hear();
    await processRefunds(system());
    expect(sale.refundedPaise()).toBe(14_900);
  });

  test("a refund that was held ends with the loss of the dispute: the outcome is chargeback, and nothing is sent", async () => {
    const sale = await disputedTwin();
    const { paymentId, disputeId, refundedPaise } = sale;
    shop.fake.moveDispute(disputeId, "lost");
    await hear();
    expect(await processRefunds(system())).toMatchObject({ processed: 0 });
    expect(await paymentOf(paymentId)).toMatchObject({ outcome: "chargeback", lostPaise: 14_900 });
    expect(await refundOf(paymentId)).toMatchObject({ status: "charged-back" });
    expect(refundedPaise()).toBe(0);
    // The first payment still pays for the pass.
    expect(await sale.hasPass()).toBe(true);
    expect(await sale.earned()).toBe(14_900);
    expect(await counts()).toEqual({});
  });

  test("a refund that may have been sent is looked up after a lost dispute, and stays a refund when it was made", async () => {
    const sale = await bought();
    await cancelWithRefund(sale);
    // The gateway makes it, and its response is lost.
    shop.fake.faults.add({ match: "refund", what: "drop-after", times: 3 });
    await processRefunds(system());
    expect(await refundOf(sale.paymentId)).toMatchObject({ status: "requested" });
    shop.fake.faults.clear();
    shop.fake.moveDispute(shop.fake.openDispute(sale.paymentId).disputeId, "lost");
    await hear();
    shop.clock.advance(HOUR);
    await processRefunds(system());
    expect(await refundOf(sale.paymentId)).toMatchObject({ status: "processed" });
    expect(await paymentOf(sale.paymentId)).toMatchObject({ outcome: "refund", lostPaise: 14_900 });
    expect(await counts()).toEqual({});
  });

  test("a refund that was made before stays, the second loss is shown, and the revenue is not below zero", async () => {
    const sale = await bought();
    const { model, purchaseId, paymentId } = sale;
    await cancelWithRefund(sale);
    await processRefunds(system());
    shop.fake.moveDispute(shop.fake.openDispute(paymentId).disputeId, "lost");
    await readDaily();
    await processRefunds(system());
    expect(await paymentOf(paymentId)).toMatchObject({ outcome: "refund", lostPaise: 14_900 });
    expect(await sale.earned()).toBe(0);
    const { disputes } = await readPaymentNotices(model.admin);
    expect(disputes.disputes.find((one) => one.gatewayPaymentId === paymentId)?.isLostTwice).toBe(true);
    const { entries } = await getPurchaseTimeline(model.admin, { purchaseId });
    expect(entries.find(({ kind }) => kind === "dispute-updated")).toMatchObject({ isSecondLoss: true });
    expect(await counts()).toEqual({});
  });

  test("a refund that failed at the bank is not owed any more after a lost dispute", async () => {
    const sale = await bought();
    shop.fake.holdRefunds(true);
    await cancelWithRefund(sale);
    await processRefunds(system());
    shop.fake.holdRefunds(false);
    shop.fake.failRefund(shop.fake.paymentsOf(sale.gatewayOrderId)[0]?.refunds[0]?.refundId ?? "");
    shop.clock.advance(HOUR);
    await processRefunds(system());
    expect(await refundOf(sale.paymentId)).toMatchObject({ status: "failed" });
    shop.fake.moveDispute(shop.fake.openDispute(sale.paymentId).disputeId, "lost");
    await hear();
    shop.clock.advance(HOUR);
    await processRefunds(system());
    expect(await refundOf(sale.paymentId)).toMatchObject({ status: "charged-back" });
    expect(await paymentOf(sale.paymentId)).toMatchObject({ outcome: "chargeback" });
    expect(await counts()).toEqual({});
  });
});

test("a lost dispute of the whole payment ends the pass and keeps its unit, takes the revenue and tells the buyer once", async () => {
  const sale = await bought();
  const { model, buyer, purchaseId, paymentId, tool } = sale;
  const stock = await shop.stockOf(tool.id);
  const { disputeId } = shop.fake.openDispute(paymentId);
  shop.fake.moveDispute(disputeId, "lost");
  await hear();
  await readDaily();
  await sale.settle();
  expect(await disputeOf(disputeId)).toMatchObject({ status: "lost", deductedPaise: 14_900 });
  expect(await paymentOf(paymentId)).toMatchObject({ outcome: "chargeback", lostPaise: 14_900 });
  expect(await purchaseOf(purchaseId)).toMatchObject({ endedReason: "charged-back", stockState: "used" });
  expect(await sale.hasPass()).toBe(false);
  expect(await shop.stockOf(tool.id)).toBe(stock);
  expect(await sale.earned()).toBe(0);
  const mails = await mailsOf("payment-charged-back", emailOf(sale));
  expect(mails).toHaveLength(1);
  expect(JSON.parse(mails[0]?.text ?? "")).toMatchObject({ toolName: tool.name, amountPaise: 14_900 });
  expect(await getMyPurchase(buyer.ctx, { purchaseId })).toMatchObject({
    status: "charged-back",
    refunds: [{ status: "charged-back", amountPaise: 14_900 }],
  });
  const { entries } = await getPurchaseTimeline(model.admin, { purchaseId });
  expect(entries.map(({ kind }) => kind)).toContain("dispute-updated");
  expect(entries.find(({ kind }) => kind === "purchase-ended")).toMatchObject({ reason: "charged-back" });
  const audits = await shop.auditsOf(purchaseId);
  expect(audits.filter(({ action }) => action === "payment.charged-back")).toHaveLength(1);
  // Nothing is left to refund.
  const again = await cancelPurchase(model.admin, { purchaseId, reason: "Broken", refund: true });
  expect(again).toEqual({ refundedPaise: 0, byHand: false, alreadyEnded: "ended" });
  expect(await counts()).toEqual({});
});

test("a lost dispute of a part reduces the revenue only, and a later refund gives back the rest", async () => {
  const sale = await bought();
  shop.fake.moveDispute(shop.fake.openDispute(sale.paymentId, { amountPaise: 4_000 }).disputeId, "lost");
  await readDaily();
  expect(await sale.hasPass()).toBe(true);
  expect(await sale.earned()).toBe(10_900);
  expect(await mailsOf("payment-charged-back", emailOf(sale))).toEqual([]);
  const { model, purchaseId } = sale;
  expect((await describeCancellation(model.admin, { purchaseId })).refundablePaise).toBe(10_900);
  const cancelled = await cancelPurchase(model.admin, { purchaseId, reason: "Broken", refund: true });
  expect(cancelled.refundedPaise).toBe(10_900);
  await processRefunds(system());
  await sale.settle();
  await processRefunds(system());
  expect(sale.refundedPaise()).toBe(10_900);
  expect(await sale.earned()).toBe(0);
  expect(await refundOf(sale.paymentId)).toMatchObject({ status: "processed", amountPaise: 10_900 });
  expect(await counts()).toEqual({});
});

test("a lost dispute of a part, beside a partial refund on the gateway's pages, leaves exactly the rest", async () => {
  const sale = await bought();
  shop.fake.refundAtGateway(sale.paymentId, 1_000);
  await sale.settle();
  shop.fake.moveDispute(shop.fake.openDispute(sale.paymentId, { amountPaise: 5_000 }).disputeId, "lost");
  await readDaily();
  await cancelWithRefund(sale);
  await processRefunds(system());
  await sale.settle();
  expect(sale.refundedPaise()).toBe(9_900);
  expect(await sale.earned()).toBe(0);
  expect(await counts()).toEqual({});
});

test("a lost dispute of a part reduces a refund that was held", async () => {
  const sale = await bought();
  await cancelWithRefund(sale);
  const { disputeId } = shop.fake.openDispute(sale.paymentId, { amountPaise: 4_000 });
  await readDaily();
  await processRefunds(system());
  expect(sale.refundedPaise()).toBe(0);
  shop.fake.moveDispute(disputeId, "lost");
  await hear();
  await processRefunds(system());
  expect(sale.refundedPaise()).toBe(10_900);
  expect(await counts()).toEqual({});
});

test("a lost dispute of a part leaves a refund that the gateway has begun as it was asked for; when it fails, the rest is owed", async () => {
  const sale = await bought();
  shop.fake.holdRefunds(true);
  await cancelWithRefund(sale);
  await processRefunds(system());
  shop.fake.holdRefunds(false);
  const { disputeId } = shop.fake.openDispute(sale.paymentId, { amountPaise: 4_000 });
  shop.fake.moveDispute(disputeId, "lost");
  await hear();
  expect(await paymentOf(sale.paymentId)).toMatchObject({ lostPaise: 4_000 });
  expect(await refundOf(sale.paymentId)).toMatchObject({ status: "processing", amountPaise: 14_900 });
  shop.fake.failRefund(shop.fake.paymentsOf(sale.gatewayOrderId)[0]?.refunds[0]?.refundId ?? "");
  shop.clock.advance(HOUR);
  await processRefunds(system());
  expect(await refundOf(sale.paymentId)).toMatchObject({ status: "failed", amountPaise: 10_900 });
  shop.fake.refundAtGateway(sale.paymentId, 10_900);
  await sale.settle();
  expect(await refundOf(sale.paymentId)).toMatchObject({ status: "processed" });
  expect(await counts()).toEqual({});
});

test("a lost dispute of a part ends the pass when the rest is refunded on the gateway's pages", async () => {
  const sale = await bought();
  shop.fake.moveDispute(shop.fake.openDispute(sale.paymentId, { amountPaise: 5_000 }).disputeId, "lost");
  await readDaily();
  shop.fake.refundAtGateway(sale.paymentId, 9_900);
  await sale.settle();
  expect(await paymentOf(sale.paymentId)).toMatchObject({ outcome: "chargeback", refundedPaise: 9_900 });
  expect(await sale.hasPass()).toBe(false);
  expect(await sale.earned()).toBe(0);
  expect(await mailsOf("payment-charged-back", emailOf(sale))).toHaveLength(1);
  expect(await counts()).toEqual({});
});

test("a lost dispute of a part, and a refund of the rest whose response is lost, stay a refund", async () => {
  const sale = await bought();
  shop.fake.moveDispute(shop.fake.openDispute(sale.paymentId, { amountPaise: 5_000 }).disputeId, "lost");
  await readDaily();
  await cancelWithRefund(sale);
  shop.fake.faults.add({ match: "refund", what: "drop-after", times: 3 });
  await processRefunds(system());
  shop.fake.faults.clear();
  expect(sale.refundedPaise()).toBe(9_900);
  await sale.settle();
  shop.clock.advance(HOUR);
  await processRefunds(system());
  expect(await refundOf(sale.paymentId)).toMatchObject({ status: "processed", amountPaise: 9_900 });
  expect(await paymentOf(sale.paymentId)).toMatchObject({ outcome: "refund", lostPaise: 5_000 });
  expect(await mailsOf("payment-charged-back", emailOf(sale))).toEqual([]);
  expect(await counts()).toEqual({});
});

test("several lost disputes of one phase add up to the whole payment", async () => {
  const sale = await bought();
  for (const amountPaise of [4_900, 10_000])
    shop.fake.moveDispute(shop.fake.openDispute(sale.paymentId, { amountPaise }).disputeId, "lost");
  await hear();
  expect(await paymentOf(sale.paymentId)).toMatchObject({ outcome: "chargeback", lostPaise: 14_900 });
  expect(await sale.hasPass()).toBe(false);
});

test("a lost dispute stays lost when an older response arrives after it", async () => {
  const sale = await bought();
  const { disputeId } = shop.fake.openDispute(sale.paymentId);
  shop.fake.faults.add({ match: "dispute", what: "gate", gate: "slow", after: true, times: 1 });
  const slow = hear();
  await shop.fake.faults.waitFor("dispute", { until: "processed" });
  shop.fake.moveDispute(disputeId, "lost");
  await readDaily();
  shop.fake.faults.release("slow");
  await slow;
  expect((await disputeOf(disputeId))?.status).toBe("lost");
  expect(await mailsOf("dispute-opened", adminEmailOf(sale))).toEqual([]);
});

test("a lost dispute of a deleted buyer sends no mail, and keeps no words of the gateway", async () => {
  const sale = await bought();
  const { disputeId } = shop.fake.openDispute(sale.paymentId);
  await hear();
  await deleteUser(sale.model.admin, { userId: sale.buyer.userId });
  expect((await disputeOf(disputeId))?.reason).toBeNull();
  const later = shop.fake.openDispute(sale.paymentId, { amountPaise: 100 }).disputeId;
  shop.fake.moveDispute(disputeId, "lost");
  await readDaily();
  expect((await disputeOf(later))?.reason).toBeNull();
  expect(await paymentOf(sale.paymentId)).toMatchObject({ outcome: "chargeback" });
  expect(await mailsOf("payment-charged-back", emailOf(sale))).toEqual([]);
  const events = await shop.db
    .select()
    .from(webhookEvents)
    .where(eq(webhookEvents.gatewayPaymentId, sale.paymentId));
  expect(events.map(({ payload }) => payload).join("")).toBe("");
  expect(await counts()).toEqual({});
});

test("the dispute of a payment that the shop does not know is stored, mailed and shown", async () => {
  const sale = await bought();
  const order = await system().ports.gateway?.createOrder({
    receipt: "invoice-18",
    amountPaise: 9_900,
    currency: "INR",
  });
  const paymentId = shop.fake.pay(order?.gatewayOrderId ?? "").razorpay_payment_id;
  const { disputeId } = shop.fake.openDispute(paymentId);
  await hear();
  expect(await disputeOf(disputeId)).toMatchObject({ gatewayPaymentId: paymentId, status: "open" });
  const mails = await mailsOf("dispute-opened", adminEmailOf(sale));
  expect(JSON.parse(mails[0]?.text ?? "")).toMatchObject({ toolName: null, paymentId });
  const { disputes } = await readPaymentNotices(sale.model.admin);
  expect(disputes.disputes.find((one) => one.gatewayPaymentId === paymentId)?.purchase).toBeNull();
});

test("an unknown payment of a restored shop is not refunded while it is disputed, and is closed when the dispute is lost", async () => {
  const now = shop.clock.now();
  await markRestored(shop.db, { backupAt: now, restoredAt: now, confirmedAt: now });
  const { paymentId } = await payAndLose(shop);
  await readRestoredOrders(system());
  const stored = async () =>
    (await shop.db.select().from(unknownPayments).where(eq(unknownPayments.gatewayPaymentId, paymentId)))[0];
  const { disputeId } = shop.fake.openDispute(paymentId);
  await readDaily();
  const admin = await shop.user("admin");
  const refund = async () => refundUnknownPayment(admin, { id: (await stored())?.id ?? "" });
  await expect(refund()).rejects.toMatchObject({ code: "payment-disputed" });
  expect((await stored())?.state).toBe("waiting");
  shop.fake.moveDispute(disputeId, "lost");
  await readDaily();
  expect((await stored())?.state).toBe("charged-back");
  await expect(refund()).rejects.toMatchObject({ code: "payment-already-handled" });
});

test("an unknown payment whose refund waits is not refunded while a dispute is open, nor after its loss", async () => {
  shop.clock.advance(DAY);
  const now = shop.clock.now();
  await markRestored(shop.db, { backupAt: now, restoredAt: now, confirmedAt: now });
  const { paymentId, gatewayOrderId } = await payAndLose(shop);
  await readRestoredOrders(system());
  const isIt = eq(unknownPayments.gatewayPaymentId, paymentId);
  const [payment] = await shop.db.select().from(unknownPayments).where(isIt);
  await refundUnknownPayment(await shop.user("admin"), { id: payment?.id ?? "" });
  const { disputeId } = shop.fake.openDispute(paymentId);
  await hear();
  await processRefunds(system());
  shop.fake.moveDispute(disputeId, "lost");
  await hear();
  await processRefunds(system());
  expect(shop.fake.paymentsOf(gatewayOrderId)[0]?.refundedPaise).toBe(0);
  expect((await shop.db.select().from(unknownPayments).where(isIt))[0]?.state).toBe("charged-back");
});

describe("the daily reading", () => {
  const readingOf = async () =>
    (await shop.db.select().from(settings).where(eq(settings.key, "disputes-read")))[0]?.value;

  test("the daily reading of disputes asks once a day, and an hour after a failure", async () => {
    await readDaily();
    const asked = () => shop.fake.faults.count("list-disputes");
    const before = asked();
    shop.clock.advance(DAY - MINUTE);
    await readDisputes(system());
    expect(asked()).toBe(before);
    shop.clock.advance(MINUTE);
    shop.fake.faults.add({ match: "list-disputes", what: "status", status: 400, times: 1 });
    await readDisputes(system());
    expect(asked()).toBe(before + 1);
    expect(await readingOf()).toMatchObject({ problem: expect.stringContaining("GET /v1/disputes") });
    shop.clock.advance(HOUR);
    await readDisputes(system());
    expect(asked()).toBe(before + 2);
    expect(await readingOf()).toMatchObject({ problem: null });
  });

  test("the daily reading of disputes reads page by page, and asks about open disputes that are older", async () => {
    const sale = await bought();
    const old = shop.fake.openDispute(sale.paymentId, { amountPaise: 100 }).disputeId;
    await readDaily();
    shop.clock.advance(400 * DAY);
    shop.fake.moveDispute(old, "won");
    const opened = Array.from(
      { length: 230 },
      () => shop.fake.openDispute(sale.paymentId, { amountPaise: 100 }).disputeId,
    );
    const pages = shop.fake.faults.count("list-disputes");
    const { read } = await readDisputes(system());
    expect(shop.fake.faults.count("list-disputes")).toBe(pages + 3);
    expect(read).toBeGreaterThan(230);
    for (const disputeId of opened) expect((await disputeOf(disputeId))?.status).toBe("open");
    expect((await disputeOf(old))?.status).toBe("won");
  }, 120_000);

  test("the daily reading of disputes is for the system only", async () => {
    await expect(readDisputes(await shop.user("admin"))).rejects.toMatchObject({ code: "forbidden" });
  });
});
