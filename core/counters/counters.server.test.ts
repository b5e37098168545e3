import { eq, sql } from "drizzle-orm";
import fc from "fast-check";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { users } from "#db/tables/accounts.ts";
import { couponCodes } from "#db/tables/catalog.ts";
import { counterChanges, counters } from "#db/tables/counters.ts";
import { paymentAttempts, paymentOrders, refunds } from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { freshDatabase } from "../../tools/testing/database.ts";
import { createManualClock } from "../../tools/testing/manual-clock.ts";
import { openTestShop } from "../../tools/testing/open-test-shop.ts";
import { addDays, DAY } from "../time.ts";
import { compactCounters } from "./compact-counters.server.ts";
import { countCoupons, countPurchases, countUsers } from "./read-counts.server.ts";
import { readSales, readTestPayments } from "./read-sales.server.ts";
import { selectWrongCounters } from "./select-wrong-counters.server.ts";

const shop = openTestShop(await freshDatabase(), { clock: createManualClock() });
const { db } = shop;
const now = shop.clock.now();
let toolId: string;

beforeAll(async () => {
  toolId = (await shop.tool()).id;
});
afterAll(() => shop.close());

const wrong = async () => (await db.execute(selectWrongCounters(shop.clock.now()))).rows;

/** Row by row, without counters. */
async function countDirectly() {
  const { rows } = await db.execute(sql`
    select (select count(*) from users where deleted_at is null)::int as users,
      (select count(*) from users where deleted_at is null and provider = 'google')::int as google,
      (select count(*) from coupon_codes where deleted_at is null)::int as coupons,
      (select count(*) from user_purchases where status in ('completed', 'active') and ended_at is null
        and expires_at > ${now})::int as running,
      (select count(*) from user_purchases where status in ('completed', 'active')
        and (ended_reason is null or ended_reason not in ('deleted', 'user-deleted')))::int as completed,
      (select coalesce(sum(a.amount - greatest(a.refunded_at_gateway,
          coalesce((select sum(r.amount) from refunds r where r.attempt_id = a.id and r.status = 'processed'), 0))), 0)
        from payment_attempts a join payment_orders o on o.id = a.order_id
        where a.status = 'captured' and not o.test_mode)::int as revenue`);
  return rows[0];
}

async function readCounters() {
  const purchases = await countPurchases(db, now);
  const sales = await readSales(db, [new Date(0)]);
  return {
    users: await countUsers(db, "all"),
    google: await countUsers(db, "google"),
    coupons: await countCoupons(db),
    running: purchases.running,
    completed: purchases.allCompleted,
    revenue: sales[0]?.revenuePaise,
  };
}

type Purchase = Partial<typeof userPurchases.$inferInsert>;

const moment = fc
  .integer({ min: -450 * 96, max: 60 * 96 })
  .map((quarters) => new Date(now.getTime() + (quarters * DAY) / 96 - 1));
const purchaseFacts: fc.Arbitrary<Purchase> = fc
  .record({
    status: fc.constantFrom("pending", "completed", "failed", "active"),
    expiresAt: moment,
    testMode: fc.boolean(),
    endedReason: fc.option(fc.constantFrom("refunded", "cancelled", "deleted", "user-deleted")),
  })
  .map((facts) => ({ ...facts, startsAt: addDays(facts.expiresAt, -30), endedAt: facts.endedReason && now }));
const attemptFacts = fc.record({
  status: fc.constantFrom("created", "authorized", "captured", "captured", "failed"),
  amountPaise: fc.integer({ min: 1, max: 100 }),
  refundedPaise: fc.constantFrom(0, 0, 1, 50),
  capturedAt: fc.option(moment),
});
const refundFacts = fc.record({
  status: fc.constantFrom("requested", "processing", "processed", "failed"),
  amountPaise: fc.integer({ min: 1, max: 50 }),
});
const userFacts = fc.record({
  provider: fc.constantFrom("email", "google", "admin"),
  isActive: fc.boolean(),
  deletedAt: fc.option(fc.constant(now)),
});

