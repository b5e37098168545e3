import { eq, sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { sessions, users, verifications } from "#db/tables/accounts.ts";
import { auditEvents, mailMessages, rateLimits } from "#db/tables/operations.ts";
import { openAccountsShop, TestBrowser } from "#tests/fixtures/accounts-shop.ts";
import { insertPayment } from "#tests/fixtures/insert-payment.ts";
import { PASSWORD, signInOwner, signInPerson, signUpPerson } from "#tests/fixtures/people.ts";
import type { Context } from "../context.ts";
import { sendQueuedMail } from "../mail/send-queued-mail.server.ts";
import { DAY, MINUTE } from "../time.ts";
import { deleteMyAccount, describeMyDeletion } from "./delete-account.server.ts";
import { requestPasswordReset, resetPassword } from "./reset-password.server.ts";
import { hasDeletedAccount, whySignedOut } from "./sessions.server.ts";
import { ensureFirstAdmin } from "./set-up-admin.server.ts";
import { signInWithEmail, signUpWithEmail } from "./sign-in.server.ts";

const sent: { to: string; subject: string }[] = [];
const shop = await openAccountsShop({ mailTransport: { send: async (mail) => void sent.push(mail) } });
beforeEach(async () => {
  await shop.db.delete(rateLimits);
});

const nothingEnds = { passes: 0, checkouts: 0 };
const typed = { password: PASSWORD, confirmation: "delete", ...nothingEnds };
const rowOf = async (userId: string) => (await shop.db.select().from(users).where(eq(users.id, userId)))[0];
const codeOf = (error: unknown) => (error instanceof Error && "code" in error ? error.code : error);

test("a person deletes the own account: signed out everywhere, told by one last mail, and nothing opens it again", async () => {
  const { email, browser, userId, ctx } = await signUpPerson(shop);
  const second = await signInPerson(shop, email);
  const token = await shop.authenticator.makeResetToken(email);
  await requestPasswordReset(shop.visitor(), { email });
  expect(await describeMyDeletion(ctx)).toEqual({
    ...nothingEnds,
    lastPassEndsAt: null,
    openRefundsPaise: 0,
  });
  browser.keep((await deleteMyAccount(ctx, typed)).setCookies);

  expect([...browser.cookies.keys()].filter((name) => name.includes("session"))).toEqual([]);
  expect(await hasDeletedAccount(await shop.as(browser))).toBe(true);
  expect(await whySignedOut(await shop.as(browser))).toBe(null);
  expect((await shop.as(second.browser)).actor.kind).toBe("visitor");
  expect(await whySignedOut(await shop.as(second.browser))).toBe("deleted");
  expect(await rowOf(userId)).toMatchObject({
    email: `${userId}@deleted.invalid`,
    name: "",
    isActive: false,
  });
  expect(await shop.db.$count(sessions, eq(sessions.userId, userId))).toBe(0);
  expect(await shop.db.$count(verifications, eq(verifications.value, userId))).toBe(0);
  await expect(
    resetPassword(shop.visitor(), { token, newPassword: "the-sea-is-calm" }),
  ).rejects.toMatchObject({
    code: "invalid-reset-link",
  });
  await expect(signInWithEmail(shop.visitor(), { email, password: PASSWORD })).rejects.toMatchObject({
    code: "user-not-found",
  });
  await expect(deleteMyAccount(second.ctx, typed)).rejects.toMatchObject({ code: "unauthenticated" });

  const queued = await shop.db.select().from(mailMessages).where(eq(mailMessages.recipient, email));
  expect(queued.map(({ kind }) => kind)).toEqual(["account-deleted"]);
  await sendQueuedMail(shop.system());
  expect(sent.filter(({ to }) => to === email)).toMatchObject([{ subject: "Your account has been deleted" }]);
  expect(await shop.db.$count(mailMessages)).toBe(0);
  const events = await shop.db.select().from(auditEvents).where(eq(auditEvents.subjectId, userId));
  expect(events.map(({ action }) => action)).toContain("account.deleted");
  expect(JSON.stringify(events)).not.toContain(email);
  expect(JSON.stringify(events)).not.toContain("203.0.113.7");

  await shop.db
    .update(users)
    .set({ deletedAt: new Date(Date.now() - DAY) })
    .where(eq(users.id, userId));
  expect(await whySignedOut(await shop.as(second.browser))).toBe(null);
  expect(await hasDeletedAccount(await shop.as(browser))).toBe(false);
});

test("the address of a deleted account signs up again as a new account without anything of the old one", async () => {
  const { email, userId, ctx } = await signUpPerson(shop);
  await deleteMyAccount(ctx, typed);
  const again = await signUpWithEmail(shop.visitor(new TestBrowser()), { email, password: PASSWORD });
  expect(again.user).toMatchObject({ email, displayName: "" });
  expect(again.user.id).not.toBe(userId);
});

test("the page and the last mail of a deletion have the sum of all refunds that are not final, also of those that the mail does not list", async () => {
  const { email, userId, ctx } = await signUpPerson(shop);
  for (let at = 0; at < 25; at++)
    await insertPayment(shop, {
      purchase: { userId, status: "failed", startsAt: null, expiresAt: null },
      attempt: { outcome: "refund" },
      refunds: [{ status: at === 0 ? "processed" : at % 2 === 0 ? "failed" : "requested" }],
    });
  expect(await describeMyDeletion(ctx)).toMatchObject({ ...nothingEnds, openRefundsPaise: 24 * 14_900 });
  await deleteMyAccount(ctx, typed);
  const [mail] = await shop.db.select().from(mailMessages).where(eq(mailMessages.recipient, email));
  expect(mail?.text.match(/your refund of\s₹149/g)).toHaveLength(20);
  expect(mail?.text).toMatch(/In total,\s₹3,576\swill/);
  await shop.db.delete(mailMessages);
});

test("an account is not deleted without the password, the typed word and what the page has shown; the password is limited and audited", async () => {
  const { userId, ctx } = await signUpPerson(shop);
  const refused = async (input: object) =>
    codeOf(await deleteMyAccount(ctx, { ...typed, ...input }).catch((e) => e));
  expect(await refused({ password: "" })).toBe("invalid-input");
  expect(await refused({ confirmation: "yes" })).toBe("invalid-input");
  expect(await refused({ confirmation: undefined })).toBe("invalid-input");
  expect(await refused({ passes: 1 })).toBe("deletion-changed");
  expect(await refused({ checkouts: 1 })).toBe("deletion-changed");
  expect(await refused({ password: "wrong" })).toBe("wrong-password");
  const attempts = await Promise.all(Array.from({ length: 12 }, () => refused({ password: "wrong" })));
  expect(attempts.filter((code) => code === "wrong-password")).toHaveLength(9);
  expect(await refused({})).toBe("sign-in-rate-limited");
  const isFailure = eq(auditEvents.action, "account.owner-confirmation-failed");
  expect(await shop.db.$count(auditEvents, isFailure)).toBe(10);
  expect(await rowOf(userId)).toMatchObject({ deletedAt: null, isActive: true });
  expect((await shop.as(new TestBrowser())).actor.kind).toBe("visitor");
});

test("a visitor, the shop itself and an ended session delete nothing; nobody names another account", async () => {
  const { browser, userId, ctx } = await signUpPerson(shop);
  const other = await signUpPerson(shop);
  await expect(deleteMyAccount(shop.visitor(), typed)).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(deleteMyAccount(shop.system(), typed)).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(describeMyDeletion(shop.visitor())).rejects.toMatchObject({ code: "unauthenticated" });
  const owner = await signInOwner(shop);
  for (const who of [other.ctx, owner.ctx])
    await deleteMyAccount(who, { ...typed, userId, password: "wrong" }).catch(() => undefined);
  await deleteMyAccount(other.ctx, { ...typed, userId });
  expect(await rowOf(other.userId)).toMatchObject({ isActive: false });
  expect(await rowOf(userId)).toMatchObject({ deletedAt: null });
  await shop.db.delete(sessions).where(eq(sessions.userId, userId));
  await expect(deleteMyAccount(ctx, typed)).rejects.toMatchObject({ code: "unauthenticated" });
  expect((await shop.as(browser)).actor.kind).toBe("visitor");
  expect(await rowOf(userId)).toMatchObject({ deletedAt: null });
});

test("an account without a password is deleted within 15 minutes after a sign-in with Google", async () => {
  const { userId, ctx } = await signUpPerson(shop);
  await shop.db.execute(
    sql`update auth_accounts set provider_id = 'google', password = null where user_id = ${userId}`,
  );
  const startedAgo = (minutes: number) =>
    shop.db
      .update(sessions)
      .set({ createdAt: new Date(Date.now() - minutes * MINUTE) })
      .where(eq(sessions.userId, userId));
  const input = { ...typed, password: "" };
  await startedAgo(15.1);
  await expect(deleteMyAccount(ctx, input)).rejects.toMatchObject({ code: "google-sign-in-needed" });
  await startedAgo(14.9);
  await deleteMyAccount(ctx, input);
  expect(await rowOf(userId)).toMatchObject({ isActive: false });
});

test("one of parallel deletions of an account by one person counts, and the others are no fault", async () => {
  const { email, userId, ctx } = await signUpPerson(shop);
  const second = await signInPerson(shop, email);
  const results = await Promise.allSettled(
    [ctx, second.ctx, ctx, second.ctx].map((who) => deleteMyAccount(who, typed)),
  );
  for (const result of results)
    if (result.status === "rejected") expect(codeOf(result.reason)).toBe("unauthenticated");
  expect(results.some(({ status }) => status === "fulfilled")).toBe(true);
  const isDeletion = sql`action = 'account.deleted' and subject_id = ${userId}`;
  expect(await shop.db.$count(auditEvents, isDeletion)).toBe(1);
});

test("the last admin cannot delete the own account, also when two try at the same time", async () => {
  const first = await signInOwner(shop);
  const password = "the-owners-own-words";
  const input = { ...typed, password };
  await expect(deleteMyAccount(first.ctx, input)).rejects.toMatchObject({ code: "last-admin" });
  const other = await signUpPerson(shop);
  await shop.db.update(users).set({ role: "admin" }).where(eq(users.id, other.userId));
  const otherAdmin: Context = await shop.as(other.browser);
  const results = await Promise.allSettled([
    deleteMyAccount(first.ctx, input),
    deleteMyAccount(otherAdmin, typed),
  ]);
  expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  expect(results.map((one) => one.status === "rejected" && codeOf(one.reason))).toContain("last-admin");
  expect(await shop.db.$count(users, sql`role = 'admin' and deleted_at is null`)).toBe(1);
  await ensureFirstAdmin(shop.system(), { password });
});
