import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDatabase } from "#db/database.ts";
import { couponRedemptions, userPurchases } from "#db/tables/purchases.ts";
import { startTestShop, type TestShop } from "../../tools/testing/shop.ts";
import { startToPay } from "../../tools/testing/start-to-pay.ts";
import { cancelCheckout } from "../checkout/cancel-checkout.server.ts";
import { confirmCheckout } from "../checkout/confirm-checkout.server.ts";
import { expireHolds } from "../checkout/expire-holds.server.ts";
import { startCheckout } from "../checkout/start-checkout.server.ts";
import { settleOrder } from "../payments/settle-order.server.ts";
import { addDays, MINUTE } from "../time.ts";
import { checkCoupon } from "./check-coupon.server.ts";
import { getCouponUsage } from "./get-coupon-usage.server.ts";
import { validateCoupon } from "./validate-coupon.server.ts";

let shop: TestShop;
beforeAll(async () => {
  shop = await startTestShop();
});
afterAll(() => shop.close());

const past = new Date("2026-11-20T00:00:00Z");

describe("checking", () => {
  test("answers in upper case with the percentage, to visitors too, and takes nothing", async () => {
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
  const vague = "Invalid, expired, or usage limit reached for this coupon code";
  test.each([
    ["coupon-inactive", all, vague],
    ["coupon-limit-reached", { ...all, isActive: true }, "Coupon usage limit reached"],
    ["coupon-expired", { expiresAt: past }, vague],
  ] as const)("is refused as %s, the first that applies", async (code, facts, reason) => {
    const tool = await shop.tool();
    const coupon = await shop.coupon(tool.id, facts);
    const input = { slug: tool.slug, code: coupon.code };
    await expect(checkCoupon(shop.visitor(), input)).rejects.toMatchObject({ code });
    expect(await validateCoupon(shop.visitor(), input)).toMatchObject({ valid: false, reason });
  });

  test("an unknown code and another tool's are not found", async () => {
    const tool = await shop.tool();
    const { code } = await shop.coupon((await shop.tool()).id);
    for (const wrong of [code, "NO-SUCH-CODE"]) {
      const input = { slug: tool.slug, code: wrong };
      await expect(checkCoupon(shop.visitor(), input)).rejects.toMatchObject({ code: "coupon-not-found" });
      expect(await validateCoupon(shop.visitor(), input)).toMatchObject({ valid: false, reason: vague });
    }
  });

  test("a look-up that fails says so", async () => {
    const nowhere = openDatabase("postgres://nobody@127.0.0.1:1/none", { onBrokenConnection: () => {} });
    const broken = { ...shop.visitor(), db: nowhere.db };
    const input = { slug: "anything", code: "ANY" };
    await expect(checkCoupon(broken, input)).rejects.toMatchObject({ code: "coupon-lookup-failed" });
    expect(await validateCoupon(broken, input)).toMatchObject({ reason: "Error validating coupon" });
    await nowhere.close();
  });

  test("codes cannot be guessed by trying many", async () => {
    const tool = await shop.tool();
    const guesser = await shop.user();
    const ends = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        checkCoupon(guesser, { slug: tool.slug, code: `GUESS${n}` }).catch((error: Error) => error.message),
      ),
    );
    expect(ends.filter((end) => end === "coupon-not-found")).toHaveLength(30);
    expect(ends.filter((end) => end === "coupon-tries-exceeded")).toHaveLength(10);
  });
});

test("nor by starting checkouts with them, and the order of refusals is the same there", async () => {
  const tool = await shop.tool();
  const guesser = await shop.user();
  const ends: string[] = [];
  for (let n = 0; n < 32; n++) {
    const start = startCheckout(guesser, { slug: tool.slug, coupon: `TRY${n}` });
    ends.push(
      await start.then(
        () => "started",
        (error: Error) => error.message,
      ),
    );
  }
  expect(ends.slice(0, 30)).toEqual(Array.from({ length: 30 }, () => "coupon-not-found"));
  expect(ends.slice(30)).toEqual(["coupon-tries-exceeded", "coupon-tries-exceeded"]);
  const both = await shop.coupon(tool.id, { usageLimit: 1, usesTaken: 1, expiresAt: past });
  const late = await shop.coupon(tool.id, { usageLimit: 1, expiresAt: past });
  const buyer = await shop.user();
  const start = (coupon: string) => startCheckout(buyer, { slug: tool.slug, coupon });
  await expect(start(both.code)).rejects.toMatchObject({ code: "coupon-used-up" });
  await expect(start(late.code)).rejects.toMatchObject({ code: "coupon-expired" });
  expect((await shop.couponOf(late.id))?.usesTaken).toBe(0);
});

