import { randomUUID } from "node:crypto";
import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { sessions } from "#db/tables/accounts.ts";
import { deviceTickets } from "#db/tables/devices.ts";
import { auditEvents } from "#db/tables/operations.ts";
import { openAccountsShop } from "#tests/fixtures/accounts-shop.ts";
import { PASSWORD, signInOwner, signInPerson, signUpPerson } from "#tests/fixtures/people.ts";
import type { Context } from "../context.ts";
import { issueTicket } from "../devices/connect-device.server.ts";
import { endOtherSessions, endSession, listMySessions } from "./sessions.server.ts";
import { signInWithEmail } from "./sign-in.server.ts";

const shop = await openAccountsShop();

const signUp = () => signUpPerson(shop);
const signIn = (email: string) => signInPerson(shop, email);

const sessionOf = ({ actor }: Context) =>
  actor.kind === "user" || actor.kind === "admin" ? actor.sessionId : "";
const auditsOn = (userId: string) =>
  shop.db
    .select({ action: auditEvents.action, details: auditEvents.details })
    .from(auditEvents)
    .where(eq(auditEvents.subjectId, userId))
    .orderBy(auditEvents.id);

describe("a sign-in in a browser that is signed in", () => {
  const running = (ctx: Context) => shop.db.$count(sessions, eq(sessions.id, sessionOf(ctx)));

  test("a sign-in in a browser that is signed in ends the old session of that browser and no other one", async () => {
    const { email, ctx, browser } = await signUp();
    const elsewhere = await signIn(email);
    const { setCookies } = await signInWithEmail(ctx, { email, password: PASSWORD });
    browser.keep(setCookies);
    const again = await shop.as(browser);
    expect(again.actor).toMatchObject({ email });
    expect([await running(ctx), await running(again), await running(elsewhere.ctx)]).toEqual([0, 1, 1]);
  });

  test("a sign-in in a browser that is signed in ends a session of another account too, with its unused tickets", async () => {
    const { ctx, userId } = await signUp();
    const other = await signUp();
    await issueTicket(ctx);
    await signInWithEmail(ctx, { email: other.email, password: PASSWORD });
    expect([await running(ctx), await running(other.ctx)]).toEqual([0, 1]);
    expect(await shop.db.$count(deviceTickets, eq(deviceTickets.userId, userId))).toBe(0);
  });

  test("a sign-in of the admin ends the session of a buyer in that browser, and a sign-up of a buyer that of the admin", async () => {
    const { ctx, browser } = await signUp();
    const owner = await signInOwner(shop, { browser });
    expect(await running(ctx)).toBe(0);
    await signUpPerson(shop, { browser });
    expect(await running(owner.ctx)).toBe(0);
  });

  test("a failed sign-in in a browser that is signed in ends nothing", async () => {
    const { email, ctx } = await signUp();
    await expect(signInWithEmail(ctx, { email, password: "kettle-off" })).rejects.toMatchObject({
      code: "wrong-password",
    });
    expect(await running(ctx)).toBe(1);
  });
});

test("the list of sessions has this browser first, then the last seen, and no session that has ended", async () => {
  const { email, ctx, userId } = await signUp();
  const [older, newer, ended] = [await signIn(email), await signIn(email), await signIn(email)];
  const set = (other: { ctx: Context }, values: Partial<typeof sessions.$inferInsert>) =>
    shop.db
      .update(sessions)
      .set(values)
      .where(eq(sessions.id, sessionOf(other.ctx)));
  const [longAgo, lately] = [new Date(Date.now() - 86_400_000), new Date(Date.now() - 3_600_000)];
  await set({ ctx }, { updatedAt: longAgo });
  await set(older, { updatedAt: longAgo, userAgent: "Mozilla/5.0 (iPhone) Version/18.6 Safari/604.1" });
  await set(newer, { updatedAt: lately });
  await set(ended, { expiresAt: longAgo });
  const listed = await listMySessions(ctx);
  expect(listed.map(({ id }) => id)).toEqual([sessionOf(ctx), sessionOf(newer.ctx), sessionOf(older.ctx)]);
  expect(listed.map(({ isCurrent }) => isCurrent)).toEqual([true, false, false]);
  expect(listed[1]?.lastSeenAt).toEqual(lately);
  expect(listed[2]).toMatchObject({
    browser: { name: "Safari", system: "iPhone" },
    isHandheld: true,
    lastSeenAt: longAgo,
  });
  expect(JSON.stringify(listed)).not.toContain(userId);
});

