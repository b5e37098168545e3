import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { users } from "#db/tables/accounts.ts";
import { mailMessages } from "#db/tables/operations.ts";
import { paymentAttempts } from "#db/tables/payments.ts";
import { sandboxPayments } from "#db/tables/sandbox.ts";
import { startPaidCheckout } from "#tests/fixtures/open-test-shop.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import { deleteUser } from "../accounts/delete-account.server.ts";
import { findActivePass } from "../passes/access.server.ts";
import { cancelPurchase } from "../payments/cancel-purchase.server.ts";
import { processRefunds } from "../payments/process-refunds.server.ts";
import { settleOrder } from "../payments/settle-order.server.ts";
import { DAY } from "../time.ts";
import { confirmCheckout } from "./checkout-status.server.ts";

let shop: SandboxShop;
beforeAll(async () => {
  shop = await startSandboxShop();
});
afterAll(() => shop.close());

async function bought(facts: { coupon?: boolean } = {}) {
  const tool = await shop.tool();
  const coupon = facts.coupon ? await shop.coupon(tool.id) : null;
  const buyer = await shop.user();
  const { gatewayOrderId, purchaseId } = await startPaidCheckout(buyer, {
    slug: tool.slug,
    coupon: coupon?.code,
  });
  const proof = await shop.payAtGateway(gatewayOrderId);
  await confirmCheckout(buyer, proof);
  return { tool, coupon, buyer, gatewayOrderId, purchaseId, paymentId: proof.gatewayPaymentId };
}

const passOf = (buyer: { actor: { userId: string } }, tool: { id: string }) =>
  findActivePass(shop.system(), shop.db, { userId: buyer.actor.userId, toolId: tool.id });
const outcomeOf = async (paymentId: string) =>
  (await shop.db.select().from(paymentAttempts).where(eq(paymentAttempts.gatewayPaymentId, paymentId)))[0]
    ?.outcome;

test("an admin's cancellation of a purchase ends access, releases the unit and the coupon use, retains the money and audits the reason", async () => {
  const { tool, coupon, buyer, purchaseId, paymentId } = await bought({ coupon: true });
  const admin = await shop.user("admin");
  const input = { purchaseId, reason: "Shared the account", refund: false };
  const ends = await Promise.all(Array.from({ length: 4 }, () => cancelPurchase(admin, input)));
  expect(ends.map(({ refundedPaise }) => refundedPaise)).toEqual([0, 0, 0, 0]);
  expect(ends.filter(({ alreadyEnded }) => alreadyEnded === null)).toHaveLength(1);
  expect(ends.filter(({ alreadyEnded }) => alreadyEnded === "ended")).toHaveLength(3);
  expect(await passOf(buyer, tool)).toBeNull();
  expect((await shop.purchasesOf(buyer))[0]).toMatchObject({
    status: "completed",
    endedReason: "cancelled",
    endedAt: shop.clock.now(),
    stockState: "released",
  });
  expect(await outcomeOf(paymentId)).toBe("cancellation");
  expect(await shop.refundsOf(purchaseId)).toEqual([]);
  expect(await shop.stockOf(tool.id)).toBe(5);
  expect((await shop.couponOf(coupon?.id ?? ""))?.usesTaken).toBe(0);
  expect((await shop.auditsOf(purchaseId))[0]).toMatchObject({
    action: "purchase.cancelled",
    actorKind: "admin",
    actorId: admin.actor.userId,
    details: { reason: "Shared the account", paidBackPaise: 0 },
  });
});

test("an admin's cancellation refunds once, also when it is repeated or decided later", async () => {
  const { buyer, purchaseId, paymentId } = await bought();
  const admin = await shop.user("admin");
  const input = { purchaseId, reason: "A mistake of ours", refund: true };
  await cancelPurchase(admin, { ...input, refund: false });
  await Promise.all([cancelPurchase(admin, input), cancelPurchase(admin, input)]);
  expect(await outcomeOf(paymentId)).toBe("refund");
  await processRefunds(shop.system());
  expect(await shop.refundsOf(purchaseId)).toEqual([
    { status: "processed", amountPaise: 14_900, reason: "cancelled-by-shop" },
  ]);
  const mails = await shop.db
    .select()
    .from(mailMessages)
    .where(eq(mailMessages.recipient, buyer.actor.email));
  expect(mails.map(({ kind }) => kind).toSorted()).toEqual(["payment-refunded", "purchase-receipt"]);
});

test("an admin's cancellation of an open checkout refunds a payment that arrives afterwards", async () => {
  const tool = await shop.tool();
  const buyer = await shop.user();
  const { gatewayOrderId, purchaseId } = await startPaidCheckout(buyer, { slug: tool.slug });
  await cancelPurchase(await shop.user("admin"), { purchaseId, reason: "Suspicious", refund: false });
  expect(await shop.stockOf(tool.id)).toBe(5);
  await shop.payAtGateway(gatewayOrderId);
  await settleOrder(shop.system(), { gatewayOrderId });
  expect(await shop.refundsOf(purchaseId)).toMatchObject([{ reason: "purchase-ended", amountPaise: 14_900 }]);
  expect(await passOf(buyer, tool)).toBeNull();
});

test("an admin's cancellation releases no unit of an expired pass", async () => {
  const { tool, purchaseId } = await bought();
  shop.clock.advance(31 * DAY);
  await cancelPurchase(await shop.user("admin"), { purchaseId, reason: "Clean-up", refund: false });
  expect(await shop.stockOf(tool.id)).toBe(4);
});

