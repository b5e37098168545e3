import { eq, sql } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { users } from "#db/tables/accounts.ts";
import { tools } from "#db/tables/catalog.ts";
import { paymentAttempts, paymentOrders, refunds } from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import type { AuthorisedContext } from "../authorise.ts";
import { IS_COMPLETED, IS_NOT_DELETED } from "../pass-validity.server.ts";
import { addDays } from "../time.ts";
import { auditLedger } from "./audit-ledger.server.ts";
import { FIGURES_KEPT_MS, forgetFigures, readFigures } from "./figures.server.ts";
import { type DashboardStatistics, readDashboardStatistics } from "./read-dashboard.server.ts";

let shop: SandboxShop;
let admin: AuthorisedContext & { actor: { userId: string; email: string } };
beforeAll(async () => {
  shop = await startSandboxShop();
  admin = await shop.user("admin");
});
afterAll(() => shop.close());

/** Runs `work`. @returns the difference in each statistic that changed */
async function measureChange(work: () => Promise<unknown>): Promise<Partial<DashboardStatistics>> {
  forgetFigures(admin);
  const before = await readDashboardStatistics(admin);
  await work();
  forgetFigures(admin);
  const after = await readDashboardStatistics(admin);
  const names = [
    "totalUsers",
    "activeUsers",
    "totalPurchases",
    "totalRevenuePaise",
    "totalTools",
    "activeTools",
  ] as const;
  return Object.fromEntries(
    names
      .map((name) => [name, after[name] - before[name]] as const)
      .filter(([, difference]) => difference !== 0),
  );
}

type Purchase = typeof userPurchases.$inferInsert;

async function addPurchase(facts: Partial<Purchase> = {}): Promise<string> {
  const id = uuidv7();
  const now = shop.clock.now();
  await shop.db.insert(userPurchases).values({
    id,
    userId: admin.actor.userId,
    userEmail: admin.actor.email,
    toolName: "ChatGPT Pro",
    validityDays: 30,
    listPricePaise: 14_900,
    amountPaise: 14_900,
    status: "completed",
    source: "checkout",
    startsAt: now,
    expiresAt: new Date(now.getTime() + 1),
    ...facts,
  });
  return id;
}

type AttemptStatus = typeof paymentAttempts.$inferInsert.status;

async function addPayment(
  purchaseId: string,
  facts: { status?: AttemptStatus; amountPaise?: number; testMode?: boolean; refundedPaise?: number } = {},
): Promise<string> {
  const { status = "captured", amountPaise = 14_900, testMode = false, refundedPaise = 0 } = facts;
  const orderId = uuidv7();
  const attemptId = uuidv7();
  await shop.db.insert(paymentOrders).values({
    id: orderId,
    purchaseId,
    gateway: "razorpay",
    receipt: purchaseId,
    amountPaise,
    currency: "INR",
    testMode,
    state: "settled",
  });
  await shop.db.insert(paymentAttempts).values({
    id: attemptId,
    orderId,
    gatewayPaymentId: `pay_${attemptId}`,
    status,
    amountPaise,
    refundedPaise,
  });
  return attemptId;
}

type RefundStatus = typeof refunds.$inferInsert.status;

async function addRefund(attemptId: string, status: RefundStatus, amount = 14_900): Promise<void> {
  await shop.db
    .insert(refunds)
    .values({ attemptId, amountPaise: amount, reason: "already-owned", idempotencyKey: uuidv7(), status });
}

test("a new shop counts only its admin", async () => {
  expect(await readDashboardStatistics(admin)).toEqual({
    totalUsers: 1,
    activeUsers: 1,
    totalPurchases: 0,
    totalRevenuePaise: 0,
    totalTools: 0,
    activeTools: 0,
    renewableInMs: null,
  });
});

describe("the statistics of users", () => {
  test("the statistics count a new account as one user and one active user", async () => {
    expect(await measureChange(() => shop.user())).toEqual({ totalUsers: 1, activeUsers: 1 });
  });

  test("the statistics count a disabled account as a user, but not as an active user", async () => {
    const { actor } = await shop.user();
    const disable = () => shop.db.update(users).set({ isActive: false }).where(eq(users.id, actor.userId));
    expect(await measureChange(disable)).toEqual({ activeUsers: -1 });
  });

  test("the statistics do not count a deleted account", async () => {
    const { actor } = await shop.user();
    const remove = () =>
      shop.db.update(users).set({ deletedAt: new Date() }).where(eq(users.id, actor.userId));
    expect(await measureChange(remove)).toEqual({ totalUsers: -1, activeUsers: -1 });
  });
});