describe("buying with one", () => {
  test("charges the discounted price, keeps the use while paying and counts it when paid", async () => {
    const tool = await shop.tool();
    const { code, id } = await shop.coupon(tool.id, { usageLimit: 1 });
    const buyer = await shop.user();
    const { orderId, amountPaise } = await startToPay(buyer, { slug: tool.slug, coupon: code.toLowerCase() });
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
    expect(await checkCoupon(buyer, { slug: tool.slug, code }), "their own").toMatchObject({ code });
    await confirmCheckout(buyer, await shop.payAtGateway(orderId));
    expect(await shop.couponOf(id)).toMatchObject({ usesTaken: 1, lastUsed: shop.clock.now() });
    expect(await shop.stockOf(tool.id), "the refused one took nothing").toBe(4);
  });

  test("closing and the end of the hold give the use back, once", async () => {
    const tool = await shop.tool();
    const { code, id } = await shop.coupon(tool.id, { usageLimit: 2 });
    const buyer = await shop.user();
    const first = await startToPay(buyer, { slug: tool.slug, coupon: code });
    await Promise.all([
      cancelCheckout(buyer, { purchaseId: first.purchaseId }),
      cancelCheckout(buyer, { purchaseId: first.purchaseId }),
    ]);
    expect((await shop.couponOf(id))?.usesTaken).toBe(0);
    await startToPay(buyer, { slug: tool.slug, coupon: code });
    shop.clock.advance(16 * MINUTE);
    await Promise.all([expireHolds(shop.system()), expireHolds(shop.system())]);
    expect((await shop.couponOf(id))?.usesTaken).toBe(0);
    expect(await shop.stockOf(tool.id)).toBe(5);
  });

  test("the same again is the same order; without it, or with another, the checkout is replaced", async () => {
    const tool = await shop.tool({ availableStock: 1 });
    const one = await shop.coupon(tool.id, { usageLimit: 1 });
    const two = await shop.coupon(tool.id, { usageLimit: 1, discountPercentage: 50 });
    const buyer = await shop.user();
    const start = (coupon: string | null) => startToPay(buyer, { slug: tool.slug, coupon });
    const first = await start(one.code);
    expect((await start(one.code)).orderId).toBe(first.orderId);
    expect(await start(two.code)).toMatchObject({ amountPaise: 7_450 });
    expect((await shop.couponOf(one.id))?.usesTaken).toBe(0);
    expect((await shop.couponOf(two.id))?.usesTaken).toBe(1);
    expect(await start(null), "the last unit stays the buyer's").toMatchObject({ amountPaise: 14_900 });
    expect((await shop.couponOf(two.id))?.usesTaken).toBe(0);
    expect(await shop.stockOf(tool.id)).toBe(0);
    await shop.payAtGateway(first.orderId);
    await settleOrder(shop.system(), { gatewayOrderId: first.orderId });
    expect(await shop.refundsOf(first.purchaseId)).toMatchObject([{ reason: "purchase-replaced" }]);
  });

  test("a refused coupon leaves the checkout under way as it was", async () => {
    const tool = await shop.tool();
    const buyer = await shop.user();
    const first = await startToPay(buyer, { slug: tool.slug });
    await expect(startCheckout(buyer, { slug: tool.slug, coupon: "NOPE" })).rejects.toMatchObject({
      code: "coupon-not-found",
    });
    expect((await startToPay(buyer, { slug: tool.slug })).orderId).toBe(first.orderId);
  });

  test("what leaves nothing to pay makes the pass without a gateway, also for many clicks at once", async () => {
    const tool = await shop.tool();
    const { code, id } = await shop.coupon(tool.id, { discountPercentage: 100 });
    const buyer = await shop.user();
    shop.gatewayFaults.next = () => {
      throw new Error("the gateway must not be asked");
    };
    const ends = await Promise.all(
      Array.from({ length: 8 }, () =>
        startCheckout(buyer, { slug: tool.slug, coupon: code }).catch((error: Error) => error.message),
      ),
    );
    shop.gatewayFaults.next = null;
    expect(ends.filter((end) => end === "already-owned")).toHaveLength(7);
    const expiresAt = addDays(shop.clock.now(), 30);
    expect(ends).toContainEqual(expect.objectContaining({ kind: "granted", expiresAt }));
    expect(await shop.purchasesOf(buyer)).toMatchObject([
      { status: "completed", amountPaise: 0, stockState: "used", expiresAt },
    ]);
    expect(await shop.stockOf(tool.id)).toBe(4);
    expect((await shop.couponOf(id))?.usesTaken).toBe(1);
  });

  test("buyers who change from one coupon to another, and others the other way round, all get it at once", async () => {
    const tool = await shop.tool({ availableStock: 20 });
    const [one, other] = [await shop.coupon(tool.id), await shop.coupon(tool.id)];
    const buyers = await Promise.all(Array.from({ length: 20 }, () => shop.user()));
    const startWith = (chosen: (n: number) => { code: string }) =>
      Promise.all(buyers.map((ctx, n) => startToPay(ctx, { slug: tool.slug, coupon: chosen(n).code })));
    await startWith((n) => (n % 2 === 0 ? one : other));
    for (const turn of [1, 0, 1]) await startWith((n) => (n % 2 === turn ? one : other));
    expect((await shop.couponOf(one.id))?.usesTaken).toBe(10);
    expect((await shop.couponOf(other.id))?.usesTaken).toBe(10);
    expect(await shop.stockOf(tool.id)).toBe(0);
  });

  test("what leaves less than ₹1 is charged ₹1", async () => {
    const tool = await shop.tool({ pricePaise: 5_000 });
    const { code } = await shop.coupon(tool.id, { discountPercentage: 99 });
    const started = await startToPay(await shop.user(), { slug: tool.slug, coupon: code });
    expect(started.amountPaise).toBe(100);
  });

  test("a late payment takes the use again, or goes back when it is gone", async () => {
    const tool = await shop.tool();
    const { code, id } = await shop.coupon(tool.id, { usageLimit: 1 });
    const late = await shop.user();
    const quick = await shop.user();
    const first = await startToPay(late, { slug: tool.slug, coupon: code });
    await cancelCheckout(late, { purchaseId: first.purchaseId });
    const second = await startToPay(quick, { slug: tool.slug, coupon: code });
    await shop.payAtGateway(first.orderId);
    await settleOrder(shop.system(), { gatewayOrderId: first.orderId });
    expect(await shop.refundsOf(first.purchaseId)).toMatchObject([{ reason: "coupon-used-up" }]);
    expect(await shop.stockOf(tool.id)).toBe(4);
    await cancelCheckout(quick, { purchaseId: second.purchaseId });
    await shop.payAtGateway(second.orderId);
    await settleOrder(shop.system(), { gatewayOrderId: second.orderId });
    expect((await shop.purchasesOf(quick))[0]).toMatchObject({ status: "completed", stockState: "used" });
    expect(await shop.couponOf(id)).toMatchObject({ usesTaken: 1, lastUsed: shop.clock.now() });
  });

  test("60 buyers at once of a coupon with a limit of 5 get exactly 5 uses, and the others lose nothing", async () => {
    const tool = await shop.tool({ availableStock: 100 });
    const { code, id } = await shop.coupon(tool.id, { usageLimit: 5 });
    const buyers = await Promise.all(Array.from({ length: 60 }, () => shop.user()));
    const ends = await Promise.all(
      buyers.map(async (buyer) => {
        try {
          const { orderId } = await startToPay(buyer, { slug: tool.slug, coupon: code });
          return (await confirmCheckout(buyer, await shop.payAtGateway(orderId))).state;
        } catch (error) {
          return error instanceof Error ? error.message : "?";
        }
      }),
    );
    expect(ends.filter((end) => end === "success")).toHaveLength(5);
    expect(ends.filter((end) => end === "coupon-used-up")).toHaveLength(55);
    expect((await shop.couponOf(id))?.usesTaken).toBe(5);
    expect(
      await shop.db.$count(couponRedemptions, eq(couponRedemptions.couponId, id)),
      "of these all are used",
    ).toBe(5);
    expect(await shop.db.$count(userPurchases, eq(userPurchases.toolId, tool.id))).toBe(5);
    expect(await shop.stockOf(tool.id)).toBe(95);
  });
});

