import { randomUUID } from "node:crypto";
import { eq, like } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import { authAccounts, sessions, users, verifications } from "#db/tables/accounts.ts";
import { devices } from "#db/tables/devices.ts";
import { auditEvents, mailMessages, rateLimits } from "#db/tables/operations.ts";
import type { Person } from "#tests/fake-google/fake-google.ts";
import { ADMIN_EMAIL, ORIGIN, TestBrowser } from "#tests/fixtures/accounts-shop.ts";
import { openGoogleShop, person } from "#tests/fixtures/google-shop.ts";
import { PASSWORD, signUpPerson } from "#tests/fixtures/people.ts";
import {
  checkGoogleSignIn,
  finishGoogleSignIn,
  readGoogleAttempt,
  startGoogleSignIn,
} from "./google-sign-in.server.ts";
import { requestPasswordReset } from "./reset-password.server.ts";
import { ensureFirstAdmin } from "./set-up-admin.server.ts";
import { signInWithEmail, signUpWithEmail } from "./sign-in.server.ts";

const shop = await openGoogleShop();
const { visitor, comeBack, connect, signIn, logged } = shop;
const password = PASSWORD;

beforeAll(async () => {
  await ensureFirstAdmin(shop.system(), { password: "the-owners-own-words" });
});

const rowOf = async (email: string) => (await shop.db.select().from(users).where(eq(users.email, email)))[0];
const linksOf = (userId: string) =>
  shop.db.select().from(authAccounts).where(eq(authAccounts.userId, userId));
const actionsOn = async (userId: string) =>
  (await shop.db.select().from(auditEvents).where(eq(auditEvents.subjectId, userId))).map(
    ({ action }) => action,
  );

/** The kinds of the mails to an address. */
const mailsTo = async (email: string) =>
  (await shop.db.select().from(mailMessages).where(eq(mailMessages.recipient, email.toLowerCase()))).map(
    ({ kind }) => kind,
  );

test("an unknown person gets an account with the name and the photo of Google, and is signed in", async () => {
  const picture = "https://photos.example/asha.png";
  const { user, browser } = await signIn(person({ email: "Asha@Example.com", picture }));
  expect(user).toMatchObject({ email: "asha@example.com", role: "user" });
  expect(await rowOf("asha@example.com")).toMatchObject({
    provider: "google",
    emailVerified: true,
    name: "Asha Rao",
    image: picture,
    lastLogin: expect.any(Date),
  });
  expect((await shop.as(browser)).actor).toMatchObject({ kind: "user", userId: user.id });
  expect(await linksOf(user.id)).toMatchObject([
    { providerId: "google", password: null, accessToken: null, refreshToken: null, idToken: null },
  ]);
  expect(await actionsOn(user.id)).toEqual(["account.signed-up", "account.signed-in"]);
});

test("an unknown person gets one account by ten answers of Google at the same time", async () => {
  const who = person();
  const browsers = Array.from({ length: 10 }, () => new TestBrowser());
  const answers: URL[] = [];
  await shop.db.delete(rateLimits);
  for (const browser of browsers) answers.push(await comeBack(who, browser));
  const signedIn = await Promise.all(
    browsers.map((browser, n) => finishGoogleSignIn(visitor(browser), answers[n] ?? new URL(ORIGIN))),
  );
  expect(new Set(signedIn.map(({ user }) => user.id)).size).toBe(1);
  expect(await linksOf(signedIn[0]?.user.id ?? "")).toHaveLength(1);
  // Only the account that was made counts against the limit of new accounts.
  const counted = await shop.db
    .select({ points: rateLimits.points })
    .from(rateLimits)
    .where(like(rateLimits.key, "sign-up-address:%"));
  expect(counted.reduce((sum, { points }) => sum + points, 0)).toBe(1);
});

test("a sign-in with Google without an attempt of this browser is refused, which does not count for the limit of its network", async () => {
  const browser = new TestBrowser("198.51.100.78");
  const answer = new URL("/api/auth/callback/google?code=none&state=none", ORIGIN);
  for (let n = 0; n < 101; n++)
    await expect(finishGoogleSignIn(visitor(browser), answer)).rejects.toMatchObject({
      code: "authentication-failed",
    });
});

