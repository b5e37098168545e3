import { eq, inArray, sql } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sessions, users } from "#db/tables/accounts.ts";
import { bulkActionRows, bulkActions, settings } from "#db/tables/operations.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { accessCodes } from "#db/tables/vault.ts";
import { inTransaction } from "#db/transaction.ts";
import { startCodesShop } from "#tests/fixtures/codes-shop.ts";
import { startPaidCheckout, withOldPassword } from "#tests/fixtures/open-test-shop.ts";
import { listAuditEvents } from "../audit/list-audit-events.server.ts";
import { RESTORED_BACKUP_KEY } from "../backups/restored-shop.server.ts";
import { confirmCheckout } from "../checkout/checkout-status.server.ts";
import type { Context } from "../context.ts";
import { updateCoupon } from "../coupons/manage-coupons.server.ts";
import { extendPurchase } from "../passes/change-pass-times.server.ts";
import { getPurchaseTimeline } from "../passes/get-purchase-timeline.server.ts";
import { assignTool } from "../passes/give-pass.server.ts";
import { cancelPurchase } from "../payments/cancel-purchase.server.ts";
import { addDays, HOUR } from "../time.ts";
import {
  countBulkAction,
  describeBulkAction,
  startBulkAction,
  stopBulkAction,
} from "./bulk-actions.server.ts";
import type { BulkActionName } from "./bulk-actions.ts";
import { selectState } from "./bulk-rows.server.ts";
import { runBulkActions } from "./run-bulk-actions.server.ts";

let shop: Awaited<ReturnType<typeof startCodesShop>>;
let admin: (typeof shop)["admin"];
beforeAll(async () => {
  shop = await startCodesShop();
  admin = shop.admin;
});
afterAll(() => shop.close());

type Rows = readonly string[] | { list: string };

const count = async (ctx: Context, action: BulkActionName, rows: Rows) =>
  (await countBulkAction(ctx, { action, ...("list" in rows ? rows : { ids: rows.join(",") }) })).id;

/** Counts and starts it, and lets the job finish it. */
async function doToAll(action: BulkActionName, rows: Rows, input: Record<string, string> = {}) {
  const id = await count(admin, action, rows);
  await startBulkAction(admin, { id, action, ...input });
  await finish(id);
  return { id, ...(await resultOf(id)) };
}

async function finish(id: string): Promise<void> {
  while (!(await describeBulkAction(admin, { id })).isFinished) await runBulkActions(shop.system());
}

const resultOf = async (id: string) => {
  const { done, notDone, named } = await describeBulkAction(admin, { id });
  return { done, notDone, reasons: named.map(({ reason }) => reason).sort() };
};

/** Passes of ten days of as many buyers. */
async function assigned(howMany: number) {
  const tool = await shop.tool({ validityDays: 10, availableStock: howMany });
  const buyers = await shop.buyers(howMany);
  const passes = await Promise.all(
    buyers.map(({ actor }) => assignTool(admin, { userId: actor.userId, toolId: tool.id })),
  );
  return { tool, buyers, ids: passes.map(({ purchaseId }) => purchaseId), expiresAt: passes[0]?.expiresAt };
}

const endsOf = async (ids: string[]) =>
  (await shop.db.select().from(userPurchases).where(inArray(userPurchases.id, ids))).map(({ expiresAt }) =>
    expiresAt?.getTime(),
  );

/** Passes by one statement, for many. */
async function manyPasses(howMany: number): Promise<{ ids: string[]; slug: string }> {
  const tool = await shop.tool({ availableStock: 0 });
  const { rows } = await shop.db.execute<{ id: string }>(sql`
    with made as (
      insert into ${users} (id, email, role)
      select gen_random_uuid(), ${tool.slug} || n || '@many.example', 'user' from generate_series(1, ${howMany}) n
      returning id, email)
    insert into ${userPurchases} (id, user_id, user_email, tool_id, tool_name, validity, list_price_paise, amount, status, source,
      starts_at, expires_at, captured_at)
    select gen_random_uuid(), id, email, ${tool.id}, ${tool.name}, 30, 0, 0, 'completed', 'admin',
      ${shop.clock.now()}, ${addDays(shop.clock.now(), 30)}, ${shop.clock.now()} from made
    returning id`);
  return { ids: rows.map(({ id }) => id), slug: tool.slug };
}

