import { eq } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeEach, expect, test } from "vitest";
import { type Database, openDatabase } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { tools } from "#db/tables/catalog.ts";
import { giveawayRounds } from "#db/tables/giveaways.ts";
import { auditEvents, mailMessages } from "#db/tables/operations.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { openGiveawayShop } from "#tests/fixtures/giveaway-shop.ts";
import { deleteUser } from "../accounts/delete-account.server.ts";
import type { Context } from "../context.ts";
import { isDomainError } from "../errors.ts";
import { assignTool } from "../passes/give-pass.server.ts";
import { LIMITS } from "../rate-limits/rate-limits.ts";
import { DAY, HOUR } from "../time.ts";
import { claimGiveaway } from "./claim-giveaway.server.ts";
import { readTodaysGiveaway } from "./read-giveaways.server.ts";

const shop = await openGiveawayShop();
const { db, clock } = shop;
afterAll(() => shop.close());

const noon = new Date("2026-11-21T06:30:00Z");
let tool: Awaited<ReturnType<typeof shop.tool>>;
beforeEach(async () => {
  await db.execute("truncate giveaway_rounds, user_purchases, mail_messages, audit_events, settings cascade");
  clock.set(noon);
  tool = await shop.tool({ availableStock: 5, validityDays: 30 });
  await shop.chooseGiveaway({ giveawayToolSlug: tool.slug });
});

const claim = async (ctx: Context, roundId?: string) =>
  claimGiveaway(ctx, { roundId: roundId ?? (await shop.todaysRoundId()) });
const rounds = () => db.select().from(giveawayRounds).orderBy(giveawayRounds.startsAt);
const passes = () => db.select().from(userPurchases);

test("the first claim of a giveaway gets a pass of one day that costs nothing and takes no stock, with a mail and an audit event", async () => {
  const asha = await shop.user();
  const expiresAt = new Date(noon.getTime() + DAY);
  expect(await claim(asha)).toEqual({ toolName: tool.name, toolSlug: tool.slug, expiresAt });
  const [pass] = await passes();
  expect(pass).toMatchObject({
    userId: asha.actor.userId,
    toolId: tool.id,
    toolName: tool.name,
    source: "giveaway",
    amountPaise: 0,
    status: "completed",
    stockState: "none",
    validityDays: 1,
    startsAt: noon,
    expiresAt,
    testMode: false,
  });
  expect(await shop.stockOf(tool.id)).toBe(5);
  expect(await rounds()).toMatchObject([
    { winnerUserId: asha.actor.userId, claimedAt: noon, purchaseId: pass?.id, toolId: tool.id },
  ]);
  const [mail] = await db.select().from(mailMessages);
  expect(mail).toMatchObject({ recipient: asha.actor.email, kind: "giveaway-won" });
  expect(mail?.text).toContain("22/11/26, 12:00");
  expect(mail?.text).toContain(`https://shop.example/tools/${tool.slug}`);
  const [event] = await db.select().from(auditEvents);
  expect(event).toMatchObject({
    action: "giveaway.claimed",
    actorKind: "user",
    actorId: asha.actor.userId,
    subjectId: pass?.id,
  });
});

test("the first claim of a giveaway gets a pass of as many days as the owner has chosen", async () => {
  await shop.chooseGiveaway({ giveawayToolSlug: tool.slug, giveawayValidityDays: 3 });
  expect(await claim(await shop.user())).toMatchObject({ expiresAt: new Date(noon.getTime() + 3 * DAY) });
});

test("the first claim of a giveaway wins although the tool is sold out", async () => {
  await db.update(tools).set({ availableStock: 0 }).where(eq(tools.id, tool.id));
  expect(await claim(await shop.user())).toMatchObject({ toolSlug: tool.slug });
});

test("the first claim of a giveaway may be repeated by the winner, also at once, and makes one pass", async () => {
  const asha = await shop.user();
  const roundId = await shop.todaysRoundId();
  const responses = await Promise.all(Array.from({ length: 4 }, () => claim(asha, roundId)));
  expect(await claim(asha, roundId)).toEqual(responses[0]);
  expect(new Set(responses.map(({ expiresAt }) => expiresAt.getTime())).size).toBe(1);
  expect(await passes()).toHaveLength(1);
  expect(await db.$count(mailMessages)).toBe(1);
});