/** One change of a random row. `at` chooses the row. */
const change = fc.record({
  what: fc.constantFrom(
    ...(["user", "purchase", "attempt", "refund", "coupon"] as const).flatMap((table) =>
      (["insert", "insert", "update", "delete"] as const).map((verb) => ({ table, verb })),
    ),
  ),
  at: fc.nat(),
  purchase: purchaseFacts,
  attempt: attemptFacts,
  refund: refundFacts,
  user: userFacts,
  compacts: fc.boolean(),
});
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

async function pick(
  table: typeof users | typeof userPurchases | typeof paymentAttempts | typeof refunds | typeof couponCodes,
  at: number,
) {
  const rows = await db.select({ id: table.id }).from(table).orderBy(table.id);
  return rows[at % Math.max(1, rows.length)]?.id;
}

async function insertUser(facts: Partial<typeof users.$inferInsert> = {}): Promise<string> {
  const id = uuidv7();
  await db.insert(users).values({ id, email: `${id}@example.com`, ...facts });
  return id;
}

async function insertPurchase(facts: Purchase): Promise<string> {
  const id = uuidv7();
  await db.insert(userPurchases).values({
    ...{ id, userId: await insertUser(), userEmail: "a@example.com", toolName: "Tool", validityDays: 30 },
    ...{ listPricePaise: 100, amountPaise: 100, status: "pending", source: "checkout" },
    ...facts,
  });
  return id;
}

async function insertAttempt(facts: Change["attempt"], testMode: boolean): Promise<string> {
  const purchaseId = await insertPurchase({});
  const [orderId, id] = [uuidv7(), uuidv7()];
  const order = {
    gateway: "razorpay",
    receipt: purchaseId,
    amountPaise: 100,
    currency: "INR",
    testMode,
  } as const;
  await db.insert(paymentOrders).values({ id: orderId, purchaseId, state: "open", ...order });
  await db.insert(paymentAttempts).values({ id, orderId, gatewayPaymentId: id, ...facts });
  return id;
}

async function apply({ what: { table, verb }, at, ...facts }: Change): Promise<void> {
  const tables = {
    user: users,
    purchase: userPurchases,
    attempt: paymentAttempts,
    refund: refunds,
    coupon: couponCodes,
  };
  if (verb === "insert") return insert(table, at, facts);
  const id = await pick(tables[table], at);
  if (id === undefined) return;
  const deleted = { deletedAt: now, isActive: false };
  if (table === "user")
    await db
      .update(users)
      .set(verb === "update" ? facts.user : deleted)
      .where(eq(users.id, id));
  if (table === "purchase")
    await db.update(userPurchases).set(facts.purchase).where(eq(userPurchases.id, id));
  if (table === "coupon") {
    const deletion =
      verb === "delete"
        ? db.delete(couponCodes)
        : db.update(couponCodes).set({ deletedAt: facts.user.deletedAt });
    await deletion.where(eq(couponCodes.id, id));
  }
  if (table === "attempt")
    await db.update(paymentAttempts).set(facts.attempt).where(eq(paymentAttempts.id, id));
  if (table === "refund") {
    const work = verb === "delete" ? db.delete(refunds) : db.update(refunds).set(facts.refund);
    await work.where(eq(refunds.id, id));
  }
}

async function insert(
  table: Change["what"]["table"],
  at: number,
  facts: Omit<Change, "what" | "at">,
): Promise<void> {
  if (table === "user") await insertUser(facts.user);
  if (table === "purchase") await insertPurchase(facts.purchase);
  if (table === "attempt") await insertAttempt(facts.attempt, at % 2 === 0);
  if (table === "coupon") await shop.coupon(toolId);
  if (table !== "refund") return;
  const attemptId = await pick(paymentAttempts, at);
  if (attemptId === undefined) return;
  await db.insert(refunds).values({ attemptId, reason: "test", idempotencyKey: uuidv7(), ...facts.refund });
}