describe("the statistics of purchases", () => {
  test.each<[string, Partial<Purchase>]>([
    ["paid", {}],
    ["imported", { status: "active", source: "import" }],
    ["imported and superseded", { source: "import", endedAt: new Date(), endedReason: "superseded" }],
    ["assigned by the admin", { source: "admin", amountPaise: 0 }],
    ["in test mode", { testMode: true }],
    ["refunded", { endedAt: new Date(), endedReason: "refunded" }],
    ["cancelled", { endedAt: new Date(), endedReason: "cancelled" }],
  ])("the statistics count a purchase that is %s", async (_what, facts) => {
    expect(await measureChange(() => addPurchase(facts))).toEqual({ totalPurchases: 1 });
  });

  test.each<[string, Partial<Purchase>]>([
    ["pending", { status: "pending" }],
    ["failed", { status: "failed" }],
    ["imported and pending", { status: "pending", source: "import" }],
    ["deleted", { endedAt: new Date(), endedReason: "deleted" }],
    ["of a deleted user", { endedAt: new Date(), endedReason: "user-deleted" }],
  ])("the statistics do not count a purchase that is %s", async (_what, facts) => {
    expect(await measureChange(() => addPurchase(facts))).toEqual({});
  });
});

test("the count of purchases reads the index that has its condition", async () => {
  const plan = await shop.db.transaction(async (tx) => {
    await tx.execute(sql`set local enable_seqscan = off`);
    const { rows } = await tx.execute(
      sql`explain select count(*) from ${userPurchases} where ${IS_COMPLETED} and ${IS_NOT_DELETED}`,
    );
    return JSON.stringify(rows);
  });
  expect(plan).toContain("user_purchases_completed_idx");
});

describe("the revenue", () => {
  test("the revenue and the sales by day exclude the amounts of imported purchases, and no pass of them runs twice", async () => {
    const now = shop.clock.now();
    const imported = { source: "import" as const, amountPaise: 49_900, capturedAt: now, createdAt: now };
    const read = async () => {
      forgetFigures(admin);
      const { revenuePaise, days, running } = await readFigures(admin);
      return { revenuePaise, days, running };
    };
    const before = await read();
    const times = { startsAt: addDays(now, -1), expiresAt: addDays(now, 9) };
    await addPurchase({ ...imported, ...times });
    await addPurchase({ ...imported, ...times, endedAt: now, endedReason: "superseded" });
    await addPurchase({ ...imported, status: "pending" });
    expect(await read()).toEqual({ ...before, running: before.running + 1 });
    expect((await auditLedger(shop.system())).counts).toEqual({});
  });

  test("the revenue is the sum of captured payments in paise", async () => {
    const id = await addPurchase();
    expect(await measureChange(() => addPayment(id, { amountPaise: 14_950 }))).toEqual({
      totalRevenuePaise: 14_950,
    });
  });

  test.each<AttemptStatus>([
    "created",
    "authorized",
    "failed",
  ])("the revenue excludes a payment that is %s", async (status) => {
    const id = await addPurchase();
    expect(await measureChange(() => addPayment(id, { status }))).toEqual({});
  });

  test("the revenue excludes payments and refunds in test mode", async () => {
    const id = await addPurchase({ testMode: true });
    const payAndRefund = async () => addRefund(await addPayment(id, { testMode: true }), "processed");
    expect(await measureChange(payAndRefund)).toEqual({});
  });

  test("the revenue is reduced by a processed refund", async () => {
    const attempt = await addPayment(await addPurchase());
    expect(await measureChange(() => addRefund(attempt, "processed", 4_900))).toEqual({
      totalRevenuePaise: -4_900,
    });
  });

  test.each<RefundStatus>([
    "requested",
    "processing",
    "failed",
  ])("the revenue is not reduced by a refund that is %s", async (status) => {
    const attempt = await addPayment(await addPurchase());
    expect(await measureChange(() => addRefund(attempt, status))).toEqual({});
  });

  const everyPayment = (["captured", "failed"] as const).flatMap((status) =>
    [false, true].flatMap((testMode) =>
      [0, 4_900].flatMap((refundedPaise) =>
        [[], [3_000], [3_000, 11_900], [14_900]].map((paise) => ({ status, testMode, refundedPaise, paise })),
      ),
    ),
  );
  test.each(
    everyPayment,
  )("the revenue is what $status, testMode $testMode, $refundedPaise refunded at the gateway and $paise by the shop leave", async ({
    paise,
    ...facts
  }) => {
    const addAll = async () => {
      const attempt = await addPayment(await addPurchase(), facts);
      for (const amount of paise) await addRefund(attempt, "processed", amount);
      await addRefund(attempt, "failed");
    };
    const { testPayments } = await readFigures(admin);
    const { totalRevenuePaise = 0 } = await measureChange(addAll);
    const refunded = Math.max(
      facts.refundedPaise,
      paise.reduce((sum, amount) => sum + amount, 0),
    );
    const left = facts.status === "captured" ? 14_900 - refunded : 0;
    expect(totalRevenuePaise).toBe(facts.testMode ? 0 : left);
    const after = (await readFigures(admin)).testPayments;
    expect(after.revenuePaise - testPayments.revenuePaise).toBe(facts.testMode ? left : 0);
    expect(after.sales - testPayments.sales).toBe(facts.testMode && left > 0 ? 1 : 0);
  });

  test("the revenue of a payment does not change when its purchase is deleted", async () => {
    const id = await addPurchase();
    await addPayment(id);
    const remove = () =>
      shop.db
        .update(userPurchases)
        .set({ endedAt: new Date(), endedReason: "deleted" })
        .where(eq(userPurchases.id, id));
    expect(await measureChange(remove)).toEqual({ totalPurchases: -1 });
  });

  test("the revenue is exact above the range of a 32-bit integer", async () => {
    const amount = 2_000_000_000;
    const payTwice = async () => {
      await addPayment(await addPurchase(), { amountPaise: amount });
      await addPayment(await addPurchase(), { amountPaise: amount });
    };
    expect(await measureChange(payTwice)).toEqual({ totalPurchases: 2, totalRevenuePaise: 2 * amount });
  });
});

