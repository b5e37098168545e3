import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { sessions, users } from "#db/tables/accounts.ts";
import { deviceTickets } from "#db/tables/devices.ts";
import { openAccountsShop, TestBrowser } from "#tests/fixtures/accounts-shop.ts";
import { signUpPerson } from "#tests/fixtures/people.ts";
import { issueTicket } from "../devices/connect-device.server.ts";
import { readProfile } from "./profile.server.ts";
import { resolveActor, signOut } from "./sessions.server.ts";
import { signUpWithEmail } from "./sign-in.server.ts";

const shop = await openAccountsShop();

const signedIn = (email: string) => signUpPerson(shop, { email });

const resolve = (browser: TestBrowser) => resolveActor(shop.visitor(browser));

test("a request without a signed session cookie is a visitor and makes no query", async () => {
  const before = shop.queries();
  const stranger = new TestBrowser();
  expect((await resolve(stranger)).actor).toEqual({ kind: "visitor" });
  stranger.cookies.set("theme", "dark");
  expect((await resolve(stranger)).actor).toEqual({ kind: "visitor" });
  stranger.cookies.set("__Host-daypass.session_token", "made-up.c2lnbmF0dXJl");
  expect((await resolve(stranger)).actor).toEqual({ kind: "visitor" });
  expect(shop.queries()).toBe(before);
});

test("the session cookie that is read of two in a request is the one that a sign-out ends", async () => {
  const [asha, ravi] = [await signedIn("asha-two@example.com"), await signedIn("ravi-two@example.com")];
  const name = "__Host-daypass.session_token";
  const both = new TestBrowser();
  both.cookies.set(name, `${asha.browser.cookies.get(name)}; ${name}=${ravi.browser.cookies.get(name)}`);
  const { actor } = await resolve(both);
  const [read, other] = "userId" in actor && actor.userId === asha.userId ? [asha, ravi] : [ravi, asha];
  expect(actor).toMatchObject({ userId: read.userId });
  await signOut(await shop.as(both));
  expect((await resolve(read.browser)).actor).toEqual({ kind: "visitor" });
  expect((await resolve(other.browser)).actor).toMatchObject({ userId: other.userId });
});

test("a change of role applies from the next request on", async () => {
  const { browser, userId } = await signedIn("promoted@example.com");
  expect((await resolve(browser)).actor).toMatchObject({ kind: "user", userId });
  await shop.db.update(users).set({ role: "admin" }).where(eq(users.id, userId));
  expect((await resolve(browser)).actor).toMatchObject({ kind: "admin", userId });
});

test.each([
  ["disabled", { isActive: false }],
  ["deleted", { deletedAt: new Date() }],
])("a %s account is a visitor from the next request on", async (name, change) => {
  const { browser, userId } = await signedIn(`${name}@example.com`);
  await shop.db.update(users).set(change).where(eq(users.id, userId));
  expect((await resolve(browser)).actor).toEqual({ kind: "visitor" });
});

test("a request with an expired session is a visitor", async () => {
  const { browser, userId } = await signedIn("expired@example.com");
  await shop.db
    .update(sessions)
    .set({ expiresAt: new Date(0) })
    .where(eq(sessions.userId, userId));
  expect((await resolve(browser)).actor).toEqual({ kind: "visitor" });
});

test("a session in use and its cookie are extended once a day", async () => {
  const { browser, userId } = await signedIn("regular@example.com");
  expect((await resolve(browser)).setCookies).toEqual([]);
  const inTwentyEightDays = new Date(Date.now() + 28 * 86_400_000);
  await shop.db.update(sessions).set({ expiresAt: inTwentyEightDays }).where(eq(sessions.userId, userId));
  const { setCookies } = await resolve(browser);
  expect(setCookies.join()).toContain("Max-Age=2592000");
  const [row] = await shop.db.select().from(sessions).where(eq(sessions.userId, userId));
  expect(row?.expiresAt.getTime()).toBeGreaterThan(inTwentyEightDays.getTime());
});

describe("an old session", () => {
  const daysFromNow = (days: number) => new Date(Date.now() + days * 86_400_000);
  async function startSession(email: string, daysAgo: number, expiresAt: Date) {
    const { browser, userId } = await signedIn(email);
    const times = { createdAt: daysFromNow(-daysAgo), expiresAt };
    await shop.db.update(sessions).set(times).where(eq(sessions.userId, userId));
    const row = async () => (await shop.db.select().from(sessions).where(eq(sessions.userId, userId)))[0];
    return { browser, row };
  }

  test.each([
    0.001, 1, 29.5,
  ])("a session ends 90 days after the sign-in, although its row expires %d days later", async (days) => {
    const { browser, row } = await startSession(`over-${days}@example.com`, 90.001, daysFromNow(days));
    expect((await resolve(browser)).actor).toEqual({ kind: "visitor" });
    expect(await row()).toBeUndefined();
  });

  test("an old session is extended at most to its ninetieth day, with its cookie", async () => {
    const { browser, row } = await startSession("late@example.com", 80, daysFromNow(5));
    const { actor, setCookies } = await resolve(browser);
    expect(actor.kind).toBe("user");
    const end = (await row())?.expiresAt.getTime() ?? 0;
    expect(Math.abs(end - daysFromNow(10).getTime())).toBeLessThan(60_000);
    const maxAge = Number(/Max-Age=(\d+)/.exec(setCookies.join())?.[1]);
    expect(maxAge).toBeGreaterThan(10 * 86_400 - 60);
    expect(maxAge).toBeLessThanOrEqual(10 * 86_400);
    expect((await resolve(browser)).setCookies).toEqual([]);
  });

  test("an old session needs two queries a request once it cannot be extended", async () => {
    const { browser } = await startSession("last@example.com", 85, daysFromNow(5));
    await resolve(browser);
    const before = shop.queries();
    expect((await resolve(browser)).actor.kind).toBe("user");
    expect(shop.queries() - before).toBe(2);
  });
});