test("a bulk action extends each pass that was ticked, and is one audit event that the events of its rows name", async () => {
  const { ids, expiresAt } = await assigned(3);
  const { id, ...result } = await doToAll("extend-purchases", ids, { days: "7" });
  expect(result).toEqual({ done: 3, notDone: 0, reasons: [] });
  expect(new Set(await endsOf(ids))).toEqual(new Set([expiresAt && addDays(expiresAt, 7).getTime()]));
  const [event] = await shop.auditsOf(id);
  expect(event).toMatchObject({
    action: "bulk-action.started",
    actorId: admin.actor.userId,
    details: { bulkAction: "extend-purchases", rows: 3, days: 7 },
  });
  const listed = await listAuditEvents(admin, {});
  expect(listed.rows.filter(({ details }) => details.bulkActionId === id)).toEqual([]);
  expect(listed.rows.filter(({ subjectId }) => subjectId === id)).toHaveLength(1);
  const [first = ""] = ids;
  const found = await listAuditEvents(admin, { q: first });
  expect(found.rows[0]).toMatchObject({
    action: "purchase.extended",
    actorEmail: admin.actor.email,
    details: { bulkActionId: id },
  });
  const { entries } = await getPurchaseTimeline(admin, { purchaseId: first });
  expect(entries).toContainEqual(expect.objectContaining({ kind: "audit", action: "purchase.extended" }));
});

test("a bulk action that is started 20 times at once and run by 10 jobs at once does each row once", async () => {
  const { ids } = await manyPasses(120);
  const id = await count(admin, "extend-purchases", ids);
  const before = await endsOf(ids);
  const starts = Array.from({ length: 20 }, () =>
    startBulkAction(admin, { id, action: "extend-purchases", days: "1" }),
  );
  await Promise.all([...starts, ...Array.from({ length: 10 }, () => runBulkActions(shop.system()))]);
  await finish(id);
  expect(await resultOf(id)).toEqual({ done: 120, notDone: 0, reasons: [] });
  const dayAfter = before.map((end) => addDays(new Date(end ?? 0), 1).getTime());
  expect((await endsOf(ids)).sort()).toEqual(dayAfter.sort());
  expect(await shop.auditsOf(id)).toHaveLength(1);
});

test("a count is replaced by the next one of its admin, and can be started for an hour", async () => {
  const { ids } = await assigned(1);
  const action = "extend-purchases";
  const [first, ofOther] = [
    await count(admin, action, ids),
    await count(await shop.user("admin"), action, ids),
  ];
  const id = await count(admin, action, ids);
  const kept = await shop.db
    .select()
    .from(bulkActions)
    .where(inArray(bulkActions.id, [first, ofOther, id]));
  expect(kept.map((row) => row.id).sort()).toEqual([ofOther, id].sort());
  const before = await endsOf(ids);
  const createdAt = new Date(shop.clock.now().getTime() - HOUR - 1000);
  await shop.db.update(bulkActions).set({ createdAt }).where(eq(bulkActions.id, id));
  await expect(startBulkAction(admin, { id, action, days: "1" })).rejects.toMatchObject({
    code: "not-found",
  });
  await expect(describeBulkAction(admin, { id })).rejects.toMatchObject({ code: "not-found" });
  expect(await endsOf(ids)).toEqual(before);
});

test("two bulk actions on the same rows at once: each row is done by one, and the other says that it has changed", async () => {
  const { ids, expiresAt } = await assigned(10);
  const admins = [admin, await shop.user("admin")];
  const both = await Promise.all(admins.map((ctx) => count(ctx, "extend-purchases", ids)));
  await Promise.all(
    admins.map((ctx, at) =>
      startBulkAction(ctx, { id: both[at] ?? "", action: "extend-purchases", days: "5" }),
    ),
  );
  const results = await Promise.all(both.map(resultOf));
  expect(results.reduce((sum, { done }) => sum + done, 0)).toBe(10);
  expect(new Set(results.flatMap(({ reasons }) => reasons))).toEqual(new Set(["changed-meanwhile"]));
  expect(new Set(await endsOf(ids))).toEqual(new Set([expiresAt && addDays(expiresAt, 5).getTime()]));
});

