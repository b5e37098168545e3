import { eq } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { users } from "#db/tables/accounts.ts";
import { importedDocuments } from "#db/tables/imports.ts";
import { paymentAttempts, paymentOrders } from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import { createManualClock } from "#tests/manual-clock.ts";
import type { Context } from "../context.ts";
import type { ListInput } from "../lists/paging.ts";
import { readTabCounts } from "../reports/read-dashboard.server.ts";
import { addDays } from "../time.ts";
import { listPurchases } from "./list-purchases.server.ts";

const shop = openTestShop(await freshDatabase(), { clock: createManualClock() });
const now = shop.clock.now();
const day = (n: number) => addDays(now, n);
const ids = new Map<string, string>();
/** The ids at the gateway, by the tool's name. */
const payments = new Map<string, { paymentId: string; orderId: string }>();
let admin: Context;
let buyer: Context & { actor: { userId: string; email: string } };

/** The name is the tool's name, so that the tests can read lists. */
async function addPurchase(toolName: string, facts: Partial<typeof userPurchases.$inferInsert>) {
  const id = uuidv7();
  ids.set(toolName, id);
  await shop.db.insert(userPurchases).values({
    id,
    userId: buyer.actor.userId,
    userEmail: buyer.actor.email,
    toolName,
    validityDays: 30,
    listPricePaise: 14_900,
    amountPaise: 14_900,
    status: "completed",
    source: "checkout",
    ...(facts.expiresAt && { startsAt: day(-60) }),
    ...facts,
  });
  const [orderId, gatewayOrderId, gatewayPaymentId] = [uuidv7(), `order_${id}`, `pay_${id}`];
  payments.set(toolName, { paymentId: gatewayPaymentId, orderId: gatewayOrderId });
  const amountPaise = 14_900;
  await shop.db.insert(paymentOrders).values({
    id: orderId,
    purchaseId: id,
    gateway: "sandbox",
    gatewayOrderId,
    receipt: id,
    amountPaise,
    currency: "INR",
    testMode: true,
    state: "settled",
  });
  await shop.db.insert(paymentAttempts).values({
    orderId,
    gatewayPaymentId,
    status: "failed",
    amountPaise,
  });
}

beforeAll(async () => {
  admin = await shop.user("admin");
  buyer = await shop.user();
  const ended = (endedReason: "refunded" | "cancelled" | "deleted" | "user-deleted") => ({
    endedReason,
    endedAt: day(-1),
  });
  await addPurchase("Open", { status: "pending", createdAt: day(-1) });
  await addPurchase("Failed", { status: "failed", createdAt: day(-2) });
  await addPurchase("Running", { expiresAt: day(20), createdAt: day(-3), testMode: true });
  await addPurchase("Imported", {
    status: "active",
    expiresAt: day(5),
    createdAt: day(-4),
    source: "import",
  });
  await addPurchase("Expired", { expiresAt: day(-2), createdAt: day(-5) });
  await addPurchase("Refunded", { expiresAt: day(9), createdAt: day(-6), ...ended("refunded") });
  await addPurchase("Cancelled while open", { status: "failed", createdAt: day(-7), ...ended("cancelled") });
  await addPurchase("Deleted", { expiresAt: day(9), createdAt: day(-8), ...ended("deleted") });
  await addPurchase("Of a deleted user", { expiresAt: day(9), createdAt: day(-9), ...ended("user-deleted") });
});
afterAll(() => shop.close());

const names = async (input: ListInput) =>
  (await listPurchases(admin, input)).rows.map(({ toolName }) => toolName);

test("the end of access is the expiry, or the moment in which the purchase was ended before", async () => {
  const { rows } = await listPurchases(admin, {});
  const endOf = (name: string) => {
    const row = rows.find(({ toolName }) => toolName === name);
    return { accessEndsAt: row?.accessEndsAt, isExpired: row?.isExpired };
  };
  expect(endOf("Running")).toEqual({ accessEndsAt: day(20), isExpired: false });
  expect(endOf("Expired")).toEqual({ accessEndsAt: day(-2), isExpired: true });
  expect(endOf("Refunded")).toEqual({ accessEndsAt: day(-1), isExpired: false });
  expect(endOf("Cancelled while open")).toEqual({ accessEndsAt: null, isExpired: false });
});

