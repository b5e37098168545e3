import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDatabase } from "#db/database.ts";
import { couponRedemptions, userPurchases } from "#db/tables/purchases.ts";
import { startPaidCheckout } from "#tests/fixtures/open-test-shop.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import { confirmCheckout } from "../checkout/checkout-status.server.ts";
import { cancelCheckout, expireHolds } from "../checkout/end-checkout.server.ts";
import { startCheckout } from "../checkout/start-checkout.server.ts";
import type { Context } from "../context.ts";
import { settleOrder } from "../payments/settle-order.server.ts";
import { auditLedger } from "../reports/audit-ledger.server.ts";
import { addDays, MINUTE } from "../time.ts";
import { getCouponUsage, listCoupons } from "./manage-coupons.server.ts";
import { checkCoupon } from "./redeem-coupons.server.ts";

let shop: SandboxShop;
beforeAll(async () => {
  shop = await startSandboxShop();
});
afterAll(() => shop.close());

const past = new Date("2026-11-20T00:00:00Z");

/** The error code of a refused check, and the reason that it logs. */
async function checkRefused(ctx: Context, input: { slug: string; code: string }) {
  const reasons: unknown[] = [];
  const log = { ...ctx.log, info: (facts: object) => void reasons.push(facts) };
  const error = await checkCoupon({ ...ctx, log }, input).then(
    () => null,
    (refusal: unknown) => refusal,
  );
  return { error, reasons };
}

describe("checking a coupon", () => {
  test("checking a coupon returns the code in upper case with the percentage, also to visitors, and holds nothing", async () => {
    const tool = await shop.tool();
    const { code, id } = await shop.coupon(tool.id, { usageLimit: 1 });
    for (const ctx of [shop.visitor(), await shop.user()]) {
      const pasted = ` ${code.slice(0, 3).toLowerCase()} ${code.slice(3)}\u200b\n`;
      expect(await checkCoupon(ctx, { slug: tool.slug, code: pasted })).toEqual({
        code,
        discountPercentage: 20,
      });
    }
    expect((await shop.couponOf(id))?.usesTaken).toBe(0);
  });

  const all = { isActive: false, usageLimit: 1, usesTaken: 1, expiresAt: past };
  const unusable = "Invalid, expired, or usage limit reached for this coupon code";
  test.each([
    ["coupon-inactive", all, unusable],
    ["coupon-limit-reached", { ...all, isActive: true }, "Coupon usage limit reached"],
    ["coupon-expired", { expiresAt: past }, unusable],
  ] as const)("checking a coupon is refused with %s, the first rule that applies", async (code, facts, reason) => {
    const tool = await shop.tool();
    const coupon = await shop.coupon(tool.id, facts);
    const refused = await checkRefused(shop.visitor(), { slug: tool.slug, code: coupon.code });
    expect(refused).toMatchObject({ error: { code }, reasons: [{ reason }] });
  });

  test("checking a coupon finds neither an unknown code nor the code of another tool", async () => {
    const tool = await shop.tool();
    const { code } = await shop.coupon((await shop.tool()).id);
    for (const wrong of [code, "NO-SUCH-CODE"]) {
      const refused = await checkRefused(shop.visitor(), { slug: tool.slug, code: wrong });
      expect(refused).toMatchObject({
        error: { code: "coupon-not-found" },
        reasons: [{ reason: unusable }],
      });
    }
  });

  test("checking a coupon reports a failed lookup with its own error code", async () => {
    const unreachable = openDatabase("postgres://nobody@127.0.0.1:1/none", { onBrokenConnection: () => {} });
    const broken = { ...shop.visitor(), db: unreachable.db };
    expect(await checkRefused(broken, { slug: "anything", code: "ANY" })).toMatchObject({
      error: { code: "coupon-lookup-failed" },
      reasons: [{ reason: "Error validating coupon" }],
    });
    await unreachable.close();
  });

  test("checking a coupon refuses the thirty-first code that one account tries", async () => {
    const tool = await shop.tool();
    const guesser = await shop.user();
    const results = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        checkCoupon(guesser, { slug: tool.slug, code: `GUESS${n}` }).catch((error: Error) => error.message),
      ),
    );
    expect(results.filter((result) => result === "coupon-not-found")).toHaveLength(30);
    expect(results.filter((result) => result === "coupon-tries-exceeded")).toHaveLength(10);
  });
});