describe("usage", () => {
  test("counts completed purchases, says when last, and lists the latest ten", async () => {
    const tool = await shop.tool({ availableStock: 100 });
    const { code } = await shop.coupon(tool.id, { usageLimit: 50 });
    const admin = await shop.user("admin");
    for (let n = 0; n < 12; n++) {
      shop.clock.advance(MINUTE);
      const buyer = await shop.user();
      const { orderId } = await startToPay(buyer, { slug: tool.slug, coupon: code });
      await confirmCheckout(buyer, await shop.payAtGateway(orderId));
    }
    const lastUsed = shop.clock.now();
    await startToPay(await shop.user(), { slug: tool.slug, coupon: code });
    const usage = await getCouponUsage(admin, { code: code.toLowerCase() });
    expect(usage).toMatchObject({ timesUsed: 12, usedCount: 12, held: 1, lastUsed });
    const times = usage.latest.map(({ usedAt }) => usedAt?.getTime() ?? 0);
    expect(times).toHaveLength(10);
    expect(times[0]).toBe(lastUsed.getTime());
    expect(times).toEqual(times.toSorted((a, b) => b - a));
  });

  test("is the admin's to see", async () => {
    const { code } = await shop.coupon((await shop.tool()).id);
    await expect(getCouponUsage(shop.visitor(), { code })).rejects.toMatchObject({ code: "unauthenticated" });
    await expect(getCouponUsage(await shop.user(), { code })).rejects.toMatchObject({ code: "forbidden" });
    const admin = await shop.user("admin");
    await expect(getCouponUsage(admin, { code: "NOPE" })).rejects.toMatchObject({ code: "coupon-missing" });
  });
});