const CURRENT = ["Open", "Running", "Imported"];
const ALL = ["Open", "Failed", "Running", "Imported", "Expired", "Refunded", "Cancelled while open"];

describe("the list of purchases", () => {
  test("the list of purchases finds an imported purchase by its whole id in the old shop", async () => {
    const became = { becameTable: "user_purchases", becameId: ids.get("Imported") ?? "" } as const;
    const document = {
      collection: "purchases",
      documentId: "Old-17",
      contentHash: "x",
      document: {},
    } as const;
    const other = { ...document, collection: "tools", documentId: "Old-18", becameTable: "tools" } as const;
    await shop.db.insert(importedDocuments).values([
      { ...document, ...became },
      { ...became, ...other },
    ]);
    expect(await names({ q: " Old-17 " })).toEqual(["Imported"]);
    for (const q of ["Old-1", "Old-18"]) expect(await names({ q }), q).toEqual([]);
  });

  test("the list of purchases finds the active passes that end within some days and are not renewed, the first to end first, with their addresses", async () => {
    const own = await shop.user();
    onTestFinished(async () => {
      await shop.db.delete(userPurchases).where(eq(userPurchases.userId, own.actor.userId));
    });
    const passOf = (toolName: string, facts: Partial<typeof userPurchases.$inferInsert>) =>
      shop.pass(own, { toolName, startsAt: day(-20), ...facts });
    const tool = await shop.tool();
    const times = { startsAt: day(-20), expiresAt: day(2) };
    await passOf("Ends in 6", { expiresAt: day(6) });
    await passOf("Ends in 2", { expiresAt: day(2) });
    await passOf("Ends in 8", { expiresAt: day(8) });
    await passOf("Renewed", { toolId: tool.id, ...times });
    await passOf("Renewal", { toolId: tool.id, startsAt: day(2), expiresAt: day(32) });
    await passOf("Cancelled", { ...times, endedAt: day(-1), endedReason: "cancelled" });
    expect(await names({ ends: "7", q: own.actor.email })).toEqual(["Ends in 2", "Ends in 6"]);
    expect(await names({ ends: "7", q: own.actor.email, sort: "expiresAt" })).toEqual([
      "Ends in 6",
      "Ends in 2",
    ]);
    await shop.db.update(users).set({ isActive: false }).where(eq(users.id, own.actor.userId));
    expect(await names({ ends: "7", q: own.actor.email })).toEqual([]);
    await shop.db.update(users).set({ isActive: true }).where(eq(users.id, own.actor.userId));
    const list = await listPurchases(admin, { ends: "7" });
    expect(list.addresses).toContain(own.actor.email);
    expect(new Set(list.addresses).size).toBe(list.addresses?.length);
    expect((await listPurchases(admin, { ends: "1" })).addresses).not.toContain(own.actor.email);
    expect(await listPurchases(admin, { ends: "7 days" })).toMatchObject({ addresses: null });
  });

  test("the list of purchases has the purchase that an address names, whatever it is filtered by, and never a deleted one", async () => {
    const openedBy = async (row: string | undefined) => {
      const list = await listPurchases(admin, { q: "no such purchase", status: "failed", row });
      expect(list).toMatchObject({ rows: [], total: 0 });
      return list.opened?.toolName;
    };
    expect(await openedBy(ids.get("Running"))).toBe("Running");
    expect(await openedBy(ids.get("Deleted"))).toBeUndefined();
    expect(await openedBy(uuidv7())).toBeUndefined();
    expect(await openedBy("' or true")).toBeUndefined();
  });

  test("the list of purchases shows ended and expired ones too, newest first, and deleted ones never", async () => {
    expect(await names({})).toEqual(ALL);
    const list = await listPurchases(admin, {});
    expect(list).toMatchObject({ page: 1, pageSize: 50, total: ALL.length, totalIsExact: true });
    expect(list.rows[2]).toEqual({
      id: ids.get("Running"),
      orderNumber: expect.stringMatching(/^[2-9A-Z]{8}$/),
      waitsUntil: null,
      userId: buyer.actor.userId,
      userEmail: buyer.actor.email,
      accessEndsAt: day(20),
      toolName: "Running",
      amountPaise: 14_900,
      paidPaise: null,
      refundedPaise: 0,
      currency: "INR",
      status: "completed",
      calledStatus: "completed",
      endedReason: null,
      endedAt: null,
      createdAt: day(-3),
      expiresAt: day(20),
      isExpired: false,
      isSimilar: false,
      testMode: true,
      source: "checkout",
    });
  });

  test("the list of purchases has as many rows as the tab counts", async () => {
    const { total } = await listPurchases(admin, {});
    expect((await readTabCounts(admin)).purchases).toBe(total);
  });

  test("the list of purchases says which ones are expired or ended, and hides them on demand", async () => {
    expect(await names({ current: "1" })).toEqual(CURRENT);
    const { rows } = await listPurchases(admin, {});
    expect(rows.find(({ toolName }) => toolName === "Expired")).toMatchObject({ isExpired: true });
    expect(rows.find(({ toolName }) => toolName === "Refunded")).toMatchObject({
      status: "completed",
      endedReason: "refunded",
      endedAt: day(-1),
      isExpired: false,
    });
  });

  test.each<[ListInput, string[]]>([
    [{ status: "pending", current: "1" }, ["Open"]],
    [{ status: "failed", current: "1" }, []],
    // The other one is a test purchase, which opens nothing in this shop.
    [{ status: "running" }, ["Imported"]],
    [{ status: "running", current: "1" }, ["Imported"]],
    [{ status: "completed", current: "1" }, ["Running", "Imported"]],
    [{ status: "pending" }, ["Open"]],
    [{ status: "failed" }, ["Failed", "Cancelled while open"]],
    [{ status: "completed" }, ["Running", "Imported", "Expired", "Refunded"]],
  ])("the list of purchases is filtered by status: %o", async (input, found) => {
    expect(await names(input)).toEqual(found);
    expect(await listPurchases(admin, input)).toMatchObject({ total: found.length, totalIsExact: true });
    expect(await names({ ...input, direction: "asc" })).toEqual(found.toReversed());
  });

  test("the list of purchases is sorted by creation and by expiry in both directions", async () => {
    const current = "1";
    expect(await names({ current, direction: "asc" })).toEqual(CURRENT.toReversed());
    expect(await names({ direction: "asc" })).toEqual(ALL.toReversed());
    expect(await names({ sort: "expiresAt", current })).toEqual(["Running", "Imported", "Open"]);
    expect(await names({ sort: "expiresAt", current, direction: "asc" })).toEqual([
      "Imported",
      "Running",
      "Open",
    ]);
    const dated = ["Running", "Refunded", "Imported", "Expired"];
    const unpaid = ["Open", "Failed", "Cancelled while open"];
    expect(await names({ sort: "expiresAt" })).toEqual([...dated, ...unpaid]);
    // Purchases without a date come last in both directions.
    expect(await names({ sort: "expiresAt", direction: "asc" })).toEqual([
      ...dated.toReversed(),
      ...unpaid.toReversed(),
    ]);
    expect(await names({ sort: "expiresAt", status: "completed", current })).toEqual(["Running", "Imported"]);
  });

  test.each<[string, () => ListInput, string[]]>([
    ["a part of the tool's name", () => ({ q: "unnin" }), ["Running"]],
    ["the tool's name within a filter", () => ({ q: "open", status: "failed" }), ["Cancelled while open"]],
    [
      "a part of the e-mail address among current ones",
      () => ({ q: buyer.actor.email.slice(9, 30).toUpperCase(), current: "1" }),
      CURRENT,
    ],
    ["the whole address", () => ({ q: buyer.actor.email }), ALL],
    ["the id of a purchase", () => ({ q: ids.get("Running") }), ["Running"]],
    ["the beginning of an id", () => ({ q: ids.get("Running")?.slice(0, 30) }), ["Running"]],
    ["the id of a deleted purchase", () => ({ q: ids.get("Deleted") }), []],
    ["two letters by the beginning of a word", () => ({ q: "OP" }), ["Open", "Cancelled while open"]],
    ["two letters within a word: nothing", () => ({ q: "pe" }), []],
    ["signs that are not there: nothing", () => ({ q: "__%" }), []],
    ["nothing that exists", () => ({ q: "nothing" }), []],
  ])("the list of purchases is searched by %s", async (_what, input, found) => {
    expect(await names(input())).toEqual(found);
    expect(await listPurchases(admin, input())).toMatchObject({ total: found.length, totalIsExact: true });
  });

  test.each([
    "Running",
    "Expired",
    "Refunded",
    "Cancelled while open",
  ])("the list of purchases finds the purchase of a payment id and of an order id, ended or not: %s", async (name) => {
    const { paymentId, orderId } = payments.get(name) ?? {};
    for (const q of [paymentId, orderId]) {
      expect(await names({ q })).toEqual([name]);
      expect(await listPurchases(admin, { q })).toMatchObject({ total: 1, totalIsExact: true, page: 1 });
      const isCurrent = CURRENT.includes(name);
      expect(await names({ q, current: "1" })).toEqual(isCurrent ? [name] : []);
      expect(await names({ q, status: "pending" })).toEqual([]);
      expect(await names({ q: `${q}x` })).toEqual([]);
    }
  });

  test("the list of purchases finds no deleted purchase by its payment", async () => {
    const { paymentId, orderId } = payments.get("Deleted") ?? {};
    for (const q of [paymentId, orderId]) expect(await names({ q })).toEqual([]);
  });

  test("the list of purchases counts a pass as expired from the moment of its end", async () => {
    shop.clock.set(new Date(day(5).getTime() - 1));
    expect(await listPurchases(admin, { status: "completed", current: "1" })).toMatchObject({ total: 2 });
    shop.clock.set(day(5));
    const list = await listPurchases(admin, { status: "completed", current: "1" });
    expect(list).toMatchObject({ total: 1, rows: [{ toolName: "Running" }] });
    shop.clock.set(now);
  });

  test("the list of purchases takes the default for everything in an address that makes no sense", async () => {
    const nonsense = {
      q: {},
      page: "x",
      sort: "amount",
      direction: "",
      status: "refunded",
      current: "perhaps",
    };
    expect(await names(nonsense)).toEqual(ALL);
  });

  test("the list of purchases is for admins only", async () => {
    await expect(listPurchases(shop.visitor(), {})).rejects.toMatchObject({ code: "unauthenticated" });
    await expect(listPurchases(buyer, {})).rejects.toMatchObject({ code: "forbidden" });
  });
});