test("a bulk action that is interrupted in a row has neither changed the row nor marked it, and the next run continues there", async () => {
  const { ids } = await assigned(4);
  const id = await count(admin, "extend-purchases", ids);
  const before = await endsOf(ids);
  // As when the process ends before the commit: the mark of the third row fails, and with it its change.
  await shop.db.execute(sql`
    create function interrupt() returns trigger language plpgsql as $$
    begin
      if new.bulk_action_id = ${sql.raw(`'${id}'`)} and new.position = 3 then
        raise exception using errcode = '57P01', message = 'terminating connection due to administrator command';
      end if;
      return new;
    end $$`);
  await shop.db.execute(
    sql`create trigger interrupt before update on bulk_action_rows for each row execute function interrupt()`,
  );
  try {
    await startBulkAction(admin, { id, action: "extend-purchases", days: "1" });
    const half = await endsOf(ids);
    expect(half.filter((end, at) => end !== before[at])).toHaveLength(2);
    expect(await describeBulkAction(admin, { id })).toMatchObject({ done: 2, notDone: 0, isFinished: false });
    expect(shop.triggeredJobs).toContain("run-bulk-actions");
  } finally {
    await shop.db.execute(sql`drop trigger interrupt on bulk_action_rows; drop function interrupt()`);
  }
  await runBulkActions(shop.system());
  expect(await describeBulkAction(admin, { id })).toMatchObject({ done: 4, notDone: 0, isFinished: true });
  expect(await endsOf(ids)).toEqual(before.map((end) => addDays(new Date(end ?? 0), 1).getTime()));
});

test("a row that fails by an error is not done, and the rows after it are", async () => {
  const { ids } = await assigned(3);
  const [first = ""] = ids;
  await shop.db.execute(sql`
    create function fail() returns trigger language plpgsql as $$
    begin
      if new.id = ${sql.raw(`'${first}'`)} then raise exception 'a fault'; end if;
      return new;
    end $$`);
  await shop.db.execute(
    sql`create trigger fail before update on user_purchases for each row execute function fail()`,
  );
  try {
    const result = await doToAll("extend-purchases", ids, { days: "1" });
    expect(result).toMatchObject({ done: 2, notDone: 1, reasons: ["failed"] });
  } finally {
    await shop.db.execute(sql`drop trigger fail on user_purchases; drop function fail()`);
  }
});

test("what a pass was does not depend on the time zone of the database's session", async () => {
  const { ids } = await assigned(1);
  const stateIn = (zone: string) =>
    inTransaction(shop.db, async (tx) => {
      await tx.execute(sql.raw(`set local time zone '${zone}'`));
      return selectState(tx, "purchases", ids[0] ?? "");
    });
  expect(await stateIn("Asia/Tokyo")).toBe(await stateIn("UTC"));
});

test("a row that was changed, ended or deleted since it was counted is not done, and says so", async () => {
  const { ids, buyers } = await assigned(3);
  const [extended = "", ended = ""] = ids;
  const id = await count(admin, "extend-purchases", ids);
  await extendPurchase(admin, { purchaseId: extended, days: 3 });
  await cancelPurchase(admin, { purchaseId: ended, refund: false, reason: "Shared the code" });
  await startBulkAction(admin, { id, action: "extend-purchases", days: "1" });
  expect(await resultOf(id)).toEqual({
    done: 1,
    notDone: 2,
    reasons: ["changed-meanwhile", "changed-meanwhile"],
  });
  const userIds = buyers.map(({ actor }) => actor.userId);
  const other = await shop.user("admin");
  const deletion = await count(other, "deactivate-users", userIds);
  await doToAll("delete-users", userIds.slice(0, 1));
  await startBulkAction(other, { id: deletion, action: "deactivate-users" });
  expect(await resultOf(deletion)).toEqual({ done: 2, notDone: 1, reasons: ["not-found"] });
});

