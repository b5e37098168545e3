import { eq } from "drizzle-orm";
import { afterAll, beforeEach, expect, test } from "vitest";
import { users } from "#db/tables/accounts.ts";
import { tools } from "#db/tables/catalog.ts";
import { giveawayRounds } from "#db/tables/giveaways.ts";
import { openGiveawayShop } from "#tests/fixtures/giveaway-shop.ts";
import { deleteUser } from "../accounts/delete-account.server.ts";
import { assignTool } from "../passes/give-pass.server.ts";
import { DAY } from "../time.ts";
import { claimGiveaway } from "./claim-giveaway.server.ts";
import { listPastWinners, readTodaysGiveaway } from "./read-giveaways.server.ts";

const shop = await openGiveawayShop();
const { db, clock } = shop;
afterAll(() => shop.close());

const noon = new Date("2026-11-21T06:30:00Z");
let tool: Awaited<ReturnType<typeof shop.tool>>;
beforeEach(async () => {
  await db.execute("truncate giveaway_rounds, user_purchases, settings, users cascade");
  clock.set(noon);
  tool = await shop.tool();
  await shop.chooseGiveaway({ giveawayToolSlug: tool.slug });
});

const named = async (name: string, email: string) => {
  const ctx = await shop.user();
  await db.update(users).set({ name, email }).where(eq(users.id, ctx.actor.userId));
  return ctx;
};
const claim = async (ctx: Awaited<ReturnType<typeof shop.user>>) =>
  claimGiveaway(ctx, { roundId: await shop.todaysRoundId() });

test("the giveaway of today is open to visitors and users until somebody claims it, and ends at midnight of the store", async () => {
  const open = {
    toolName: tool.name,
    toolSlug: tool.slug,
    description: "A tool.",
    validityDays: 1,
    now: noon,
    endsAt: new Date("2026-11-21T18:30:00Z"),
    state: "open",
    claim: null,
    ownedUntil: null,
  };
  expect(await readTodaysGiveaway(shop.visitor())).toMatchObject(open);
  expect(await readTodaysGiveaway(await shop.user())).toMatchObject(open);
  expect(await readTodaysGiveaway(await shop.user("admin"))).toMatchObject({ ...open, state: "admin" });
  expect(await db.$count(giveawayRounds)).toBe(1);
});

test("the giveaway of today is taken for others, won for the winner, and tells a buyer of the tool that they have it", async () => {
  const winner = await named("", "asha.kumar@gmail.com");
  const owner = await shop.user();
  const { expiresAt } = await assignTool(await shop.user("admin"), {
    userId: owner.actor.userId,
    toolId: tool.id,
  });
  expect(await readTodaysGiveaway(owner)).toMatchObject({ state: "owned", ownedUntil: expiresAt });
  await claim(winner);
  const taken = { at: noon, by: "a•••@g•••.com" };
  expect(await readTodaysGiveaway(winner)).toMatchObject({
    state: "won",
    claim: taken,
    ownedUntil: new Date(noon.getTime() + DAY),
  });
  expect(await readTodaysGiveaway(owner)).toMatchObject({ state: "owned", claim: taken });
  expect(await readTodaysGiveaway(shop.visitor())).toMatchObject({ state: "taken", claim: taken });
});

test.each([
  ["without a chosen tool", {}],
  ["for a tool that does not exist", { giveawayToolSlug: "gone" }],
])("there is no giveaway today %s", async (_case, choice) => {
  await shop.chooseGiveaway(choice);
  expect(await readTodaysGiveaway(shop.visitor())).toBeNull();
  expect(await db.$count(giveawayRounds)).toBe(0);
});

test.each([
  { isActive: false },
  { deletedAt: noon },
  { pricePaise: 0 },
])("there is no giveaway today for a tool that cannot be sold: %o", async (facts) => {
  await db.update(tools).set(facts).where(eq(tools.id, tool.id));
  expect(await readTodaysGiveaway(shop.visitor())).toBeNull();
  expect(await db.$count(giveawayRounds)).toBe(0);
});

test("the giveaway of today is opened once when many ask for it at once", async () => {
  const found = await Promise.all(Array.from({ length: 40 }, () => readTodaysGiveaway(shop.visitor())));
  expect(new Set(found.map((today) => today?.roundId)).size).toBe(1);
  expect(await db.$count(giveawayRounds)).toBe(1);
});

test("the past winners are listed with the newest first and with the tool's name of the day, without days that had no winner", async () => {
  await claim(await named("Asha Kumar", "asha@example.com"));
  clock.advance(DAY);
  await shop.todaysRoundId();
  clock.advance(DAY);
  await claim(await named("", "ravi@shop.co.in"));
  await db.update(tools).set({ name: "New Name", deletedAt: noon }).where(eq(tools.id, tool.id));
  expect(await listPastWinners(shop.visitor())).toMatchObject([
    { day: new Date("2026-11-22T18:30:00Z"), toolName: tool.name, winner: "r•••@s•••.in" },
    { day: new Date("2026-11-20T18:30:00Z"), toolName: tool.name, winner: "As••• K." },
  ]);
});

test("a past winner whose account is deleted is listed as a former customer", async () => {
  const asha = await named("Asha Kumar", "asha@example.com");
  await claim(asha);
  await deleteUser(await shop.user("admin"), { userId: asha.actor.userId });
  expect(await listPastWinners(shop.visitor())).toMatchObject([{ winner: "A former customer" }]);
  expect(await readTodaysGiveaway(shop.visitor())).toMatchObject({
    state: "taken",
    claim: { by: "A former customer" },
  });
});

test("the past winners are at most thirty", async () => {
  for (let n = 0; n < 31; n++) {
    await claim(await shop.user());
    clock.advance(DAY);
  }
  expect(await listPastWinners(shop.visitor())).toHaveLength(30);
});

test("neither a name nor an address nor an id of the winner leaves the server", async () => {
  const asha = await named("Ashalata Kumaraswamy", "ashalata.k@example.com");
  await claim(asha);
  const shown = JSON.stringify([
    await readTodaysGiveaway(shop.visitor()),
    await readTodaysGiveaway(await shop.user("admin")),
    await listPastWinners(shop.visitor()),
  ]);
  for (const secret of ["Ashalata", "Kumaraswamy", "ashalata.k", "example.com", asha.actor.userId])
    expect(shown).not.toContain(secret);
  expect(shown).toContain("As••• K.");
});