test("starting a checkout counts as a coupon attempt and refuses in the same order", async () => {
  const tool = await shop.tool();
  const guesser = await shop.user();
  const results: string[] = [];
  for (let n = 0; n < 32; n++) {
    const start = startCheckout(guesser, { slug: tool.slug, coupon: `TRY${n}` });
    results.push(
      await start.then(
        () => "started",
        (error: Error) => error.message,
      ),
    );
  }
  expect(results.slice(0, 30)).toEqual(Array.from({ length: 30 }, () => "coupon-not-found"));
  expect(results.slice(30)).toEqual(["coupon-tries-exceeded", "coupon-tries-exceeded"]);
  const usedUpAndExpired = await shop.coupon(tool.id, { usageLimit: 1, usesTaken: 1, expiresAt: past });
  const expired = await shop.coupon(tool.id, { usageLimit: 1, expiresAt: past });
  const buyer = await shop.user();
  const start = (coupon: string) => startCheckout(buyer, { slug: tool.slug, coupon });
  await expect(start(usedUpAndExpired.code)).rejects.toMatchObject({ code: "coupon-used-up" });
  await expect(start(expired.code)).rejects.toMatchObject({ code: "coupon-expired" });
  expect((await shop.couponOf(expired.id))?.usesTaken).toBe(0);
});

test("buying with a coupon charges the discounted price, holds the redemption and consumes it when paid", async () => {
  const tool = await shop.tool();
  const { code, id } = await shop.coupon(tool.id, { usageLimit: 1 });
  const buyer = await shop.user();
  const { gatewayOrderId, amountPaise } = await startPaidCheckout(buyer, {
    slug: tool.slug,
    coupon: code.toLowerCase(),
  });
  expect(amountPaise).toBe(11_920);
  expect((await shop.purchasesOf(buyer))[0]).toMatchObject({
    amountPaise: 11_920,
    listPricePaise: 14_900,
    discountPaise: 2_980,
    couponCode: code,
  });
  const other = await shop.user();
  await expect(startCheckout(other, { slug: tool.slug, coupon: code })).rejects.toMatchObject({
    code: "coupon-used-up",
  });
  expect(await checkCoupon(buyer, { slug: tool.slug, code }), "held by the buyer").toMatchObject({ code });
  await confirmCheckout(buyer, await shop.payAtGateway(gatewayOrderId));
  expect(await shop.couponOf(id)).toMatchObject({ usesTaken: 1, lastUsed: shop.clock.now() });
  expect(await shop.stockOf(tool.id), "the refused checkout reserved nothing").toBe(4);
});

test("the redemption of a coupon is released once when the checkout is cancelled or its hold expires", async () => {
  const tool = await shop.tool();
  const { code, id } = await shop.coupon(tool.id, { usageLimit: 2 });
  const buyer = await shop.user();
  const first = await startPaidCheckout(buyer, { slug: tool.slug, coupon: code });
  await Promise.all([
    cancelCheckout(buyer, { purchaseId: first.purchaseId }),
    cancelCheckout(buyer, { purchaseId: first.purchaseId }),
  ]);
  expect((await shop.couponOf(id))?.usesTaken).toBe(0);
  await startPaidCheckout(buyer, { slug: tool.slug, coupon: code });
  shop.clock.advance(16 * MINUTE);
  await Promise.all([expireHolds(shop.system()), expireHolds(shop.system())]);
  expect((await shop.couponOf(id))?.usesTaken).toBe(0);
  expect(await shop.stockOf(tool.id)).toBe(5);
});

test("buying with a coupon resumes the order of the same coupon and replaces the checkout of another coupon or none", async () => {
  const tool = await shop.tool({ availableStock: 1 });
  const one = await shop.coupon(tool.id, { usageLimit: 1 });
  const two = await shop.coupon(tool.id, { usageLimit: 1, discountPercentage: 50 });
  const buyer = await shop.user();
  const start = (coupon: string | null) => startPaidCheckout(buyer, { slug: tool.slug, coupon });
  const first = await start(one.code);
  expect((await start(one.code)).gatewayOrderId).toBe(first.gatewayOrderId);
  expect(await start(two.code)).toMatchObject({ amountPaise: 7_450 });
  expect((await shop.couponOf(one.id))?.usesTaken).toBe(0);
  expect((await shop.couponOf(two.id))?.usesTaken).toBe(1);
  expect(await start(null), "the buyer keeps the last unit").toMatchObject({ amountPaise: 14_900 });
  expect((await shop.couponOf(two.id))?.usesTaken).toBe(0);
  expect(await shop.stockOf(tool.id)).toBe(0);
  await shop.payAtGateway(first.gatewayOrderId);
  await settleOrder(shop.system(), { gatewayOrderId: first.gatewayOrderId });
  expect(await shop.refundsOf(first.purchaseId)).toMatchObject([{ reason: "purchase-replaced" }]);
});