test("a user with a pass, a checkout or a payment that is newer than the count is not deleted, and the question names what ends", async () => {
  const tool = await shop.tool();
  const [buying, trying, paying] = await shop.buyers(3);
  const [idle] = await shop.buyers(1);
  const { gatewayOrderId } = await startPaidCheckout(paying, { slug: tool.slug });
  await shop.buy(idle, tool);
  const ids = [buying, trying, paying, idle].map(({ actor }) => actor.userId);
  const id = await count(admin, "delete-users", ids);
  expect(await describeBulkAction(admin, { id })).toMatchObject({ passesEnding: 1, checkoutsEnding: 1 });
  await shop.buy(buying, tool);
  await startPaidCheckout(trying, { slug: tool.slug });
  await confirmCheckout(paying, await shop.payAtGateway(gatewayOrderId));
  await startBulkAction(admin, { id, action: "delete-users" });
  expect(await resultOf(id)).toEqual({ done: 1, notDone: 3, reasons: Array(3).fill("changed-meanwhile") });
});

test("a coupon that was edited, and a code that a pass has taken since they were counted, are not done", async () => {
  const tool = await shop.toolWith(2);
  const coupons = [await shop.coupon(tool.id), await shop.coupon(tool.id)];
  const couponIds = coupons.map(({ id }) => id);
  const id = await count(admin, "delete-coupons", couponIds);
  const [{ id: edited, code, version } = { id: "", code: "", version: 1 }] = coupons;
  await updateCoupon(admin, {
    id: edited,
    version,
    toolId: tool.id,
    code,
    discountPercentage: "30",
    isActive: "on",
  });
  await startBulkAction(admin, { id, action: "delete-coupons" });
  expect(await resultOf(id)).toEqual({ done: 1, notDone: 1, reasons: ["changed-meanwhile"] });

  const codes = await shop.db.select().from(accessCodes).where(eq(accessCodes.toolId, tool.id));
  const deletion = await count(
    admin,
    "delete-access-codes",
    codes.map((row) => row.id),
  );
  const [buyer] = await shop.buyers(1);
  await shop.buy(buyer, tool);
  await shop.reveal(buyer, tool);
  await startBulkAction(admin, { id: deletion, action: "delete-access-codes" });
  expect(await resultOf(deletion)).toEqual({ done: 1, notDone: 1, reasons: ["changed-meanwhile"] });
  expect(await shop.db.$count(accessCodes, eq(accessCodes.toolId, tool.id))).toBe(1);
});

test("a refusal of the operation of a single row is the result of the row: ended, nothing to do, before its start", async () => {
  const { ids } = await assigned(2);
  const [ended = "", running = ""] = ids;
  await cancelPurchase(admin, { purchaseId: ended, refund: false, reason: "Shared the code" });
  expect(await doToAll("extend-purchases", ids, { days: "1" })).toMatchObject({
    done: 1,
    reasons: ["pass-not-changeable"],
  });
  expect(await doToAll("set-purchase-expiry", [running], { date: "01-01-2001" })).toMatchObject({
    done: 0,
    reasons: ["invalid-input"],
  });
  expect(await doToAll("cancel-purchases", ids, { reason: "The tool is gone" })).toMatchObject({
    done: 1,
    reasons: ["unchanged"],
  });
});

test("a refusal that comes after the operation has written undoes what it has written, and is the result of the row", async () => {
  const tool = await shop.tool({ validityDays: 10 });
  const [buyer] = await shop.buyers(1);
  const now = shop.clock.now();
  const ids = [uuidv7(), uuidv7()];
  for (const [at, id] of ids.entries())
    await shop.pass(buyer, {
      id,
      toolName: tool.name,
      toolId: tool.id,
      startsAt: addDays(now, at * 12),
      expiresAt: addDays(now, at * 12 + 10),
    });
  expect(await doToAll("extend-purchases", ids.slice(0, 1), { days: "5" })).toMatchObject({
    done: 0,
    reasons: ["pass-overlap"],
  });
  expect((await endsOf(ids)).sort()).toEqual([addDays(now, 10).getTime(), addDays(now, 22).getTime()]);
});

