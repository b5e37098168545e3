import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, expect, test } from "vitest";
import { couponRedemptions, userPurchases } from "#db/tables/purchases.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import { createManualClock } from "#tests/manual-clock.ts";
import type { Context } from "../context.ts";
import type { ListInput } from "../lists/paging.ts";
import { addDays } from "../time.ts";
import { listCoupons } from "./manage-coupons.server.ts";

const shop = openTestShop(await freshDatabase(), { clock: createManualClock() });
const now = shop.clock.now();
let admin: Context;
let toolId: string;

beforeAll(async () => {
  admin = await shop.user("admin");
  toolId = (await shop.tool({ name: "Canva Pro" })).id;
  const other = (await shop.tool({ name: "Udemy" })).id;
  const at = (n: number) => ({ createdAt: addDays(now, n) });
  await shop.coupon(toolId, {
    code: "WELCOME10",
    ...at(1),
    usesTaken: 3,
    usageLimit: 9,
    expiresAt: addDays(now, 3),
  });
  await shop.coupon(other, { code: "FEST_50", ...at(2), isActive: false });
  await shop.coupon(other, { code: "GONE", ...at(3), deletedAt: now });
  await shop.coupon(toolId, { code: "ANNUAL", ...at(4), expiresAt: addDays(now, 9) });
});
afterAll(() => shop.close());

const codes = async (input: ListInput) => (await listCoupons(admin, input)).rows.map(({ code }) => code);

test("the list of coupons shows the newest first, without deleted ones", async () => {
  expect(await codes({})).toEqual(["ANNUAL", "FEST_50", "WELCOME10"]);
  const list = await listCoupons(admin, {});
  expect(list).toMatchObject({ page: 1, total: 3, totalIsExact: true });
  expect(list.rows[2]).toMatchObject({
    toolId,
    toolName: "Canva Pro",
    toolIsDeleted: false,
    discountPercentage: 20,
    usageLimit: 9,
    timesUsed: 3,
    timesHeld: 0,
    isActive: true,
    expiresAt: addDays(now, 3),
    version: 1,
  });
});

test("the list of coupons has the coupon that an address names, on any page, and never a deleted one", async () => {
  const row = (await listCoupons(admin, { q: "WELCOME10" })).rows[0]?.id;
  const list = await listCoupons(admin, { q: "FEST", row });
  expect(list).toMatchObject({ rows: [{ code: "FEST_50" }], total: 1, opened: { code: "WELCOME10" } });
  const gone = await shop.coupon(toolId, { deletedAt: now });
  expect((await listCoupons(admin, { row: gone.id })).opened).toBeNull();
});

test.each<[ListInput, string[]]>([
  [{ q: "elcom" }, ["WELCOME10"]],
  [{ q: "t_5" }, ["FEST_50"]],
  [{ q: "canva" }, ["ANNUAL", "WELCOME10"]],
  [{ q: "we" }, ["WELCOME10"]],
  [{ q: "gone" }, []],
  [{ tool: "x" }, ["ANNUAL", "FEST_50", "WELCOME10"]],
  [{ sort: "code", direction: "asc" }, ["ANNUAL", "FEST_50", "WELCOME10"]],
  [{ sort: "expiresAt" }, ["ANNUAL", "WELCOME10", "FEST_50"]],
  [{ sort: "expiresAt", direction: "asc" }, ["WELCOME10", "ANNUAL", "FEST_50"]],
  [{ direction: "asc" }, ["WELCOME10", "FEST_50", "ANNUAL"]],
])("the list of coupons is searched and sorted: %o", async (input, found) => {
  expect(await codes(input)).toEqual(found);
  expect(await listCoupons(admin, input)).toMatchObject({ total: found.length });
});

test("the list of coupons is filtered by tool", async () => {
  expect(await codes({ tool: toolId })).toEqual(["ANNUAL", "WELCOME10"]);
  expect(await listCoupons(admin, { tool: toolId })).toMatchObject({ total: 2, totalIsExact: true });
  expect(await listCoupons(admin, { tool: uuidv7() })).toMatchObject({ rows: [], total: 0, page: 1 });
});

test("a use of an open checkout is held and not used", async () => {
  const buyer = await shop.user();
  const coupon = await shop.coupon(toolId, { code: "HELD", usesTaken: 2 });
  for (const [status, state] of [
    ["pending", "held"],
    ["failed", "released"],
  ] as const) {
    const purchaseId = uuidv7();
    await shop.db.insert(userPurchases).values({
      id: purchaseId,
      userId: buyer.actor.userId,
      userEmail: "x@example.com",
      toolId,
      toolName: "Canva Pro",
      validityDays: 30,
      listPricePaise: 1,
      amountPaise: 1,
      status,
      source: "checkout",
      couponCode: "HELD",
    });
    await shop.db.insert(couponRedemptions).values({ purchaseId, couponId: coupon.id, state });
  }
  expect((await listCoupons(admin, { q: "held" })).rows[0]).toMatchObject({ timesUsed: 1, timesHeld: 1 });
});

test("the list of coupons is for admins only", async () => {
  await expect(listCoupons(shop.visitor(), {})).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(listCoupons(await shop.user(), {})).rejects.toMatchObject({ code: "forbidden" });
});