test("buying with a coupon keeps the open checkout when a new coupon is refused", async () => {
  const tool = await shop.tool();
  const buyer = await shop.user();
  const first = await startPaidCheckout(buyer, { slug: tool.slug });
  await expect(startCheckout(buyer, { slug: tool.slug, coupon: "NOPE" })).rejects.toMatchObject({
    code: "coupon-not-found",
  });
  expect((await startPaidCheckout(buyer, { slug: tool.slug })).gatewayOrderId).toBe(first.gatewayOrderId);
});

test("buying with a coupon makes exactly one pass without the gateway when nothing is left to pay, with parallel requests", async () => {
  const tool = await shop.tool();
  const { code, id } = await shop.coupon(tool.id, { discountPercentage: 100 });
  const buyer = await shop.user();
  shop.gatewayFaults.next = () => {
    throw new Error("the gateway must not be called");
  };
  const results = await Promise.all(
    Array.from({ length: 8 }, () =>
      startCheckout(buyer, { slug: tool.slug, coupon: code }).catch((error: Error) => error.message),
    ),
  );
  shop.gatewayFaults.next = null;
  expect(results.filter((result) => result === "already-owned")).toHaveLength(7);
  const expiresAt = addDays(shop.clock.now(), 30);
  expect(results).toContainEqual(expect.objectContaining({ kind: "nothing-to-pay", expiresAt }));
  expect(await shop.purchasesOf(buyer)).toMatchObject([
    { status: "completed", amountPaise: 0, stockState: "used", expiresAt },
  ]);
  expect(await shop.stockOf(tool.id)).toBe(4);
  expect((await shop.couponOf(id))?.usesTaken).toBe(1);
});

test("buying with a coupon does not deadlock when buyers swap two coupons in parallel", async () => {
  const tool = await shop.tool({ availableStock: 20 });
  const [one, other] = [await shop.coupon(tool.id), await shop.coupon(tool.id)];
  const buyers = await Promise.all(Array.from({ length: 20 }, () => shop.user()));
  const startWith = (chosen: (n: number) => { code: string }) =>
    Promise.all(buyers.map((ctx, n) => startPaidCheckout(ctx, { slug: tool.slug, coupon: chosen(n).code })));
  await startWith((n) => (n % 2 === 0 ? one : other));
  for (const turn of [1, 0, 1]) await startWith((n) => (n % 2 === turn ? one : other));
  expect((await shop.couponOf(one.id))?.usesTaken).toBe(10);
  expect((await shop.couponOf(other.id))?.usesTaken).toBe(10);
  expect(await shop.stockOf(tool.id)).toBe(0);
});

test("buying with a coupon charges ₹1 when less than ₹1 is left", async () => {
  const tool = await shop.tool({ pricePaise: 5_000 });
  const { code } = await shop.coupon(tool.id, { discountPercentage: 99 });
  const started = await startPaidCheckout(await shop.user(), { slug: tool.slug, coupon: code });
  expect(started.amountPaise).toBe(100);
});

test("a late payment reacquires the redemption of its coupon, or is refunded when the coupon is used up", async () => {
  const tool = await shop.tool();
  const { code, id } = await shop.coupon(tool.id, { usageLimit: 1 });
  const firstBuyer = await shop.user();
  const secondBuyer = await shop.user();
  const first = await startPaidCheckout(firstBuyer, { slug: tool.slug, coupon: code });
  await cancelCheckout(firstBuyer, { purchaseId: first.purchaseId });
  const second = await startPaidCheckout(secondBuyer, { slug: tool.slug, coupon: code });
  await shop.payAtGateway(first.gatewayOrderId);
  await settleOrder(shop.system(), { gatewayOrderId: first.gatewayOrderId });
  expect(await shop.refundsOf(first.purchaseId)).toMatchObject([{ reason: "coupon-used-up" }]);
  expect(await shop.stockOf(tool.id)).toBe(4);
  await cancelCheckout(secondBuyer, { purchaseId: second.purchaseId });
  await shop.payAtGateway(second.gatewayOrderId);
  await settleOrder(shop.system(), { gatewayOrderId: second.gatewayOrderId });
  expect((await shop.purchasesOf(secondBuyer))[0]).toMatchObject({
    status: "completed",
    stockState: "used",
  });
  expect(await shop.couponOf(id)).toMatchObject({ usesTaken: 1, lastUsed: shop.clock.now() });
});