test("staff are never deactivated or deleted by a bulk action, and stay signed in", async () => {
  const staff = await shop.user("admin");
  const [buyer] = await shop.buyers(1);
  const ids = [staff.actor.userId, buyer.actor.userId, admin.actor.userId];
  for (const userId of ids)
    await shop.db
      .insert(sessions)
      .values({ userId, token: uuidv7(), expiresAt: addDays(shop.clock.now(), 1) });
  for (const action of ["deactivate-users", "delete-users"] as const)
    expect(await doToAll(action, ids)).toMatchObject({
      done: 1,
      notDone: 2,
      reasons: ["forbidden", "forbidden"],
    });
  const rows = await shop.db.select().from(users).where(inArray(users.id, ids));
  expect(rows.filter(({ isActive, deletedAt }) => isActive && deletedAt === null)).toHaveLength(2);
  const kept = await shop.db.select().from(sessions).where(inArray(sessions.userId, ids));
  expect(new Set(kept.map(({ userId }) => userId))).toEqual(
    new Set([staff.actor.userId, admin.actor.userId]),
  );
});

test("cancelling in bulk gives the unit and the coupon use of a checkout back as a single cancellation does", async () => {
  const cancelTwo = async (isBulk: boolean) => {
    const tool = await shop.tool();
    const coupon = await shop.coupon(tool.id);
    const [paying, other] = await shop.buyers(2);
    const bought = await shop.buy(other, tool);
    const { purchaseId } = await startPaidCheckout(paying, { slug: tool.slug, couponCode: coupon.code });
    expect(await shop.stockOf(tool.id)).toBe(3);
    const ids = [bought, purchaseId];
    if (isBulk) await doToAll("cancel-purchases", ids, { reason: "The tool is gone" });
    else
      for (const id of ids)
        await cancelPurchase(admin, { purchaseId: id, refund: false, reason: "The tool is gone" });
    const rows = await shop.db.select().from(userPurchases).where(inArray(userPurchases.id, ids));
    return {
      stock: await shop.stockOf(tool.id),
      uses: (await shop.couponOf(coupon.id))?.usesTaken,
      rows: rows.map(({ status, endedReason, stockState }) => ({ status, endedReason, stockState })),
      refunds: await shop.refundsOf(bought),
    };
  };
  const inBulk = await cancelTwo(true);
  expect(inBulk).toEqual(await cancelTwo(false));
  expect(inBulk).toMatchObject({ uses: 0, refunds: [] });
});

test("codes and coupons are made inactive and active in bulk, each with a new version; the stock follows", async () => {
  const tool = await shop.toolWith(3);
  const ids = (await shop.db.select().from(accessCodes).where(eq(accessCodes.toolId, tool.id))).map(
    ({ id }) => id,
  );
  expect(await shop.stockOf(tool.id)).toBe(3);
  expect(await doToAll("deactivate-access-codes", ids.slice(0, 2))).toMatchObject({ done: 2 });
  expect(await shop.stockOf(tool.id)).toBe(1);
  expect(await doToAll("activate-access-codes", ids)).toMatchObject({ done: 2, reasons: ["unchanged"] });
  expect(await shop.stockOf(tool.id)).toBe(3);
  const [event] = (await shop.auditsOf(ids[0] ?? "")).slice(-1);
  expect(event?.details).toMatchObject({ before: { isActive: false }, after: { isActive: true } });

  const coupon = await shop.coupon(tool.id);
  await doToAll("deactivate-coupons", [coupon.id]);
  const off = await shop.couponOf(coupon.id);
  expect(off).toEqual({ ...coupon, isActive: false, version: 2, updatedAt: off?.updatedAt });
});

