import { eq, sql } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { sessions } from "#db/tables/accounts.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import { describeCancellation } from "../payments/cancel-purchase.server.ts";
import { downloadMyData } from "../personal-data/download-my-data.server.ts";
import { forgetFigures } from "../reports/figures.server.ts";
import { readDashboardStatistics } from "../reports/read-dashboard.server.ts";
import { addDays } from "../time.ts";
import { getToolPage } from "../tool-pages/get-tool-page.server.ts";
import { completeActivePasses } from "./complete-active-passes.server.ts";
import { getPurchaseTimeline } from "./get-purchase-timeline.server.ts";
import { listMyPasses } from "./list-my-passes.server.ts";
import { getMyPurchase, listMyPurchases } from "./list-my-purchases.server.ts";
import { listPurchases, listUserPurchases } from "./list-purchases.server.ts";
import { wasCompleted } from "./purchase-states.ts";
import { setImportedStatus } from "./set-imported-status.server.ts";

let shop: SandboxShop;
let admin: Awaited<ReturnType<SandboxShop["user"]>>;
beforeAll(async () => {
  shop = await startSandboxShop();
  admin = await shop.user("admin");
});
beforeEach(() => shop.db.delete(userPurchases));
afterAll(() => shop.close());

const complete = () => completeActivePasses(shop.system(), new AbortController().signal);
const activeLeft = () => shop.db.$count(userPurchases, eq(userPurchases.status, "active"));

/** A purchase as an older version has imported it: by default a pass that runs. */
async function importedActive(values: Partial<typeof userPurchases.$inferInsert> = {}) {
  const tool = await shop.tool();
  const buyer = await shop.user();
  const id = uuidv7();
  const imported = { id, source: "import", status: "active", ...values } as const;
  await shop.pass(buyer, { toolId: tool.id, toolName: tool.name, ...imported });
  const row = async () => (await shop.purchasesOf(buyer)).find((purchase) => purchase.id === id);
  return { buyer, id, row, tool };
}

/** As many purchases of one buyer. @returns their ids in order */
async function importMany(count: number): Promise<string[]> {
  const { actor } = await shop.user();
  const ids = Array.from({ length: count }, () => uuidv7()).toSorted();
  const now = shop.clock.now();
  await shop.db.insert(userPurchases).values(
    ids.map((id) => ({
      id,
      userId: actor.userId,
      userEmail: actor.email,
      toolName: "Canva",
      validityDays: 30,
      listPricePaise: 14_900,
      amountPaise: 14_900,
      status: "active" as const,
      source: "import" as const,
      startsAt: now,
      expiresAt: addDays(now, 30),
    })),
  );
  return ids;
}

/** The file of the buyer's own data, as far as it is about purchases. */
async function downloadPurchases(buyer: Awaited<ReturnType<SandboxShop["user"]>>): Promise<unknown> {
  const { userId, email } = buyer.actor;
  const [sessionId, createdAt] = [uuidv7(), shop.clock.now()];
  await shop.db
    .insert(sessions)
    .values({ id: sessionId, userId, token: uuidv7(), createdAt, expiresAt: addDays(createdAt, 1) });
  const parts: string[] = [];
  const signedIn = shop.contextFor({ kind: "user", userId, email, sessionId });
  await downloadMyData(signedIn, {}, async (text) => void parts.push(text));
  return JSON.parse(parts.join("")).purchases;
}

/** What its buyer and an admin see of a purchase, and what is counted. */
async function seen({ buyer, id, tool }: Awaited<ReturnType<typeof importedActive>>) {
  const search = { q: buyer.actor.email };
  forgetFigures(admin);
  const ofUser = await listUserPurchases(admin, { userId: buyer.actor.userId });
  const timeline = await getPurchaseTimeline(admin, { purchaseId: id });
  return {
    access: (await getToolPage(buyer, { slug: tool.slug })).access,
    passes: await listMyPasses(buyer),
    order: await getMyPurchase(buyer, { purchaseId: id }),
    orders: await listMyPurchases(buyer, {}),
    data: await downloadPurchases(buyer),
    listed: await listPurchases(admin, search),
    completed: await listPurchases(admin, { ...search, status: "completed" }),
    running: await listPurchases(admin, { ...search, status: "running" }),
    current: await listPurchases(admin, { ...search, current: "1" }),
    // Both statuses have the same words there.
    ofUser: ofUser.map((purchase) => ({ ...purchase, status: wasCompleted(purchase) })),
    timeline: { state: timeline.state, entries: timeline.entries },
    cancellation: await describeCancellation(admin, { purchaseId: id }),
    statistics: await readDashboardStatistics(admin),
  };
}