describe("the counters", () => {
  test("equal the rows after any sequence of changes, compacted or not", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 25 }), async (changes) => {
        for (const one of changes) {
          await apply(one);
          if (one.compacts) await compactCounters(shop.system());
        }
        expect(await wrong()).toEqual([]);
        expect(await readCounters()).toEqual(await countDirectly());
      }),
      { numRuns: 25 },
    );
  });

  test("equal the rows after 60 transactions at once, with compactions between them", async () => {
    const purchases = await Promise.all(Array.from({ length: 20 }, () => insertPurchase({})));
    const attempt = { status: "captured", amountPaise: 100, refundedPaise: 0, capturedAt: now } as const;
    const shared = await insertAttempt(attempt, false);
    const complete = { status: "completed", startsAt: now, expiresAt: addDays(now, 30) } as const;
    const refund = { attemptId: shared, amountPaise: 2, reason: "test", status: "processed" } as const;
    await Promise.all([
      ...purchases.map((id) => db.update(userPurchases).set(complete).where(eq(userPurchases.id, id))),
      ...purchases.map(() => db.insert(refunds).values({ ...refund, idempotencyKey: uuidv7() })),
      ...purchases.map((_, n) =>
        n % 2
          ? insertAttempt(attempt, false)
          : db.update(paymentAttempts).set({ refundedPaise: n }).where(eq(paymentAttempts.id, shared)),
      ),
      ...purchases.slice(0, 5).map(() => compactCounters(shop.system())),
    ]);
    expect(await wrong()).toEqual([]);
    expect(await readCounters()).toEqual(await countDirectly());
  });

  test("do not change when a transaction is rolled back", async () => {
    const before = await readCounters();
    const failing = db.transaction(async (tx) => {
      await tx.insert(users).values({ email: "rolled-back@example.com" });
      throw new Error("rolled back");
    });
    await expect(failing).rejects.toThrow("rolled back");
    expect(await readCounters()).toEqual(before);
  });

  test("get no row from an update that changes nothing that is counted", async () => {
    const id = await insertPurchase({});
    await compactCounters(shop.system());
    await db.update(userPurchases).set({ notes: "note", holdEndsAt: now }).where(eq(userPurchases.id, id));
    await db.update(users).set({ lastLogin: now, name: "Name" });
    await db.update(couponCodes).set({ usesTaken: 3 });
    expect(await db.$count(counterChanges)).toBe(0);
  });

  test("count sales in the period of the capture, and a refund there too", async () => {
    const start = new Date("2031-01-01T00:00:00Z");
    const periods = [start, addDays(start, 1), addDays(start, 2)];
    const at = (capturedAt: Date, testMode = false) =>
      insertAttempt({ status: "captured", amountPaise: 90, refundedPaise: 0, capturedAt }, testMode);
    await at(addDays(start, 2));
    const first = await at(new Date(addDays(start, 1).getTime() - 1));
    const testPayments = await readTestPayments(db);
    await at(start, true);
    const zero = { sales: 0, revenuePaise: 0 };
    const one = { sales: 1, revenuePaise: 90 };
    expect(await readSales(db, periods)).toEqual([one, zero, one]);
    expect(await readTestPayments(db)).toEqual({
      ...{ sales: testPayments.sales + 1, revenuePaise: testPayments.revenuePaise + 90 },
    });
    const refund = {
      attemptId: first,
      reason: "test",
      status: "processed",
      idempotencyKey: uuidv7(),
    } as const;
    const [{ id } = { id: "" }] = await db
      .insert(refunds)
      .values({ ...refund, amountPaise: 40 })
      .returning();
    expect(await readSales(db, periods)).toEqual([{ sales: 1, revenuePaise: 50 }, zero, one]);
    await db.update(refunds).set({ amountPaise: 90 }).where(eq(refunds.id, id));
    expect(await readSales(db, periods)).toEqual([zero, zero, one]);
  });
});

describe("compacting the counters", () => {
  test("adds the changes up and keeps old quarters of an hour together", async () => {
    await insertPurchase({ status: "completed", startsAt: addDays(now, -40), expiresAt: addDays(now, -10) });
    const before = await readCounters();
    await compactCounters(shop.system());
    await compactCounters(shop.system());
    await compactCounters(shop.system());
    expect(await db.$count(counterChanges)).toBe(0);
    expect(await readCounters()).toEqual(before);
    const old = sql`name like 'purchases.%' and bucket > 'epoch' and bucket < ${addDays(now, -1)}`;
    expect(await db.$count(counters, old)).toBe(0);
    expect(await wrong()).toEqual([]);
  });

  test("is for the system only", async () => {
    await expect(compactCounters(shop.visitor())).rejects.toMatchObject({ code: "forbidden" });
    await expect(compactCounters(await shop.user("admin"))).rejects.toMatchObject({ code: "forbidden" });
  });
});
