import { eq, isNotNull } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { tools } from "#db/tables/catalog.ts";
import { accessCodeReports, credentials } from "#db/tables/vault.ts";
import { insertPayment } from "#tests/fixtures/insert-payment.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import { createAccessCode } from "../access-codes/manage-access-codes.server.ts";
import type { Context } from "../context.ts";
import { createCredential } from "../credentials/manage-credentials.server.ts";
import { addDays, MINUTE } from "../time.ts";
import { daysUntil, FIGURES_KEPT_MS, forgetFigures } from "./figures.server.ts";
import {
  countAttention,
  readDashboardStatistics,
  readOverview,
  readTabCounts,
} from "./read-dashboard.server.ts";

let shop: SandboxShop;
let admin: Context;
beforeAll(async () => {
  shop = await startSandboxShop();
  admin = await shop.user("admin");
});
afterAll(() => shop.close());

function readAnew(ctx: Context) {
  forgetFigures(ctx);
  return readOverview(ctx);
}

const none = { sales: 0, revenuePaise: 0 };

test("a new shop has zeros and empty lists", async () => {
  const overview = await readAnew(admin);
  expect(overview).toMatchObject({
    today: none,
    last7Days: none,
    last30Days: none,
    passesRunning: 0,
    cameFrom: [],
    testPayments: none,
    recentPurchases: [],
    toolsOnSale: 0,
    lowStock: [],
    lowStockTotal: 0,
    withoutCode: [],
    withoutCredential: [],
    reportedCodes: [],
    codesAlike: [],
  });
  expect(overview.days).toHaveLength(30);
  expect(overview.at).toEqual(shop.clock.now());
  const counts = { users: 1, tools: 0, accessCodes: 0, purchases: 0, coupons: 0, credentials: 0 };
  expect(await readTabCounts(admin)).toEqual(counts);
});

test("the overview adds sales up by the days of the store's time zone, refunds taken off, test payments apart", async () => {
  // In India the day begins at 18:30 UTC.
  const now = shop.clock.now();
  const today = new Date("2026-11-20T18:30:00Z");
  const live = { purchase: { testMode: false }, order: { testMode: false } };
  const pay = (capturedAt: Date) => insertPayment(shop, { ...live, attempt: { capturedAt } });
  await pay(now);
  await pay(today);
  await pay(new Date(today.getTime() - 1));
  await pay(addDays(today, -6));
  await pay(new Date(addDays(today, -6).getTime() - MINUTE));
  await pay(addDays(today, -29));
  await pay(new Date(addDays(today, -29).getTime() - 1));
  await insertPayment(shop, { ...live, attempt: { capturedAt: now }, refunds: [{ amountPaise: 4_900 }] });
  await insertPayment(shop, { ...live, attempt: { capturedAt: now }, refunds: [{}] });
  await insertPayment(shop, { attempt: { capturedAt: now } });
  const overview = await readAnew(admin);
  const price = 14_900;
  expect(overview).toMatchObject({
    today: { sales: 3, revenuePaise: 2 * price + 10_000 },
    last7Days: { sales: 5, revenuePaise: 4 * price + 10_000 },
    last30Days: { sales: 7, revenuePaise: 6 * price + 10_000 },
    testPayments: { sales: 1, revenuePaise: price },
  });
  expect(overview.days.at(-1)).toMatchObject({ date: "2026-11-21", sales: 3 });
  expect(overview.days.at(-2)).toMatchObject({ date: "2026-11-20", sales: 1, revenuePaise: price });
  expect(overview.days[0]).toMatchObject({ date: "2026-10-23", sales: 1 });
  expect(overview.days[1]).toMatchObject(none);
});

test("the overview adds up by what brought the buyers: the four with most revenue, then the others, without test payments", async () => {
  const since = addDays(new Date("2026-11-20T18:30:00Z"), -29);
  const order = { testMode: false };
  const buy = (cameFrom: string | null, count: number, capturedAt = since) =>
    Promise.all(
      Array.from({ length: count }, () =>
        insertPayment(shop, { purchase: { cameFrom }, order, attempt: { capturedAt } }),
      ),
    );
  expect((await readAnew(admin)).cameFrom).toEqual([]);
  await buy("telegram", 2);
  await buy("whatsapp", 5);
  await buy("whatsapp", 1, new Date(since.getTime() - 1));
  await buy(null, 9);
  await insertPayment(shop, { purchase: { cameFrom: "test" } });
  await insertPayment(shop, { purchase: { cameFrom: "refunded" }, order, refunds: [{}] });
  const price = 14_900;
  const named = [
    { name: "whatsapp", sales: 5, revenuePaise: 5 * price },
    { name: "telegram", sales: 2, revenuePaise: 2 * price },
  ];
  const refunded = { name: "refunded", sales: 0, revenuePaise: 0 };
  expect((await readAnew(admin)).cameFrom).toEqual([...named, refunded]);
  for (const name of ["a.example", "b.example", "c.example"]) await buy(name, 1);
  expect((await readAnew(admin)).cameFrom).toEqual([
    ...named,
    { name: "a.example", sales: 1, revenuePaise: price },
    { name: "b.example", sales: 1, revenuePaise: price },
    { name: null, sales: 1, revenuePaise: price },
  ]);
});