test("a pass of an older version opens its tool and is shown as before, and only its status is stored otherwise", async () => {
  const imported = await importedActive();
  const [before, row] = [await seen(imported), await imported.row()];
  expect(before.access).toBe("granted");
  expect(before.data).toMatchObject([{ status: "active" }]);
  await complete();
  expect(await imported.row()).toEqual({ ...row, status: "completed", calledActive: true });
  expect(await seen(imported)).toEqual(before);
  // The dialog of an admin begins with it, and to choose it again changes nothing.
  expect(before.listed.rows).toMatchObject([{ status: "completed", calledStatus: "active" }]);
  await setImportedStatus(admin, { purchaseId: imported.id, status: "active" });
  expect(await shop.auditsOf(imported.id)).toEqual([]);
});

test("purchases with another status, or without both times, stay as they are", async () => {
  const now = shop.clock.now();
  for (const times of [{ startsAt: null }, { expiresAt: null }, { startsAt: null, expiresAt: null }])
    await importedActive(times);
  for (const status of ["pending", "completed", "failed"] as const) await importedActive({ status });
  const ended = await importedActive({ endedAt: now, endedReason: "superseded" });
  const rows = () => shop.db.select().from(userPurchases).orderBy(userPurchases.id);
  const before = await rows();
  await complete();
  const changes = { status: "completed", calledActive: true };
  expect(await rows()).toEqual(before.map((row) => (row.id === ended.id ? { ...row, ...changes } : row)));
});

/** Records every row that is updated. @param refuses the id of a row whose update fails */
async function recordUpdates(refuses = uuidv7()) {
  await shop.db.execute(sql`create table updates (id uuid)`);
  await shop.db.execute(
    sql.raw(`create function record_update() returns trigger language plpgsql as $$ begin
      if new.id = '${refuses}' then raise 'killed'; end if;
      insert into updates values (new.id); return new; end $$`),
  );
  await shop.db.execute(sql`create trigger recorded before update on user_purchases
    for each row execute function record_update()`);
  onTestFinished(async () => {
    await shop.db.execute(sql`drop function record_update cascade`);
    await shop.db.execute(sql`drop table updates`);
  });
  return async () => {
    const { rows } = await shop.db.execute<{ id: string }>(sql`select id from updates order by id`);
    return rows.map(({ id }) => id);
  };
}

test("a process that is killed while it stores passes keeps the parts that it has done, and the next one does the rest", async () => {
  const ids = await importMany(1001);
  const updates = await recordUpdates(ids[700]);
  await expect(complete()).rejects.toThrow();
  expect(await updates()).toEqual(ids.slice(0, 500));
  expect(await activeLeft()).toBe(501);
  await shop.db.execute(sql`alter table user_purchases disable trigger recorded`);
  await complete();
  expect(await activeLeft()).toBe(0);
});

test("the storing of passes ends after the part in progress when the shop stops", async () => {
  await importMany(501);
  const stopping = new AbortController();
  const { db } = shop;
  const context = shop.system();
  const abortWhileAtWork = () => {
    stopping.abort();
    return db;
  };
  Object.defineProperty(context, "db", { get: abortWhileAtWork });
  await completeActivePasses(context, stopping.signal);
  expect(await activeLeft()).toBe(1);
  await completeActivePasses(shop.system(), stopping.signal);
  expect(await activeLeft()).toBe(1);
});

test("of several processes that start at once, each pass is stored by one", async () => {
  const ids = await importMany(1100);
  const updates = await recordUpdates();
  await Promise.all([1, 2, 3, 4].map(complete));
  expect(await activeLeft()).toBe(0);
  expect(await updates()).toEqual(ids);
});

test("a purchase that an admin is changing is not waited for, and the next start stores it", async () => {
  const { id, row } = await importedActive();
  await importMany(3);
  await shop.db.transaction(async (tx) => {
    await tx.select().from(userPurchases).where(eq(userPurchases.id, id)).for("update");
    await complete();
    expect(await activeLeft()).toBe(1);
  });
  expect(await row()).toMatchObject({ status: "active", calledActive: false });
  await complete();
  expect(await row()).toMatchObject({ status: "completed", calledActive: true });
});

test("the status that an admin sets meanwhile stands", async () => {
  const imported = await Promise.all(Array.from({ length: 8 }, () => importedActive()));
  await Promise.all([
    ...imported.map(({ id }) => setImportedStatus(admin, { purchaseId: id, status: "failed" })),
    complete(),
    complete(),
  ]);
  for (const { row } of imported)
    expect(await row()).toMatchObject({ status: "failed", calledActive: false });
});

test("only the shop itself may store the passes of an older version as completed", async () => {
  await importedActive();
  const { signal } = new AbortController();
  for (const ctx of [admin, await shop.user(), shop.visitor()])
    await expect(completeActivePasses(ctx, signal)).rejects.toMatchObject({ code: "forbidden" });
  expect(await activeLeft()).toBe(1);
});