test("a coupon with a limit of 5 gives 60 parallel buyers exactly 5 redemptions", async () => {
  const tool = await shop.tool({ availableStock: 100 });
  const { code, id } = await shop.coupon(tool.id, { usageLimit: 5 });
  const buyers = await Promise.all(Array.from({ length: 60 }, () => shop.user()));
  const results = await Promise.all(
    buyers.map(async (buyer) => {
      try {
        const { gatewayOrderId } = await startPaidCheckout(buyer, { slug: tool.slug, coupon: code });
        return (await confirmCheckout(buyer, await shop.payAtGateway(gatewayOrderId))).state;
      } catch (error) {
        return error instanceof Error ? error.message : "?";
      }
    }),
  );
  expect(results.filter((result) => result === "success")).toHaveLength(5);
  expect(results.filter((result) => result === "coupon-used-up")).toHaveLength(55);
  expect((await shop.couponOf(id))?.usesTaken).toBe(5);
  expect(
    await shop.db.$count(couponRedemptions, eq(couponRedemptions.couponId, id)),
    "all of them are used",
  ).toBe(5);
  expect(await shop.db.$count(userPurchases, eq(userPurchases.toolId, tool.id))).toBe(5);
  expect(await shop.stockOf(tool.id)).toBe(95);
});

test("the usage of a coupon has the count of completed purchases, the last use and the latest ten uses", async () => {
  const tool = await shop.tool({ availableStock: 100 });
  const { code } = await shop.coupon(tool.id, { usageLimit: 50 });
  const admin = await shop.user("admin");
  for (let n = 0; n < 12; n++) {
    shop.clock.advance(MINUTE);
    const buyer = await shop.user();
    const { gatewayOrderId } = await startPaidCheckout(buyer, { slug: tool.slug, coupon: code });
    await confirmCheckout(buyer, await shop.payAtGateway(gatewayOrderId));
  }
  const lastUsed = shop.clock.now();
  await startPaidCheckout(await shop.user(), { slug: tool.slug, coupon: code });
  const usage = await getCouponUsage(admin, { code: code.toLowerCase() });
  expect(usage).toMatchObject({ timesUsed: 12, usedCount: 12, held: 1, lastUsed });
  const times = usage.latest.map(({ usedAt }) => usedAt?.getTime() ?? 0);
  expect(times).toHaveLength(10);
  expect(times[0]).toBe(lastUsed.getTime());
  expect(times).toEqual(times.toSorted((a, b) => b - a));
});

test("the usage of a coupon counts the uses of an imported shop, which are in no list", async () => {
  const admin = await shop.user("admin");
  const tool = await shop.tool();
  // Other tests insert coupons with counters of their own.
  const { counts } = await auditLedger(shop.system());
  const counted = { usesTaken: 7, importedUses: 7, usageLimit: 8, lastUsed: past };
  const { code } = await shop.coupon(tool.id, counted);
  expect(await getCouponUsage(admin, { code })).toEqual({
    timesUsed: 7,
    usedCount: 7,
    importedUses: 7,
    held: 0,
    lastUsed: past,
    latest: [],
  });
  const buyer = await shop.user();
  const { gatewayOrderId } = await startPaidCheckout(buyer, { slug: tool.slug, coupon: code });
  await confirmCheckout(buyer, await shop.payAtGateway(gatewayOrderId));
  expect(await getCouponUsage(admin, { code })).toMatchObject({
    timesUsed: 8,
    latest: [{ userEmail: buyer.actor.email }],
  });
  expect((await listCoupons(admin, { q: code })).rows).toMatchObject([{ timesUsed: 8, timesHeld: 0 }]);
  await expect(checkCoupon(buyer, { slug: tool.slug, code })).rejects.toMatchObject({
    code: "coupon-limit-reached",
  });
  expect((await auditLedger(shop.system())).counts).toEqual(counts);
});

test("the usage of a coupon is for admins only", async () => {
  const { code } = await shop.coupon((await shop.tool()).id);
  await expect(getCouponUsage(shop.visitor(), { code })).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(getCouponUsage(await shop.user(), { code })).rejects.toMatchObject({ code: "forbidden" });
  const admin = await shop.user("admin");
  await expect(getCouponUsage(admin, { code: "NOPE" })).rejects.toMatchObject({ code: "coupon-missing" });
});