test("an unknown person is refused while Google has not verified the address", async () => {
  const who = person({ email_verified: false });
  await expect(signIn(who)).rejects.toMatchObject({ code: "email-not-verified" });
  expect(await rowOf(who.email)).toBeUndefined();
});

test("an unknown person is refused above the limit of new accounts of a network", async () => {
  const browser = new TestBrowser("198.51.100.77");
  for (let n = 0; n < 20; n++)
    await visitor(browser).ports.rateLimiter.consume("sign-up-address", browser.ipAddress);
  const who = person();
  await expect(signIn(who, browser)).rejects.toMatchObject({ code: "sign-up-rate-limited" });
  expect(await rowOf(who.email)).toBeUndefined();
});

test("an unknown person who signs in with Google never becomes the admin", async () => {
  await expect(signIn(person({ email: ADMIN_EMAIL }))).rejects.toMatchObject({
    code: "password-sign-in-only",
  });
  const admin = await rowOf(ADMIN_EMAIL);
  expect((await linksOf(admin?.id ?? "")).map(({ providerId }) => providerId)).toEqual(["credential"]);
  await shop.db.update(users).set({ email: "elsewhere@example.com" }).where(eq(users.email, ADMIN_EMAIL));
  await expect(signIn(person({ email: ADMIN_EMAIL.toUpperCase() }))).rejects.toMatchObject({
    code: "password-sign-in-only",
  });
  expect(await rowOf(ADMIN_EMAIL)).toBeUndefined();
  await shop.db
    .update(users)
    .set({ email: ADMIN_EMAIL })
    .where(eq(users.id, admin?.id ?? ""));
});

test("a person who has signed in with Google before gets the same account, also with another address, and keeps the name", async () => {
  const who = person();
  const { user } = await signIn(who);
  await shop.db.update(users).set({ name: "Asha" }).where(eq(users.id, user.id));
  const again = await signIn({
    ...who,
    email: `new-${who.email}`,
    picture: "https://photos.example/2.png",
  });
  expect(again.user).toMatchObject({ id: user.id, email: who.email });
  expect(await rowOf(who.email)).toMatchObject({ name: "Asha", image: "https://photos.example/2.png" });
  expect(await linksOf(user.id)).toHaveLength(1);
});

test("a sign-in with Google is refused while the account is disabled, and the attempt is audited", async () => {
  const who = person();
  const { user } = await signIn(who);
  await shop.db.update(users).set({ isActive: false }).where(eq(users.id, user.id));
  await expect(signIn(who)).rejects.toMatchObject({ code: "user-disabled" });
  expect(await actionsOn(user.id)).toContain("account.sign-in-failed");
});

test("a sign-in with Google is refused after the account has become an admin's", async () => {
  const who = person();
  const { user } = await signIn(who);
  await shop.db.update(users).set({ role: "admin" }).where(eq(users.id, user.id));
  await expect(signIn(who)).rejects.toMatchObject({ code: "password-sign-in-only" });
});

test("a person is signed in with Google when the profile cannot be stored, and the failure is logged", async () => {
  const who = person({ picture: "https://example.com/asha\0" });
  logged.length = 0;
  const { user, browser } = await signIn(who);
  expect((await shop.as(browser)).actor).toMatchObject({ userId: user.id });
  expect(logged).toContainEqual(expect.objectContaining({ userId: user.id }));
});

test("a person who has signed in with Google may set a password with a mailed link", async () => {
  const who = person();
  await signIn(who);
  await requestPasswordReset(visitor(new TestBrowser()), { email: who.email });
  expect(await mailsTo(who.email)).toEqual(["password-reset"]);
});

