import { randomUUID } from "node:crypto";
import { and, eq, isNull } from "drizzle-orm";
import { expect, test } from "vitest";
import { sessions, verifications } from "#db/tables/accounts.ts";
import { devices } from "#db/tables/devices.ts";
import { auditEvents, mailMessages } from "#db/tables/operations.ts";
import { openAccountsShop } from "#tests/fixtures/accounts-shop.ts";
import { PASSWORD, signInPerson, signUpPerson } from "#tests/fixtures/people.ts";
import { changePassword } from "./change-password.server.ts";
import { signUpWithEmail } from "./sign-in.server.ts";

const shop = await openAccountsShop();
const password = PASSWORD;
const newPassword = "the-kettle-is-off-now";

const signUp = () => signUpPerson(shop);
const signIn = async (email: string, typed?: string) => (await signInPerson(shop, email, typed)).browser;

const actionsOn = async (userId: string) =>
  (await shop.db.select().from(auditEvents).where(eq(auditEvents.subjectId, userId))).map(
    ({ action }) => action,
  );

test("a person who changes the password stays signed in here; every other session, reset link and device ends, and it is audited", async () => {
  const { email, browser, userId, ctx } = await signUp();
  const other = await signIn(email);
  await shop.authenticator.makeResetToken(email);
  await shop.db.insert(devices).values({
    userId,
    installationId: randomUUID(),
    name: "Chrome",
    extensionVersion: "1.0.0",
    tokenHash: randomUUID(),
    lastSeenAt: new Date(),
  });
  await changePassword(ctx, { password, newPassword });
  expect((await shop.as(browser)).actor).toMatchObject({ kind: "user", userId });
  expect((await shop.as(other)).actor).toEqual({ kind: "visitor" });
  expect(await shop.db.$count(verifications, eq(verifications.value, userId))).toBe(0);
  expect(await shop.db.$count(devices, and(eq(devices.userId, userId), isNull(devices.releasedAt)))).toBe(0);
  await expect(signIn(email)).rejects.toMatchObject({ code: "wrong-password" });
  await signIn(email, newPassword);
  expect(await actionsOn(userId)).toContain("account.password-changed");
});

test("a change of the password needs the current one, and a new one that keeps the rules", async () => {
  const { email, userId, ctx } = await signUp();
  const refused = async (input: Record<string, unknown>, error: object) =>
    expect(changePassword(ctx, input)).rejects.toMatchObject(error);
  await refused({ password: "wrong-kettle", newPassword }, { code: "wrong-password" });
  await refused({ password, newPassword: "five5" }, { code: "weak-password", details: { minimum: 6 } });
  await refused({ password, newPassword: "123456789" }, { code: "common-password" });
  const tooLong = { newPassword: ["Password can be at most 128 characters."] };
  await refused({ password, newPassword: "a-9".repeat(50) }, { code: "invalid-input", fields: tooLong });
  const missing = ["Please enter your password."];
  await refused({}, { code: "invalid-input", fields: { password: missing, newPassword: missing } });
  await signIn(email);
  expect((await actionsOn(userId)).filter((action) => action === "account.password-change-failed")).toEqual([
    "account.password-change-failed",
  ]);
});

test("a person who changes the password is told by mail, and the event has the address", async () => {
  const { email, userId, ctx } = await signUp();
  await changePassword(ctx, { password, newPassword });
  const mails = await shop.db.select().from(mailMessages).where(eq(mailMessages.recipient, email));
  expect(mails).toMatchObject([{ kind: "password-changed", subject: "Your password was changed" }]);
  expect(mails[0]?.text).toContain("/forgot-password");
  const events = await shop.db.select().from(auditEvents).where(eq(auditEvents.subjectId, userId));
  expect(events.find(({ action }) => action === "account.password-changed")?.details).toEqual({
    ipAddress: "203.0.113.7",
  });
});

test("a new password cannot be the current one, the own address or the shop's name, and nothing changes", async () => {
  const { email, ctx } = await signUp();
  const other = await signIn(email);
  for (const [chosen, code] of [
    [password, "same-password"],
    [email.toUpperCase(), "guessable-password"],
    ["Day-Pass", "guessable-password"],
  ] as const) {
    await expect(changePassword(ctx, { password, newPassword: chosen })).rejects.toMatchObject({ code });
  }
  expect((await shop.as(other)).actor).toMatchObject({ kind: "user" });
  expect(await shop.db.$count(mailMessages, eq(mailMessages.recipient, email))).toBe(0);
});

test("a person who changes the password may enter ten wrong ones in 15 minutes, also when they are sent at once", async () => {
  const { ctx } = await signUp();
  const attempts = await Promise.allSettled(
    Array.from({ length: 14 }, () => changePassword(ctx, { password: "wrong-kettle", newPassword })),
  );
  const codes = attempts.map((attempt) => (attempt.status === "rejected" ? attempt.reason.code : "changed"));
  expect(codes.filter((code) => code === "wrong-password")).toHaveLength(10);
  expect(codes.filter((code) => code === "sign-in-rate-limited")).toHaveLength(4);
  const next = changePassword(ctx, { password, newPassword });
  await expect(next).rejects.toMatchObject({ code: "sign-in-rate-limited" });
});

test("a password is changed once when the same request is sent several times at once", async () => {
  const { email, browser, ctx } = await signUp();
  const changes = await Promise.allSettled(
    Array.from({ length: 4 }, (_, n) =>
      changePassword(ctx, { password, newPassword: `${newPassword}-${n}` }),
    ),
  );
  expect(changes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  const chosen = changes.findIndex(({ status }) => status === "fulfilled");
  await signIn(email, `${newPassword}-${chosen}`);
  expect((await shop.as(browser)).actor).toMatchObject({ kind: "user" });
});

test("a change of the password leaves no session to a sign-in with the old one that runs meanwhile", async () => {
  const { email, userId, ctx } = await signUp();
  await Promise.all([
    changePassword(ctx, { password, newPassword }),
    Promise.allSettled(Array.from({ length: 8 }, () => signIn(email))),
  ]);
  const left = await shop.db.select().from(sessions).where(eq(sessions.userId, userId));
  expect(left.map(({ id }) => ({ sessionId: id }))).toMatchObject([
    { sessionId: ctx.actor.kind === "user" ? ctx.actor.sessionId : "" },
  ]);
});

test("nobody changes a password in a session that has ended, or without one", async () => {
  const { email, ctx, userId } = await signUp();
  await shop.db.delete(sessions).where(eq(sessions.userId, userId));
  const unauthenticated = { code: "unauthenticated" };
  await expect(changePassword(ctx, { password, newPassword })).rejects.toMatchObject(unauthenticated);
  await signIn(email);
  const visitor = changePassword(shop.visitor(), { password, newPassword });
  await expect(visitor).rejects.toMatchObject(unauthenticated);
  await expect(changePassword(shop.system(), { password, newPassword })).rejects.toMatchObject(
    unauthenticated,
  );
});

test("the password of somebody else is not accepted", async () => {
  const { ctx } = await signUp();
  const email = `${randomUUID()}@example.com`;
  await signUpWithEmail(shop.visitor(), { email, password: "another-kettle" });
  const attempt = changePassword(ctx, { password: "another-kettle", newPassword });
  await expect(attempt).rejects.toMatchObject({ code: "wrong-password" });
  await signIn(email, "another-kettle");
});