test("an admin's cancellation is refused to other actors, without a reason, and for an unknown purchase", async () => {
  const { tool, buyer, purchaseId } = await bought();
  const input = { purchaseId, reason: "Because", refund: true };
  await expect(cancelPurchase(buyer, input)).rejects.toMatchObject({ code: "forbidden" });
  await expect(cancelPurchase(shop.visitor(), input)).rejects.toMatchObject({ code: "unauthenticated" });
  const admin = await shop.user("admin");
  await expect(cancelPurchase(admin, { ...input, refund: false, reason: "  " })).rejects.toMatchObject({
    code: "invalid-input",
  });
  await expect(
    cancelPurchase(admin, { ...input, purchaseId: "00000000-0000-7000-8000-000000000000" }),
  ).rejects.toMatchObject({ code: "purchase-not-found" });
  expect(await passOf(buyer, tool)).not.toBeNull();
});

test("a payment that the owner refunds at the gateway ends its pass and is not refunded again", async () => {
  const { tool, buyer, gatewayOrderId, purchaseId, paymentId } = await bought();
  await shop.db.update(sandboxPayments).set({ status: "refunded" }).where(eq(sandboxPayments.id, paymentId));
  await Promise.all([
    settleOrder(shop.system(), { gatewayOrderId }),
    settleOrder(shop.system(), { gatewayOrderId }),
  ]);
  expect(await passOf(buyer, tool)).toBeNull();
  expect((await shop.purchasesOf(buyer))[0]).toMatchObject({ endedReason: "refunded" });
  expect(await shop.refundsOf(purchaseId)).toEqual([
    { status: "processed", amountPaise: 14_900, reason: "refunded-at-gateway" },
  ]);
  expect(await shop.stockOf(tool.id)).toBe(5);
});

test("the deletion of an account ends its passes and checkouts, removes personal data, and refunds late payments without a mail", async () => {
  const { tool, buyer, purchaseId } = await bought();
  const other = await shop.tool();
  const open = await startPaidCheckout(buyer, { slug: other.slug });
  await deleteUser(await shop.user("admin"), { userId: buyer.actor.userId });
  expect(await passOf(buyer, tool)).toBeNull();
  expect([await shop.stockOf(tool.id), await shop.stockOf(other.id)]).toEqual([5, 5]);
  const purchases = await shop.purchasesOf(buyer);
  expect(purchases.map(({ endedReason, userEmail }) => [endedReason, userEmail])).toEqual([
    ["user-deleted", "deleted user"],
    ["user-deleted", "deleted user"],
  ]);
  const [user] = await shop.db.select().from(users).where(eq(users.id, buyer.actor.userId));
  expect(user).toMatchObject({ isActive: false, deletedAt: shop.clock.now(), name: "" });
  expect(user?.email).not.toBe(buyer.actor.email);
  await shop.payAtGateway(open.gatewayOrderId);
  await settleOrder(shop.system(), { gatewayOrderId: open.gatewayOrderId });
  expect(await shop.refundsOf(open.purchaseId)).toMatchObject([{ reason: "purchase-ended" }]);
  expect(await shop.refundsOf(purchaseId)).toEqual([]);
  expect(
    await shop.db.$count(mailMessages, eq(mailMessages.recipient, "deleted user")),
    "nobody to write to",
  ).toBe(0);
});

test("the deletion of an account does not deadlock with others that hold the same tools and coupons in different orders", async () => {
  const tools = [await shop.tool({ availableStock: 12 }), await shop.tool({ availableStock: 12 })];
  const coupons = await Promise.all(tools.map(({ id }) => shop.coupon(id)));
  const admin = await shop.user("admin");
  const buyers = await Promise.all(Array.from({ length: 12 }, () => shop.user()));
  for (const [n, buyer] of buyers.entries()) {
    for (const index of n % 2 === 0 ? [0, 1] : [1, 0]) {
      await startPaidCheckout(buyer, { slug: tools[index]?.slug ?? "", coupon: coupons[index]?.code });
    }
  }
  await Promise.all(buyers.map(({ actor }) => deleteUser(admin, { userId: actor.userId })));
  expect(await Promise.all(tools.map(({ id }) => shop.stockOf(id)))).toEqual([12, 12]);
  const uses = await Promise.all(coupons.map(({ id }) => shop.couponOf(id)));
  expect(uses.map((coupon) => coupon?.usesTaken)).toEqual([0, 0]);
});

test("the deletion of an account ends or refuses a checkout that is started at the same time", async () => {
  const tool = await shop.tool();
  const buyer = await shop.user();
  const admin = await shop.user("admin");
  const [started] = await Promise.allSettled([
    startPaidCheckout(buyer, { slug: tool.slug }),
    deleteUser(admin, { userId: buyer.actor.userId }),
  ]);
  expect(await shop.stockOf(tool.id)).toBe(5);
  if (started.status === "rejected") expect(started.reason).toMatchObject({ code: "unauthenticated" });
  expect((await shop.purchasesOf(buyer)).filter(({ status }) => status === "pending")).toEqual([]);
});

test("the deletion of an account is refused to every actor but an admin, and for admin accounts", async () => {
  const { tool, buyer } = await bought();
  const admin = await shop.user("admin");
  const input = { userId: buyer.actor.userId };
  await expect(deleteUser(buyer, input)).rejects.toMatchObject({ code: "forbidden" });
  await expect(deleteUser(shop.visitor(), input)).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(deleteUser(admin, { userId: admin.actor.userId })).rejects.toMatchObject({
    code: "forbidden",
  });
  await expect(deleteUser(admin, { userId: "00000000-0000-7000-8000-000000000000" })).rejects.toMatchObject({
    code: "not-found",
  });
  expect(await passOf(buyer, tool)).not.toBeNull();
});