test("the overview shows the five newest completed purchases and counts the passes that run", async () => {
  const before = await readAnew(admin);
  // Rows without a given time have the time of the database server.
  const at = (year: number) => new Date(Date.UTC(2030 + year, 0, 1));
  for (const n of [1, 2, 3, 4, 5]) {
    // An offer at the gateway made the third one cheaper.
    const attempt = n === 3 ? { amountPaise: 13_410 } : {};
    await insertPayment(shop, { purchase: { createdAt: at(n), toolName: `Tool ${n}` }, attempt });
  }
  await insertPayment(shop, { purchase: { createdAt: at(6), endedAt: at(6), endedReason: "deleted" } });
  const { recentPurchases, passesRunning } = await readAnew(admin);
  const names = recentPurchases.map(({ toolName }) => toolName);
  expect(names).toEqual(["Tool 5", "Tool 4", "Tool 3", "Tool 2", "Tool 1"]);
  const amounts = recentPurchases.map(({ amountPaise }) => amountPaise);
  expect(amounts).toEqual([14_900, 14_900, 13_410, 14_900, 14_900]);
  expect(passesRunning).toBe(before.passesRunning + 5);
});

test("the overview counts a pass as running until its end, one in test mode only while the shop accepts it", async () => {
  const now = shop.clock.now();
  const expiresAt = new Date(now.getTime() + 10 * MINUTE);
  const { gateway } = shop.ports;
  if (gateway === null) throw new Error("the test shop has a gateway");
  const live = { ...admin, ports: { ...admin.ports, gateway: { ...gateway, testMode: false } } };
  const count = async (ctx: Context) => (await readAnew(ctx)).passesRunning;
  shop.clock.advance(5 * MINUTE);
  const before = [await count(admin), await count(live)];
  const insert = (purchase: NonNullable<Parameters<typeof insertPayment>[1]>["purchase"]) =>
    insertPayment(shop, { purchase: { startsAt: now, expiresAt, ...purchase } });
  await insert({ testMode: true });
  await insert({ testMode: false });
  await insert({ testMode: false, status: "active" });
  await insert({ testMode: false, endedAt: now, endedReason: "refunded" });
  await insert({ testMode: false, status: "failed" });
  shop.clock.set(new Date(expiresAt.getTime() - 1));
  expect([await count(admin), await count(live)]).toEqual([Number(before[0]) + 3, Number(before[1]) + 2]);
  shop.clock.set(expiresAt);
  expect([await count(admin), await count(live)]).toEqual(before);
  shop.clock.set(now);
});

test("the overview says how old its sums are, and the statistics when they are read again", async () => {
  const { at, passesRunning } = await readAnew(admin);
  await insertPayment(shop, { purchase: { expiresAt: addDays(at, 1) } });
  shop.clock.advance(4_000);
  expect(await readOverview(admin)).toMatchObject({ at, passesRunning });
  expect((await readDashboardStatistics(admin)).renewableInMs).toBe(FIGURES_KEPT_MS - 4_000);
  shop.clock.advance(FIGURES_KEPT_MS - 4_000);
  const now = shop.clock.now();
  expect(await readOverview(admin)).toMatchObject({ at: now, passesRunning: passesRunning + 1 });
  expect((await readDashboardStatistics(admin)).renewableInMs).toBeNull();
  shop.clock.set(at);
});

test("what needs attention is counted for admins only", async () => {
  await expect(countAttention(shop.visitor())).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(countAttention(await shop.user())).rejects.toMatchObject({ code: "forbidden" });
});

test("the overview lists tools on sale with little stock, and those with a server without an active code", async () => {
  const server = (name: string) => ({ id: name.toLowerCase(), name, url: null });
  const low = await shop.tool({ name: "Low", availableStock: 4, servers: [server("One"), server("Two")] });
  await shop.tool({ name: "Empty", availableStock: 0 });
  await shop.tool({ name: "Enough", availableStock: 5 });
  await shop.tool({ name: "Off sale", availableStock: 0, isActive: false, servers: [server("One")] });
  const toolId = low.id;
  await createAccessCode(admin, { toolId, serverName: " one ", simpleCode: "X", isActive: true });
  await createAccessCode(admin, { toolId, serverName: "Two", simpleCode: "Y", isActive: false });
  const { lowStock, withoutCode } = await readAnew(admin);
  expect(lowStock.map(({ toolName, availableStock }) => [toolName, availableStock])).toEqual([
    ["Empty", 0],
    ["Low", 4],
  ]);
  expect(withoutCode).toEqual([{ toolId: low.id, toolName: "Low", servers: ["Two"] }]);
  const attention = await countAttention(admin);
  await shop.db.update(tools).set({ availableStock: 5 }).where(eq(tools.id, low.id));
  expect(await countAttention(admin)).toBe(attention - 1);
  await shop.db.update(tools).set({ availableStock: 4 }).where(eq(tools.id, low.id));
  const signIn = { credentialService: "Canva", servers: [server("Server 1")] };
  await shop.tool({ name: "Sign-in only", ...signIn });
  const used = await shop.tool({ name: "Sign-in and code", ...signIn });
  await createAccessCode(admin, {
    toolId: used.id,
    serverName: "Server 1",
    simpleCode: "SIGN-IN",
    isActive: false,
  });
  const names = (await readAnew(admin)).withoutCode.map(({ toolName }) => toolName);
  expect(names).toEqual(["Low", "Sign-in and code"]);
  await shop.db.update(tools).set({ credentialService: null }).where(isNotNull(tools.credentialService));
});

