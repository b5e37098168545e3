import { eq } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sessions } from "#db/tables/accounts.ts";
import { giveawayRounds } from "#db/tables/giveaways.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { buyInLiveMode } from "#tests/fixtures/buy-in-live-mode.ts";
import { type FakeGatewayShop, startFakeGatewayShop } from "#tests/fixtures/fake-gateway-shop.ts";
import { startPaidCheckout } from "#tests/fixtures/open-test-shop.ts";
import { STORE_SETTINGS_KEY, saveSetting } from "../catalog/store-settings.server.ts";
import type { Context } from "../context.ts";
import { isDomainError } from "../errors.ts";
import { claimGiveaway } from "../giveaways/claim-giveaway.server.ts";
import { readTodaysGiveaway } from "../giveaways/read-giveaways.server.ts";
import { processRefunds } from "../payments/process-refunds.server.ts";
import { settleOrder } from "../payments/settle-order.server.ts";
import { auditLedger } from "../reports/audit-ledger.server.ts";
import { HOUR } from "../time.ts";
import { deleteMyAccount, describeMyDeletion } from "./delete-account.server.ts";

let shop: FakeGatewayShop;
beforeAll(async () => {
  shop = await startFakeGatewayShop(await freshDatabase());
});
afterAll(() => shop.close());

/** A buyer without a password who has just signed in. */
async function withSession(ctx: Context, userId: string) {
  const sessionId = uuidv7();
  await shop.db.insert(sessions).values({
    id: sessionId,
    userId,
    token: uuidv7(),
    createdAt: shop.clock.now(),
    expiresAt: new Date(8.64e12),
  });
  const browser = { headers: new Headers(), ipAddress: "203.0.113.7" };
  return {
    ...ctx,
    browser,
    actor: { kind: "user" as const, userId, email: `${userId}@example.com`, sessionId },
  };
}

const remove = async (ctx: Context) => {
  const { passes, checkouts } = await describeMyDeletion(ctx);
  return deleteMyAccount(ctx, { confirmation: "DELETE", passes, checkouts });
};

async function expectBooksInOrder(ctx: Context): Promise<void> {
  await processRefunds(ctx);
  shop.clock.advance(HOUR);
  await processRefunds(ctx);
  expect((await auditLedger(ctx)).counts).toEqual({});
}

test("the revenue of a buyer who leaves stays, and a refund that was under way is made", async () => {
  const { model, buyer, earned, tool, purchaseId } = await buyInLiveMode(shop);
  const buyerCtx = await withSession(buyer.ctx, buyer.userId);
  const first = await startPaidCheckout(buyer.ctx, { slug: (await shop.tool()).slug });
  shop.fake.pay(first.gatewayOrderId);
  const before = await earned();
  expect(await describeMyDeletion(buyerCtx)).toMatchObject({ passes: 1, checkouts: 1, openRefundsPaise: 0 });
  await remove(buyerCtx);
  expect(await earned()).toBe(before);
  // The gateway has captured the payment before, and the shop hears of it after the deletion.
  await settleOrder(model.system, { gatewayOrderId: first.gatewayOrderId });
  expect(await shop.refundsOf(first.purchaseId)).toMatchObject([{ amountPaise: 14_900 }]);
  expect(await shop.refundsOf(purchaseId)).toEqual([]);
  await expectBooksInOrder(model.system);
  expect(shop.fake.paymentsOf(first.gatewayOrderId)[0]?.refundedPaise).toBe(14_900);
  expect(await shop.stockOf(tool.id)).toBe(1);
});

test("a payment that is confirmed at the moment of the deletion becomes a pass and refuses it, or is refunded", async () => {
  const system = shop.system();
  for (let round = 0; round < 8; round++) {
    const user = await shop.user();
    const ctx = await withSession(user, user.actor.userId);
    const tool = await shop.tool();
    const { gatewayOrderId, purchaseId } = await startPaidCheckout(ctx, { slug: tool.slug });
    shop.fake.pay(gatewayOrderId);
    const [deletion, settlement] = await Promise.allSettled([
      remove(ctx),
      settleOrder(system, { gatewayOrderId }),
    ]);
    expect(settlement.status).toBe("fulfilled");
    const [purchase] = await shop.purchasesOf(user);
    const refunds = await shop.refundsOf(purchaseId);
    if (deletion.status === "rejected") {
      expect(isDomainError(deletion.reason, "deletion-changed")).toBe(true);
      expect(purchase).toMatchObject({ status: "completed", endedAt: null });
      expect(refunds).toEqual([]);
    } else {
      expect(purchase).toMatchObject({ endedReason: "user-deleted", userEmail: "deleted user" });
      // Either it was refunded, or it had become a pass before the page was shown, which then named it.
      expect(refunds.length === 1 || purchase?.status === "completed").toBe(true);
    }
  }
  await expectBooksInOrder(system);
});

test("a pass that was won in the giveaway ends with the account, and the round stays won", async () => {
  const user = await shop.user();
  const ctx = await withSession(user, user.actor.userId);
  const tool = await shop.tool();
  await shop.db.delete(giveawayRounds);
  await saveSetting(shop.db, STORE_SETTINGS_KEY, { name: "Shop", giveawayToolSlug: tool.slug });
  const roundId = (await readTodaysGiveaway(shop.visitor()))?.roundId ?? "";
  await claimGiveaway(ctx, { roundId });
  await remove(ctx);
  expect(await shop.purchasesOf(user)).toMatchObject([
    { endedReason: "user-deleted", userEmail: "deleted user" },
  ]);
  const other = await shop.user();
  await expect(claimGiveaway(other, { roundId })).rejects.toMatchObject({ code: "giveaway-taken" });
});

test("a giveaway that is claimed at the moment of the deletion leaves no pass for nobody", async () => {
  for (let round = 0; round < 6; round++) {
    const user = await shop.user();
    const ctx = await withSession(user, user.actor.userId);
    const tool = await shop.tool();
    await shop.db.delete(giveawayRounds);
    await saveSetting(shop.db, STORE_SETTINGS_KEY, { name: "Shop", giveawayToolSlug: tool.slug });
    const roundId = (await readTodaysGiveaway(shop.visitor()))?.roundId ?? "";
    const results = await Promise.allSettled([remove(ctx), claimGiveaway(ctx, { roundId })]);
    for (const result of results)
      if (result.status === "rejected")
        expect(isDomainError(result.reason), String(result.reason)).toBe(true);
    const [purchase] = await shop.purchasesOf(user);
    const [deletion, claim] = results;
    expect(purchase !== undefined).toBe(claim.status === "fulfilled");
    if (deletion.status === "fulfilled" && purchase) expect(purchase.endedReason).toBe("user-deleted");
    const [after] = await shop.db.select().from(giveawayRounds).where(eq(giveawayRounds.id, roundId));
    expect(after?.winnerUserId ?? null).toBe(purchase ? user.actor.userId : null);
  }
});