test("a claim of a giveaway is refused when somebody else has won", async () => {
  await claim(await shop.user());
  await expect(claim(await shop.user())).rejects.toMatchObject({ code: "giveaway-taken" });
  expect(await passes()).toHaveLength(1);
});

test("a claim of a giveaway is refused to a visitor, to an admin and to the shop itself", async () => {
  const roundId = await shop.todaysRoundId();
  await expect(claim(shop.visitor(), roundId)).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(claim(await shop.user("admin"), roundId)).rejects.toMatchObject({ code: "forbidden" });
  await expect(claim(shop.system(), roundId)).rejects.toMatchObject({ code: "unauthenticated" });
  expect(await passes()).toEqual([]);
});

test("a claim of a giveaway is refused to a disabled account and to a deleted one, whose session may still run", async () => {
  const [off, gone] = [await shop.user(), await shop.user()];
  await db.update(users).set({ isActive: false }).where(eq(users.id, off.actor.userId));
  await deleteUser(await shop.user("admin"), { userId: gone.actor.userId });
  await expect(claim(off)).rejects.toMatchObject({ code: "user-disabled" });
  await expect(claim(gone)).rejects.toMatchObject({ code: "unauthenticated" });
  expect(await rounds()).toMatchObject([{ winnerUserId: null, purchaseId: null }]);
});

test("a claim of a giveaway is refused to a buyer with a running pass for the tool, and the giveaway stays open for others", async () => {
  const owner = await shop.user();
  await assignTool(await shop.user("admin"), { userId: owner.actor.userId, toolId: tool.id });
  await expect(claim(owner)).rejects.toMatchObject({ code: "already-owned" });
  expect(await claim(await shop.user())).toMatchObject({ toolSlug: tool.slug });
});

test("a claim of a giveaway is refused without a round, and with a text that is no round", async () => {
  const asha = await shop.user();
  await shop.todaysRoundId();
  await expect(claimGiveaway(asha, {})).rejects.toMatchObject({ code: "invalid-input" });
  await expect(claim(asha, "today")).rejects.toMatchObject({ code: "invalid-input" });
  await expect(claim(asha, uuidv7())).rejects.toMatchObject({ code: "giveaway-ended" });
});

test("a claim is refused when the owner has stopped the giveaway, or the tool is off sale or deleted meanwhile", async () => {
  const roundId = await shop.todaysRoundId();
  await shop.chooseGiveaway({});
  await expect(claim(await shop.user(), roundId)).rejects.toMatchObject({ code: "no-giveaway" });
  await shop.chooseGiveaway({ giveawayToolSlug: tool.slug });
  for (const facts of [{ isActive: false }, { isActive: true, deletedAt: noon }]) {
    await db.update(tools).set(facts).where(eq(tools.id, tool.id));
    await expect(claim(await shop.user(), roundId)).rejects.toMatchObject({ code: "no-giveaway" });
  }
  expect(await passes()).toEqual([]);
});

test("a claim of a giveaway is refused after too many claims of one account in a short time", async () => {
  const [owner, roundId] = [await shop.user(), await shop.todaysRoundId()];
  await assignTool(await shop.user("admin"), { userId: owner.actor.userId, toolId: tool.id });
  const { maxAttempts } = LIMITS["giveaway-account"];
  const codes = await Promise.all(
    Array.from({ length: maxAttempts + 2 }, () => claim(owner, roundId).catch((error) => error.code)),
  );
  expect(codes.filter((code) => code === "claims-too-fast")).toHaveLength(2);
  expect(codes.filter((code) => code === "already-owned")).toHaveLength(maxAttempts);
  expect(await claim(await shop.user(), roundId)).toMatchObject({ toolSlug: tool.slug });
});

test("the giveaways of two days have their own winners, and the winner of one may win the next when the pass has ended", async () => {
  const asha = await shop.user();
  const first = await shop.todaysRoundId();
  await claim(asha);
  // 23:59:59.999 in India.
  clock.set(new Date("2026-11-21T18:29:59.999Z"));
  await expect(claim(await shop.user())).rejects.toMatchObject({ code: "giveaway-taken" });
  // 00:00.
  clock.set(new Date("2026-11-21T18:30:00Z"));
  await expect(claim(asha)).rejects.toMatchObject({ code: "already-owned" });
  await expect(claim(await shop.user(), first)).rejects.toMatchObject({ code: "giveaway-ended" });
  clock.set(new Date(noon.getTime() + DAY));
  await claim(asha);
  expect(await rounds()).toMatchObject([
    { startsAt: new Date("2026-11-20T18:30:00Z"), endsAt: new Date("2026-11-21T18:30:00Z") },
    { startsAt: new Date("2026-11-21T18:30:00Z"), endsAt: new Date("2026-11-22T18:30:00Z") },
  ]);
  expect((await rounds()).map(({ winnerUserId }) => winnerUserId)).toEqual([
    asha.actor.userId,
    asha.actor.userId,
  ]);
});