test("a bulk deletion or deactivation of codes says how many belong to passes, and then how many buyers wait", async () => {
  for (const action of ["deactivate-access-codes", "delete-access-codes"] as const) {
    const tool = await shop.toolWith(4);
    const buyers = await shop.buyers(2);
    for (const buyer of buyers) {
      await shop.buy(buyer, tool);
      await shop.reveal(buyer, tool);
    }
    const codes = await shop.db.select().from(accessCodes).where(eq(accessCodes.toolId, tool.id));
    const taken = codes.filter(({ passId }) => passId !== null);
    const [unused] = codes.filter(({ passId }) => passId === null);
    const id = await count(
      admin,
      action,
      [...taken, unused].flatMap((code) => code?.id ?? []),
    );
    expect(await describeBulkAction(admin, { id })).toMatchObject({ codesTaken: 2, buyersWaiting: 0 });
    await startBulkAction(admin, { id, action });
    // One code is left for the two.
    expect(await describeBulkAction(admin, { id })).toMatchObject({
      done: 3,
      codesTaken: 0,
      buyersWaiting: 1,
    });
  }
});

test("a pass and the renewal that waits for its end are each extended by the days", async () => {
  const tool = await shop.tool({ validityDays: 10 });
  const [buyer] = await shop.buyers(1);
  const now = shop.clock.now();
  const [pass, renewal] = [uuidv7(), uuidv7()];
  const common = { toolName: tool.name, toolId: tool.id, capturedAt: now };
  await shop.pass(buyer, { ...common, id: pass, startsAt: now, expiresAt: addDays(now, 10) });
  await shop.pass(buyer, {
    ...common,
    id: renewal,
    isRenewal: true,
    startsAt: addDays(now, 10),
    expiresAt: addDays(now, 40),
  });
  expect(await doToAll("extend-purchases", [pass, renewal], { days: "5" })).toMatchObject({ done: 2 });
  const ends = new Set(await endsOf([pass, renewal]));
  expect(ends).toEqual(new Set([addDays(now, 15).getTime(), addDays(now, 50).getTime()]));
});

test("a pass gets the date that was set, and the renewal that moves with it is not done", async () => {
  const tool = await shop.tool({ validityDays: 10 });
  const [buyer] = await shop.buyers(1);
  const now = shop.clock.now();
  const [pass, renewal] = [uuidv7(), uuidv7()];
  const common = { toolName: tool.name, toolId: tool.id, capturedAt: now };
  await shop.pass(buyer, { ...common, id: pass, startsAt: now, expiresAt: addDays(now, 10) });
  const later = { startsAt: addDays(now, 10), expiresAt: addDays(now, 40) };
  await shop.pass(buyer, { ...common, id: renewal, isRenewal: true, ...later });
  const day = addDays(now, 20).toISOString().slice(0, 10).split("-").reverse().join("-");
  const { id, ...result } = await doToAll("set-purchase-expiry", [pass, renewal], { date: day });
  expect(result).toEqual({ done: 1, notDone: 1, reasons: ["changed-meanwhile"] });
  const { named } = await describeBulkAction(admin, { id });
  expect(named.map((row) => row.id)).toEqual([renewal]);
  const [end] = await endsOf([pass]);
  expect(await endsOf([renewal])).toEqual([addDays(new Date(end ?? 0), 30).getTime()]);
});

test("all rows of a list are those that its search and filters find, and 10,001 are refused", async () => {
  const { ids, slug } = await manyPasses(130);
  const id = await count(admin, "cancel-purchases", { list: `?q=${slug}&status=completed&page=2` });
  expect(await describeBulkAction(admin, { id })).toMatchObject({ rows: 130, isCounted: true });
  const rows = await shop.db.select().from(bulkActionRows).where(eq(bulkActionRows.bulkActionId, id));
  expect(rows.map(({ rowId }) => rowId).sort()).toEqual(ids.sort());
  for (const [action, list, named] of [
    ["delete-users", `?q=${slug}`, 130],
    ["delete-coupons", "?q=no-such-coupon", null],
    ["delete-access-codes", "?q=no-such-code", null],
  ] as const)
    if (named === null)
      await expect(count(admin, action, { list })).rejects.toMatchObject({ code: "rows-gone" });
    else
      expect(await describeBulkAction(admin, { id: await count(admin, action, { list }) })).toMatchObject({
        rows: named,
      });
  const before = await shop.db.$count(bulkActions);
  await manyPasses(10_001);
  await expect(count(admin, "cancel-purchases", { list: "" })).rejects.toMatchObject({
    code: "too-many-rows",
  });
  expect(await shop.db.$count(bulkActions)).toBe(before);
});