describe("an account with a password and the same address", () => {
  const signUp = (email: string) => signUpPerson({ visitor, as: shop.as }, { email });

  test("a verified account with the address of Google is linked, and its password and sessions stay", async () => {
    const who = person();
    const { userId, browser } = await signUp(who.email);
    await shop.db.update(users).set({ emailVerified: true }).where(eq(users.id, userId));
    expect((await signIn(who)).user.id).toBe(userId);
    expect((await linksOf(userId)).map(({ providerId }) => providerId).sort()).toEqual([
      "credential",
      "google",
    ]);
    expect((await shop.as(browser)).actor).toMatchObject({ userId });
    await signInWithEmail(visitor(new TestBrowser()), { email: who.email, password });
    expect(await actionsOn(userId)).toContain("account.google-linked");
    expect(await mailsTo(who.email)).toContain("google-linked");
  });

  test.each<[string, Partial<Person>]>([
    ["of a domain without an organisation at Google", {}],
    ["of another domain than that of the organisation", { hd: "example.org" }],
    ["whose end looks like a domain of Google", { email: `${randomUUID()}@not-gmail.com` }],
  ])("a verified account with the address of Google that is %s is not linked without its password", async (_case, values) => {
    const { hd: _none, ...someone } = person();
    const who = { ...someone, ...values };
    const { userId } = await signUp(who.email);
    await shop.db.update(users).set({ emailVerified: true }).where(eq(users.id, userId));
    await expect(signIn(who)).rejects.toMatchObject({ code: "google-needs-password" });
    expect((await linksOf(userId)).map(({ providerId }) => providerId)).toEqual(["credential"]);
    expect(await mailsTo(who.email)).toEqual([]);
    expect(await actionsOn(userId)).toContain("account.sign-in-failed");
  });

  test.each([
    "gmail.com",
    "GoogleMail.com",
  ])("a verified account of %s is linked with Google", async (domain) => {
    const { hd: _none, ...someone } = person();
    const who = { ...someone, email: `${randomUUID()}@${domain}` };
    const { userId } = await signUp(who.email);
    await shop.db.update(users).set({ emailVerified: true }).where(eq(users.id, userId));
    expect((await signIn(who)).user.id).toBe(userId);
  });

  test("an account is linked with Google by somebody who is signed in to it, whatever the domain is, and opens with Google then", async () => {
    const { hd: _none, ...who } = person();
    const { userId, browser } = await signUp(who.email);
    await shop.db.update(users).set({ emailVerified: true }).where(eq(users.id, userId));
    expect((await connect(who, browser)).user.id).toBe(userId);
    expect((await shop.as(browser)).actor).toMatchObject({ userId });
    expect(await shop.db.$count(sessions, eq(sessions.userId, userId))).toBe(1);
    expect((await signIn(who)).user.id).toBe(userId);
  });

  test("an account is not left for another one when somebody who is signed in chooses a different address at Google", async () => {
    const { userId, browser } = await signUp(person().email);
    const [stranger, known] = [person(), person()];
    await signIn(known);
    for (const who of [stranger, known])
      await expect(connect(who, browser)).rejects.toMatchObject({ code: "google-email-differs" });
    expect(await rowOf(stranger.email)).toBeUndefined();
    expect((await shop.as(browser)).actor).toMatchObject({ userId });
  });

  test("an account that nobody has verified is not taken over by an address that Google does not give out", async () => {
    const { hd: _none, ...who } = person();
    const { userId, browser } = await signUp(who.email);
    await expect(signIn(who)).rejects.toMatchObject({ code: "google-needs-password" });
    expect((await linksOf(userId)).map(({ providerId }) => providerId)).toEqual(["credential"]);
    expect((await shop.as(browser)).actor).toMatchObject({ userId });
    await signInWithEmail(visitor(new TestBrowser()), { email: who.email, password });
    expect(await mailsTo(who.email)).toEqual([]);
    // Whoever is signed in to it has its password besides.
    expect((await connect(who, browser)).user.id).toBe(userId);
    expect(await actionsOn(userId)).toContain("account.taken-over");
  });

  test("an account that is taken over with Google while its sign-up ends gives no session to that sign-up", async () => {
    const who = person();
    const browser = new TestBrowser();
    const authenticator: typeof shop.authenticator = {
      ...shop.authenticator,
      async startSession(input, request) {
        await signIn(who);
        return shop.authenticator.startSession(input, request);
      },
    };
    const ctx = shop.ctx({ kind: "visitor" }, browser, { authenticator });
    const attempt = signUpWithEmail(ctx, { email: who.email, password });
    await expect(attempt).rejects.toMatchObject({ code: "email-in-use" });
    const owner = await rowOf(who.email);
    expect(owner).toMatchObject({ provider: "google", emailVerified: true });
    // The session of the person at Google.
    expect(await shop.db.$count(sessions, eq(sessions.userId, owner?.id ?? ""))).toBe(1);
  });

  test("an account that nobody has verified is taken over with Google: no password, no session, no device, and a mail", async () => {
    const who = person({ name: "Asha Rao" });
    const { userId, browser } = await signUp(who.email);
    await requestPasswordReset(visitor(new TestBrowser()), { email: who.email });
    await shop.db.insert(devices).values({
      userId,
      installationId: randomUUID(),
      name: "Chrome",
      extensionVersion: "1.0.0",
      tokenHash: randomUUID(),
      lastSeenAt: new Date(),
    });
    const taken = await signIn(who);
    expect(taken.user.id).toBe(userId);
    expect(await rowOf(who.email)).toMatchObject({
      provider: "google",
      emailVerified: true,
      name: "Asha Rao",
    });
    expect((await shop.as(browser)).actor).toEqual({ kind: "visitor" });
    expect(await shop.db.$count(sessions, eq(sessions.userId, userId))).toBe(1);
    expect(await shop.db.$count(verifications, eq(verifications.value, userId))).toBe(0);
    const [device] = await shop.db.select().from(devices).where(eq(devices.userId, userId));
    expect(device?.releasedAt).not.toBeNull();
    const attempt = signInWithEmail(visitor(new TestBrowser()), { email: who.email, password });
    await expect(attempt).rejects.toMatchObject({ code: "wrong-password" });
    expect(await mailsTo(who.email)).toContain("account-taken-over");
    expect(await actionsOn(userId)).toContain("account.taken-over");
  });

  test("an account that is taken over with Google while its old password signs in keeps no session of that sign-in", async () => {
    const who = person();
    const { userId } = await signUp(who.email);
    const signInWithPassword = () =>
      signInWithEmail(visitor(new TestBrowser()), { email: who.email, password });
    const [taken] = await Promise.all([
      signIn(who),
      Promise.allSettled(Array.from({ length: 8 }, signInWithPassword)),
    ]);
    const left = await shop.db.select().from(sessions).where(eq(sessions.userId, userId));
    expect(left).toHaveLength(1);
    expect((await shop.as(taken.browser)).actor).toMatchObject({ sessionId: left[0]?.id });
  });

  test("a disabled account is refused and not taken over by a sign-in with Google", async () => {
    const who = person();
    const { userId } = await signUp(who.email);
    await shop.db.update(users).set({ isActive: false }).where(eq(users.id, userId));
    await expect(signIn(who)).rejects.toMatchObject({ code: "user-disabled" });
    expect((await linksOf(userId)).map(({ providerId }) => providerId)).toEqual(["credential"]);
  });

  test("an account that is linked to another person at Google is refused", async () => {
    const who = person();
    await signIn(who);
    const successor = person({ email: who.email });
    await expect(signIn(successor)).rejects.toMatchObject({ code: "google-account-differs" });
  });
});

test("every sign-in with Google is refused without a provider, and is forbidden without a browser", async () => {
  const without = shop.ctx({ kind: "visitor" }, new TestBrowser());
  expect(() => checkGoogleSignIn(without)).toThrow("sign-in-method-disabled");
  const disabled = { code: "sign-in-method-disabled" };
  await expect(startGoogleSignIn(without, {}, ORIGIN)).rejects.toMatchObject(disabled);
  await expect(finishGoogleSignIn(without, new URL(ORIGIN))).rejects.toMatchObject(disabled);
  expect(readGoogleAttempt(without)).toBeNull();
  const forbidden = { code: "forbidden" };
  await expect(startGoogleSignIn(shop.system(), {}, ORIGIN)).rejects.toMatchObject(forbidden);
  await expect(finishGoogleSignIn(shop.system(), new URL(ORIGIN))).rejects.toMatchObject(forbidden);
});