test("the session cookie has the __Host- prefix over https", async () => {
  const credentials = { email: "host@example.com", password: "kettle-on" };
  const { setCookies } = await signUpWithEmail(shop.visitor(), credentials);
  const [pair = "", ...attributes] = (setCookies[0] ?? "").split("; ");
  expect(pair).toMatch(/^__Host-daypass\.session_token=/);
  expect(attributes.sort()).toEqual(["HttpOnly", "Max-Age=2592000", "Path=/", "SameSite=Lax", "Secure"]);
});

test("the session stores the address that the server determined, not the one in a header", async () => {
  const browser = new TestBrowser("203.0.113.9");
  const headers = new Headers({ "x-forwarded-for": "8.8.8.8", "x-daypass-address": "9.9.9.9" });
  const ctx = { ...shop.visitor(), browser: { headers, ipAddress: browser.ipAddress } };
  const { user } = await signUpWithEmail(ctx, { email: "address@example.com", password: "kettle-on" });
  const [row] = await shop.db.select().from(sessions).where(eq(sessions.userId, user.id));
  expect(row?.ipAddress).toBe("203.0.113.9");
});

test("signing out ends the session and the unused tickets, and removes the cookie", async () => {
  const { browser, userId } = await signedIn("leaving@example.com");
  const copy = new TestBrowser();
  for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
  const signedInCtx = await shop.as(browser);
  await issueTicket(signedInCtx);
  browser.keep((await signOut(signedInCtx)).setCookies);
  expect(await shop.db.$count(deviceTickets, eq(deviceTickets.userId, userId))).toBe(0);
  expect([...browser.cookies.keys()]).toEqual(["__Host-daypass.known_browser"]);
  expect((await resolve(copy)).actor).toEqual({ kind: "visitor" });
  expect(await shop.db.select().from(sessions).where(eq(sessions.userId, userId))).toEqual([]);
});

test("signing out works without a session, but is refused without a browser", async () => {
  expect((await signOut(shop.visitor())).setCookies.join()).toContain("Max-Age=0");
  await expect(signOut(shop.system())).rejects.toMatchObject({ code: "forbidden" });
});

test("only the signed-in account can read its profile", async () => {
  const { browser, userId } = await signedIn("self@example.com");
  expect(await readProfile(await shop.as(browser))).toEqual({
    id: userId,
    email: "self@example.com",
    displayName: "",
    role: "user",
  });
  await expect(readProfile(shop.visitor())).rejects.toMatchObject({ code: "unauthenticated" });
});

const COOKIE = "__Host-daypass.session_token";

test("a request with a session needs two queries", async () => {
  const { browser } = await signedIn("cheap@example.com");
  await resolve(browser);
  const before = shop.queries();
  expect((await resolve(browser)).actor.kind).toBe("user");
  expect(shop.queries() - before).toBe(2);
});

test("a request with a forged session cookie is a visitor", async () => {
  const { browser } = await signedIn("genuine@example.com");
  const other = await signedIn("other@example.com");
  const [own = "", others = ""] = [browser, other.browser].map(({ cookies }) => cookies.get(COOKIE));
  const [token = "", signature = ""] = decodeURIComponent(own).split(".");
  const [othersToken = ""] = decodeURIComponent(others).split(".");
  const flipped = `${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`;
  for (const forged of [
    `${token}.${flipped}`,
    `${othersToken}.${signature}`,
    token,
    `${token}.`,
    `.${signature}`,
    `${token}.${signature.slice(0, 20)}`,
    `${token}x.${signature}`,
    "%E0%A4%A",
  ]) {
    const attacker = new TestBrowser();
    attacker.cookies.set(COOKIE, forged.startsWith("%") ? forged : encodeURIComponent(forged));
    expect((await resolve(attacker)).actor, forged).toEqual({ kind: "visitor" });
  }
  expect((await resolve(browser)).actor.kind).toBe("user");
});

test("a request with an ended session is a visitor", async () => {
  const { browser, userId } = await signedIn("ended@example.com");
  expect((await resolve(browser)).actor.kind).toBe("user");
  await shop.db.delete(sessions).where(eq(sessions.userId, userId));
  expect((await resolve(browser)).actor).toEqual({ kind: "visitor" });
});