test("the job stops after 200 rows and asks to be run again, and no row is left in the end", async () => {
  const { ids } = await manyPasses(230);
  const id = await count(admin, "extend-purchases", ids);
  await startBulkAction(admin, { id, action: "extend-purchases", days: "1" });
  expect(await describeBulkAction(admin, { id })).toMatchObject({ done: 0, isFinished: false });
  await runBulkActions(shop.system());
  expect(await describeBulkAction(admin, { id })).toMatchObject({ done: 200, isFinished: false });
  await runBulkActions(shop.system());
  expect(await describeBulkAction(admin, { id })).toMatchObject({ done: 230, isFinished: true });
});

test("when the admin has lost the role meanwhile, or the password was reset, the rest is not done", async () => {
  const losses = [
    { loss: { role: "user" as const }, rows: 230, done: 200 },
    { loss: { isActive: false }, rows: 51, done: 0 },
    { loss: { passwordIsGenerated: true }, rows: 51, done: 0 },
  ];
  for (const { loss, rows, done } of losses) {
    const other = await shop.user("admin");
    const { ids } = await manyPasses(rows);
    const id = await count(other, "extend-purchases", ids);
    const before = await endsOf(ids);
    await startBulkAction(other, { id, action: "extend-purchases", days: "1" });
    if (done > 0) await runBulkActions(shop.system());
    await shop.db.update(users).set(loss).where(eq(users.id, other.actor.userId));
    // On the own computer a generated password need not be replaced.
    await runBulkActions({
      ...shop.system(),
      store: { ...shop.system().store, origin: "https://shop.example" },
    });
    expect(await resultOf(id)).toEqual({
      done,
      notDone: rows - done,
      reasons: Array(rows - done).fill("no-admin"),
    });
    expect((await endsOf(ids)).filter((end) => before.includes(end))).toHaveLength(rows - done);
  }
});

test("any admin stops a bulk action: the rows that wait are not done, and the event says how many", async () => {
  const { ids } = await manyPasses(230);
  const id = await count(admin, "extend-purchases", ids);
  const other = withOldPassword(await shop.user("admin"));
  await expect(stopBulkAction(other, { id })).rejects.toMatchObject({ code: "not-found" });
  await startBulkAction(admin, { id, action: "extend-purchases", days: "1" });
  await runBulkActions(shop.system());
  const [buyer] = await shop.buyers(1);
  await expect(stopBulkAction(buyer, { id })).rejects.toMatchObject({ code: "forbidden" });
  await expect(stopBulkAction(shop.visitor(), { id })).rejects.toMatchObject({ code: "unauthenticated" });
  await Promise.all([stopBulkAction(other, { id }), stopBulkAction(admin, { id })]);
  expect(await describeBulkAction(admin, { id })).toMatchObject({ isFinished: true });
  await runBulkActions(shop.system());
  expect(await resultOf(id)).toEqual({ done: 200, notDone: 30, reasons: Array(30).fill("stopped") });
  const stops = (await shop.auditsOf(id)).filter(({ action }) => action === "bulk-action.stopped");
  expect(stops).toMatchObject([{ details: { bulkAction: "extend-purchases", rows: 30 } }]);
});