describe("the statistics of tools", () => {
  test("the statistics count a tool on sale as a tool and as an active tool", async () => {
    expect(await measureChange(() => shop.tool())).toEqual({ totalTools: 1, activeTools: 1 });
  });

  test("the statistics count a tool that is off sale, but not as active", async () => {
    expect(await measureChange(() => shop.tool({ isActive: false }))).toEqual({ totalTools: 1 });
  });

  test("the statistics do not count a deleted tool", async () => {
    const { id } = await shop.tool();
    const remove = () => shop.db.update(tools).set({ deletedAt: new Date() }).where(eq(tools.id, id));
    expect(await measureChange(remove)).toEqual({ totalTools: -1, activeTools: -1 });
  });
});

describe("the statistics are kept", () => {
  const countUsers = async () => (await readDashboardStatistics(admin)).totalUsers;

  test("the kept statistics show a buyer's change after ten seconds", async () => {
    forgetFigures(admin);
    const before = await countUsers();
    await shop.user();
    shop.clock.advance(FIGURES_KEPT_MS - 1);
    expect(await countUsers()).toBe(before);
    shop.clock.advance(1);
    expect(await countUsers()).toBe(before + 1);
  });

  test("the statistics are read once for readers at the same time, and anew after the change of an admin", () => {
    forgetFigures(admin);
    const first = readFigures(admin);
    expect(readFigures(shop.system())).toBe(first);
    forgetFigures(admin);
    expect(readFigures(admin)).not.toBe(first);
  });

  test("the statistics are kept no longer when the clock is set back", async () => {
    forgetFigures(admin);
    const before = await countUsers();
    await shop.user();
    shop.clock.advance(-1);
    expect(await countUsers()).toBe(before + 1);
    shop.clock.advance(1);
  });

  test("a reading of the statistics that fails is not kept", async () => {
    forgetFigures(admin);
    const before = await countUsers();
    forgetFigures(admin);
    await shop.db.execute(sql`alter table users rename to users_away`);
    await expect(countUsers()).rejects.toThrow();
    await shop.db.execute(sql`alter table users_away rename to users`);
    expect(await countUsers()).toBe(before);
  });

  test("the statistics of another shop in the same process are kept apart", async () => {
    await countUsers();
    const other = openTestShop(await freshDatabase(), { clock: shop.clock });
    const { totalUsers } = await readDashboardStatistics(await other.user("admin"));
    await other.close();
    expect(totalUsers).toBe(1);
  });
});

test("only an admin may read the statistics", async () => {
  await expect(readDashboardStatistics(shop.visitor())).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(readDashboardStatistics(await shop.user())).rejects.toMatchObject({ code: "forbidden" });
  await expect(readDashboardStatistics(shop.system())).rejects.toMatchObject({ code: "unauthenticated" });
});