describe("pages of purchases", () => {
  beforeAll(async () => {
    const base = { userId: buyer.actor.userId, userEmail: buyer.actor.email, validityDays: 30 };
    const price = { listPricePaise: 1, amountPaise: 1, source: "checkout" } as const;
    await shop.db.insert(userPurchases).values(
      Array.from({ length: 130 }, (_, n) => ({
        ...base,
        ...price,
        toolName: "Many",
        createdAt: day(-20),
        ...(n % 3 === 0
          ? { status: "failed" as const }
          : { status: "completed" as const, startsAt: day(-20 + n / 1000), expiresAt: day(1) }),
        ...(n % 4 === 1 && { endedAt: day(-10), endedReason: "cancelled" as const }),
      })),
    );
  });

  test.each<ListInput>([
    {},
    { direction: "asc" },
    { current: "1" },
    { sort: "expiresAt", current: "1" },
    { sort: "expiresAt", direction: "asc" },
    { sort: "expiresAt", direction: "asc", q: "many" },
    { status: "completed" },
    { q: "many" },
    { q: "example.com", current: "1" },
  ])("the pages of the list of purchases show every purchase once: %o", async (input) => {
    const { total } = await listPurchases(admin, input);
    const seen: string[] = [];
    for (let page = 1; page <= Math.ceil(total / 50); page++) {
      const list = await listPurchases(admin, { ...input, page: String(page) });
      expect(list).toMatchObject({ page, total, totalIsExact: true });
      seen.push(...list.rows.map(({ id }) => id));
    }
    expect(new Set(seen).size).toBe(total);
    expect(seen).toHaveLength(total);
    expect(total).toBeGreaterThan(50);
  });
});