test("the overview lists 20 tools with little stock and counts all of them", async () => {
  for (let n = 1; n <= 21; n++) await shop.tool({ name: `Low ${n}`, availableStock: 1 });
  const { lowStock, lowStockTotal } = await readAnew(admin);
  // "Empty" and "Low" are of the test above.
  expect(lowStock).toHaveLength(20);
  expect(lowStockTotal).toBe(23);
});

test("the overview lists each reported code, also when there are more than 20", async () => {
  const { id: toolId } = await shop.tool({ name: "Reported", isActive: false });
  const { actor } = await shop.user();
  for (let at = 0; at < 21; at += 1) {
    const { id } = await createAccessCode(admin, {
      toolId,
      serverName: "Server 1",
      simpleCode: `REPORTED-${at}`,
      isActive: true,
    });
    await shop.db.insert(accessCodeReports).values({
      accessCodeId: id,
      userId: actor.userId,
      createdAt: shop.clock.now(),
    });
  }
  expect((await readAnew(admin)).reportedCodes).toHaveLength(21);
});

test("the overview lists tools on sale whose page offers a credential that is missing or not the only one that fits", async () => {
  await shop.db.delete(credentials);
  const add = (service: string, email: string) =>
    createCredential(admin, {
      service: "Other",
      otherService: service,
      email,
      password: "x",
      isActive: true,
    });
  const { id: own } = await add("Udemy", "one@example.com");
  await add("Udemy", "two@example.com");
  await add("QuillBot", "three@example.com");
  const none = await shop.tool({ name: "A", credentialService: "Write Human" });
  const several = await shop.tool({ name: "B", credentialService: "Udemy" });
  await shop.tool({ name: "C", credentialService: "QuillBot" });
  await shop.tool({ name: "D", credentialService: "Udemy", credentialId: own });
  await shop.tool({ name: "E" });
  await shop.tool({ name: "F", credentialService: "Udemy", isActive: false });
  expect((await readAnew(admin)).withoutCredential).toEqual([
    { toolId: none.id, toolName: "A", slug: none.slug, service: "Write Human", isAmbiguous: false },
    { toolId: several.id, toolName: "B", slug: several.slug, service: "Udemy", isAmbiguous: true },
  ]);
  await shop.db.delete(credentials);
});

test("the counts of the tabs count what the lists show", async () => {
  const before = await readTabCounts(admin);
  const tool = await shop.tool();
  await shop.tool({ deletedAt: shop.clock.now() });
  await shop.coupon(tool.id);
  await shop.coupon(tool.id, { deletedAt: shop.clock.now() });
  await shop.user();
  await shop.db.insert(credentials).values({ service: "Other", email: "a@example.com", passwordSealed: "x" });
  await createAccessCode(admin, { toolId: tool.id, serverName: "One", simpleCode: "Z" });
  const { users, tools, accessCodes, purchases, coupons, credentials: shared } = before;
  expect(await readTabCounts(admin)).toEqual({
    users: users + 1,
    tools: tools + 1,
    accessCodes: accessCodes + 1,
    purchases,
    coupons: coupons + 1,
    credentials: shared + 1,
  });
});

test.each([
  ["the overview", readOverview],
  ["the counts of the tabs", readTabCounts],
] as const)("only an admin may read %s", async (_what, read) => {
  await expect(read(shop.visitor())).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(read(await shop.user())).rejects.toMatchObject({ code: "forbidden" });
});

test("the days of the overview have 23 or 25 hours when the clocks change", () => {
  const spring = daysUntil(new Date("2026-03-29T20:00:00Z"), 2, "Europe/Berlin");
  expect(spring).toEqual([
    { date: "2026-03-28", startsAt: new Date("2026-03-27T23:00:00Z") },
    { date: "2026-03-29", startsAt: new Date("2026-03-28T23:00:00Z") },
  ]);
  const autumn = daysUntil(new Date("2026-10-26T12:00:00Z"), 2, "Europe/Berlin");
  expect(autumn.map(({ startsAt }) => startsAt)).toEqual([
    new Date("2026-10-24T22:00:00Z"),
    new Date("2026-10-25T23:00:00Z"),
  ]);
  expect(daysUntil(new Date("2026-11-21T00:00:00Z"), 1, "Asia/Kathmandu")[0]?.startsAt).toEqual(
    new Date("2026-11-20T18:15:00Z"),
  );
});