test("the list of sessions knows within an hour when a browser was last used", async () => {
  const { browser, ctx } = await signUp();
  const hoursAgo = new Date(Date.now() - 2 * 3_600_000);
  const lastSeen = async () =>
    (
      await shop.db
        .select()
        .from(sessions)
        .where(eq(sessions.id, sessionOf(ctx)))
    )[0]?.updatedAt;
  await shop.db
    .update(sessions)
    .set({ updatedAt: hoursAgo })
    .where(eq(sessions.id, sessionOf(ctx)));
  await shop.as(browser);
  const seen = await lastSeen();
  expect(seen?.getTime()).toBeGreaterThan(Date.now() - 60_000);
  // The next requests write nothing.
  await shop.as(browser);
  expect(await lastSeen()).toEqual(seen);
});

test("a person signs out one of the other browsers, with the tickets that it may have got, and the others stay", async () => {
  const { email, browser, ctx, userId } = await signUp();
  const [lost, kept] = [await signIn(email), await signIn(email)];
  const expiresAt = new Date(Date.now() + 60_000);
  await shop.db.insert(deviceTickets).values({ ticketHash: randomUUID(), userId, expiresAt });
  await endSession(ctx, { sessionId: sessionOf(lost.ctx) });
  expect((await shop.as(lost.browser)).actor).toEqual({ kind: "visitor" });
  expect((await shop.as(kept.browser)).actor).toMatchObject({ userId });
  expect((await shop.as(browser)).actor).toMatchObject({ userId });
  expect(await shop.db.$count(deviceTickets, eq(deviceTickets.userId, userId))).toBe(0);
  await expect(endSession(ctx, { sessionId: sessionOf(lost.ctx) })).rejects.toMatchObject({
    code: "not-found",
  });
  expect((await auditsOn(userId)).map(({ action }) => action)).toEqual([
    "account.signed-up",
    "account.signed-in",
    "account.signed-in",
    "account.session-ended",
  ]);
});

test("a person signs out all other browsers at once, and not those of other people", async () => {
  const { email, browser, ctx, userId } = await signUp();
  const others = [await signIn(email), await signIn(email), await signIn(email)];
  const stranger = await signUp();
  expect(await endOtherSessions(ctx)).toEqual({ ended: 3 });
  for (const other of others) expect((await shop.as(other.browser)).actor).toEqual({ kind: "visitor" });
  expect((await shop.as(browser)).actor).toMatchObject({ userId });
  expect((await shop.as(stranger.browser)).actor).toMatchObject({ userId: stranger.userId });
  expect(await endOtherSessions(ctx)).toEqual({ ended: 0 });
  expect((await auditsOn(userId)).slice(4)).toEqual([
    {
      action: "account.other-sessions-ended",
      details: { sessionsEnded: 3, ipAddress: browser.ipAddress },
    },
  ]);
});

test("nobody lists or ends the sessions of somebody else", async () => {
  const { ctx, browser, userId } = await signUp();
  const stranger = (await signUp()).ctx;
  await expect(endSession(stranger, { sessionId: sessionOf(ctx) })).rejects.toMatchObject({
    code: "not-found",
  });
  expect((await listMySessions(stranger)).map(({ id }) => id)).toEqual([sessionOf(stranger)]);
  for (const other of [shop.visitor(), shop.system()]) {
    const unauthenticated = { code: "unauthenticated" };
    await expect(listMySessions(other)).rejects.toMatchObject(unauthenticated);
    await expect(endSession(other, { sessionId: sessionOf(ctx) })).rejects.toMatchObject(unauthenticated);
    await expect(endOtherSessions(other)).rejects.toMatchObject(unauthenticated);
  }
  await expect(endSession(stranger, { sessionId: "none" })).rejects.toMatchObject({ code: "invalid-input" });
  expect((await shop.as(browser)).actor).toMatchObject({ userId });
});