test("a giveaway keeps its tool and its validity when the owner chooses others, and the next one has them", async () => {
  const roundId = await shop.todaysRoundId();
  const other = await shop.tool();
  await shop.chooseGiveaway({ giveawayToolSlug: other.slug, giveawayValidityDays: 7 });
  expect(await claim(await shop.user(), roundId)).toEqual({
    toolName: tool.name,
    toolSlug: tool.slug,
    expiresAt: new Date(noon.getTime() + DAY),
  });
  clock.advance(DAY);
  expect(await readTodaysGiveaway(shop.visitor())).toMatchObject({ toolSlug: other.slug, validityDays: 7 });
});

test("no giveaway overlaps another, also when the owner changes the time zone", async () => {
  await shop.todaysRoundId();
  const tokyo = { ...shop.visitor(), store: { ...shop.visitor().store, timeZone: "Asia/Tokyo" } };
  clock.set(new Date("2026-11-21T18:30:00Z"));
  expect(await readTodaysGiveaway(tokyo)).toMatchObject({ endsAt: new Date("2026-11-22T15:00:00Z") });
  const [first, second] = await rounds();
  expect(second?.startsAt).toEqual(first?.endsAt);
  // In this zone the round of today began before the last one ended.
  clock.set(new Date("2026-11-22T15:00:00Z"));
  expect(await shop.todaysRoundId()).toEqual(expect.any(String));
  expect((await rounds())[2]).toMatchObject({
    startsAt: new Date("2026-11-22T15:00:00Z"),
    endsAt: new Date("2026-11-22T18:30:00Z"),
  });
  const overlap = { id: uuidv7(), toolId: tool.id, validityDays: 1 };
  const [startsAt, endsAt] = [noon, new Date(noon.getTime() + HOUR)];
  await expect(db.insert(giveawayRounds).values({ ...overlap, startsAt, endsAt })).rejects.toThrow();
});

test("only one of 500 claims at once on four pools of connections wins and makes a pass", {
  timeout: 120_000,
}, async () => {
  const pools = Array.from({ length: 4 }, () =>
    openDatabase(shop.url, { max: 3, onBrokenConnection: () => {} }),
  );
  try {
    const people = Array.from({ length: 500 }, () => uuidv7());
    await db.insert(users).values(people.map((id) => ({ id, email: `${id}@example.com` })));
    const claimants = people.map((userId, n): Context => {
      const own: Database = pools[n % pools.length]?.db ?? db;
      const actor = { kind: "user" as const, userId, email: `${userId}@example.com`, sessionId: uuidv7() };
      return { ...shop.contextFor(actor), db: own };
    });
    // Every pool opens the round at the same time.
    const seen = await Promise.all(claimants.slice(0, 20).map((ctx) => readTodaysGiveaway(ctx)));
    const roundId = seen[0]?.roundId ?? "";
    expect(new Set(seen.map((today) => today?.roundId))).toEqual(new Set([roundId]));
    const responses = await Promise.all(
      claimants.map((ctx) =>
        claimGiveaway(ctx, { roundId }).then(
          () => "won",
          (error) => (isDomainError(error) ? error.code : error),
        ),
      ),
    );
    expect(responses.filter((response) => response === "won")).toHaveLength(1);
    expect(new Set(responses)).toEqual(new Set(["won", "giveaway-taken"]));
    expect(await passes()).toHaveLength(1);
    expect(await rounds()).toHaveLength(1);
    expect((await rounds())[0]?.purchaseId).toBe((await passes())[0]?.id);
    expect(await db.$count(mailMessages)).toBe(1);
    expect(await db.$count(auditEvents)).toBe(1);
  } finally {
    for (const pool of pools) await pool.close();
  }
});
