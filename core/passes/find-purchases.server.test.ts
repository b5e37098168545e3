import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { users } from "#db/tables/accounts.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { insertPayment } from "#tests/fixtures/insert-payment.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import { createManualClock } from "#tests/manual-clock.ts";
import type { Context } from "../context.ts";
import { MINUTE } from "../time.ts";
import { listPurchases } from "./list-purchases.server.ts";

const shop = openTestShop(await freshDatabase(), { clock: createManualClock() });
const now = shop.clock.now();
let admin: Context;
beforeAll(async () => {
  admin = await shop.user("admin");
});
afterAll(() => shop.close());

test("a purchase is found by the id of its buyer, and its beginning", async () => {
  const { userId } = (await shop.user()).actor;
  const id = await insert({ userId, email: "buyer@example.com" }, { amountPaise: 100 });
  for (const q of [userId, userId.toUpperCase(), userId.slice(0, 35)])
    expect((await listPurchases(admin, { q })).rows.map((row) => row.id)).toEqual([id]);
});

/** Inserts a failed checkout of ₹777.50 from now. */
async function insert(
  { userId, email }: { userId: string; email: string },
  facts: Partial<typeof userPurchases.$inferInsert>,
): Promise<string> {
  const [row] = await shop.db
    .insert(userPurchases)
    .values({
      userId,
      userEmail: email,
      toolName: "Odd",
      validityDays: 30,
      listPricePaise: 77_750,
      amountPaise: 77_750,
      status: "failed",
      source: "checkout",
      createdAt: now,
      ...facts,
    })
    .returning({ id: userPurchases.id });
  return row?.id ?? "";
}

test("an exact amount finds purchases with this price, paid or not, and with a day only those of that day", async () => {
  const buyer = await shop.user();
  // 23:30 and 00:30 in the time zone of the shop.
  const midnight = new Date("2026-11-26T18:30:00Z");
  const late = await insert(buyer.actor, { createdAt: new Date(midnight.getTime() - 30 * MINUTE) });
  const early = await insert(buyer.actor, { createdAt: new Date(midnight.getTime() + 30 * MINUTE) });
  const last = await insert(buyer.actor, { createdAt: new Date("2025-11-27T06:00:00Z") });
  const find = async (q: string) => (await listPurchases(admin, { q })).rows.map(({ id }) => id);
  shop.clock.set(new Date("2026-11-27T12:00:00Z"));
  for (const q of ["777.50", "₹777.50", "Rs. 777.5", "inr 777.50"])
    expect([q, await find(q)]).toEqual([q, [early, late, last]]);
  for (const q of ["777.50 27/11", "₹777.50 27/11/26", "777.5 27-11-2026"])
    expect([q, await find(q)]).toEqual([q, [early]]);
  expect(await find("777.50 26/11")).toEqual([late]);
  // The last day of that name, which is in the year before, and a year that was named.
  expect(await find("777.50 28/11")).toEqual([]);
  expect(await find("777.50 27/11/2025")).toEqual([last]);
  for (const q of ["777", "777.51", "777.50 31/02", "777.50 27/13"])
    expect([q, await find(q)]).toEqual([q, []]);
  shop.clock.set(now);
});

test("a payment with a fee on top is found by what was paid", async () => {
  const { purchaseId } = await insertPayment(shop, {
    attempt: { amountPaise: 15_252, capturedAt: new Date("2026-11-26T20:00:00Z") },
  });
  for (const q of ["152.52", "152.52 27/11/26"])
    expect((await listPurchases(admin, { q })).rows.map(({ id }) => id)).toEqual([purchaseId]);
  expect((await listPurchases(admin, { q: "152.52 26/11/26" })).total).toBe(0);
});

test("an e-mail address that is nearly right finds similar ones, marked, only when nothing matches exactly", async () => {
  const named = async (email: string) => {
    const { actor } = await shop.user();
    await shop.db.update(users).set({ email }).where(eq(users.id, actor.userId));
    return insert({ userId: actor.userId, email }, { amountPaise: 100 });
  };
  const priya = await named("priya.sharma@gmail.com");
  const other = await named("priya.sharma92@gmail.com");
  await named("ravi@gmail.com");
  const find = async (q: string) =>
    (await listPurchases(admin, { q })).rows.map(({ id, isSimilar }) => [id, isSimilar]);
  expect(await find("priya.sharma@gmail.com")).toEqual([[priya, false]]);
  for (const q of ["priya.sharma@gmial.com", "priya.sharna@gmail.com", "Pria.Sharma@gmail.com"])
    expect([q, await find(q)]).toEqual([
      q,
      expect.arrayContaining([
        [priya, true],
        [other, true],
      ]),
    ]); // prettier-ignore
  expect(await find("nobody.at.all@gmail.com")).toEqual([]);
  // Within the filters.
  expect((await listPurchases(admin, { q: "priya.sharna@gmail.com", status: "pending" })).total).toBe(0);
});