test("a restored shop goes on with a bulk action only once an admin has confirmed it", async () => {
  const { ids } = await manyPasses(60);
  const id = await count(admin, "extend-purchases", ids);
  await startBulkAction(admin, { id, action: "extend-purchases", days: "1" });
  const at = shop.clock.now().toISOString();
  await shop.db
    .insert(settings)
    .values({ key: RESTORED_BACKUP_KEY, value: { restoredAt: at, backupAt: at, confirmedAt: null } });
  await runBulkActions(shop.system());
  expect(await describeBulkAction(admin, { id })).toMatchObject({ done: 0, isFinished: false });
  await shop.db.delete(settings).where(eq(settings.key, RESTORED_BACKUP_KEY));
  await finish(id);
  expect(await resultOf(id)).toMatchObject({ done: 60 });
});

test("nobody but an admin counts, starts or reads a bulk action, and the password is asked for", async () => {
  const { ids } = await assigned(1);
  const action = "extend-purchases";
  const id = await count(admin, action, ids);
  const [buyer] = await shop.buyers(1);
  for (const [ctx, code] of [
    [shop.visitor(), "unauthenticated"],
    [buyer, "forbidden"],
    [shop.system(), "unauthenticated"],
  ] as const) {
    await expect(count(ctx, action, ids)).rejects.toMatchObject({ code });
    await expect(startBulkAction(ctx, { id, action, days: "1" })).rejects.toMatchObject({ code });
    await expect(describeBulkAction(ctx, { id })).rejects.toMatchObject({ code });
  }
  await expect(startBulkAction(withOldPassword(admin), { id, action, days: "1" })).rejects.toMatchObject({
    code: "password-needed",
  });
  const other = await shop.user("admin");
  await expect(startBulkAction(other, { id, action, days: "1" })).rejects.toMatchObject({
    code: "not-found",
  });
  await expect(describeBulkAction(other, { id })).rejects.toMatchObject({ code: "not-found" });
  await expect(runBulkActions(admin)).rejects.toMatchObject({ code: "forbidden" });
  expect(await describeBulkAction(admin, { id })).toMatchObject({ isCounted: true });
  await startBulkAction(admin, { id, action, days: "1" });
  expect(await describeBulkAction(other, { id })).toMatchObject({ done: 1, isFinished: true });
});

test("wrong input is refused and changes nothing", async () => {
  const { ids } = await assigned(2);
  const [one = "", two = ""] = ids;
  const before = await shop.db.$count(bulkActions);
  const many = Array.from({ length: 10_001 }, () => uuidv7());
  for (const input of [
    {},
    { action: "extend-purchases" },
    { action: "extend-purchases", ids: "" },
    { action: "extend-purchases", ids: "1,2" },
    { action: "extend-purchases", ids: `${one},${one}` },
    { action: "extend-purchases", ids: many.join(",") },
    { action: "extend-purchases", ids: one, list: "" },
    { action: "refund-purchases", ids: one },
    { action: "constructor", ids: one },
    { action: "extend-purchases", ids: { length: 1 } },
  ])
    await expect(countBulkAction(admin, input)).rejects.toMatchObject({ code: "invalid-input" });
  for (const input of [
    { action: "extend-purchases", ids: `${one},${uuidv7()}` },
    { action: "delete-users", ids: one },
  ])
    await expect(countBulkAction(admin, input)).rejects.toMatchObject({ code: "rows-gone" });
  expect(await shop.db.$count(bulkActions)).toBe(before);

  const id = await count(admin, "cancel-purchases", [one, two]);
  for (const input of [
    { id, action: "cancel-purchases" },
    { id, action: "cancel-purchases", reason: "x" },
    { id, action: "cancel-purchases", reason: "x".repeat(501) },
    { id, action: "extend-purchases", days: "0" },
    { id, action: "extend-purchases", days: "3651" },
    { id, action: "set-purchase-expiry", date: "31-02-2027" },
    { id: "1", action: "cancel-purchases", reason: "The tool is gone" },
    { id, action: "toString" },
  ])
    await expect(startBulkAction(admin, input)).rejects.toMatchObject({ code: "invalid-input" });
  // Rows of another list.
  await expect(startBulkAction(admin, { id, action: "delete-users" })).rejects.toMatchObject({
    code: "not-found",
  });
  expect(await describeBulkAction(admin, { id })).toMatchObject({ isCounted: true, rows: 2 });
});
