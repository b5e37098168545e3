import { asc, eq, like, sql } from "drizzle-orm";
import { beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { users } from "#db/tables/accounts.ts";
import { auditEvents, rateLimits } from "#db/tables/operations.ts";
import { ADMIN_EMAIL, openAccountsShop, TestBrowser } from "#tests/fixtures/accounts-shop.ts";
import { ensureFirstAdmin } from "./set-up-admin.server.ts";
import { signInAdmin, signInWithEmail, signUpWithEmail } from "./sign-in.server.ts";

const shop = await openAccountsShop();
const email = "asha@example.com";
const password = "kettle-on";
const ipAddress = "203.0.113.7";
let userId = "";

const failures = () =>
  shop.db
    .select()
    .from(auditEvents)
    .where(like(auditEvents.action, "%.sign-in-failed"))
    .orderBy(asc(auditEvents.createdAt));
const ignore = () => undefined;
const signIn = (input: object, browser = new TestBrowser(ipAddress)) =>
  signInWithEmail(shop.visitor(browser), input).catch(ignore);

beforeAll(async () => {
  ({ id: userId } = (await signUpWithEmail(shop.visitor(), { email, password })).user);
  await ensureFirstAdmin(shop.system(), { password: "the-owners-own-words" });
});
beforeEach(async () => {
  await shop.db.delete(auditEvents);
  await shop.db.delete(rateLimits);
});

test("a wrong password is audited with the account, the reason and the address of the browser", async () => {
  await signIn({ email, password: "kettle-off" });
  const [row, ...more] = await failures();
  expect(row).toMatchObject({
    action: "account.sign-in-failed",
    actorKind: "visitor",
    subjectType: "user",
    subjectId: userId,
    details: { reason: "wrong-password", ipAddress },
    requestId: "test",
  });
  expect(more).toEqual([]);
  expect(JSON.stringify(row)).not.toContain("kettle-off");
});

test("a sign-in with an unknown email is audited without anything that was typed", async () => {
  await signIn({ email: " Nobody@Example.com", password });
  const [row] = await failures();
  expect(row).toMatchObject({ subjectId: null });
  expect(row?.details).toEqual({ reason: "user-not-found", ipAddress });
});

test("a failed sign-in that cannot be audited is logged, and its refusal stays the same", async () => {
  const error = vi.fn();
  const visitor = shop.visitor(new TestBrowser(ipAddress));
  await shop.db.execute(sql`alter table audit_events rename to audit_events_away`);
  onTestFinished(async () => {
    await shop.db.execute(sql`alter table audit_events_away rename to audit_events`);
  });
  const ctx = { ...visitor, log: { ...visitor.log, error } };
  await expect(signInWithEmail(ctx, { email, password: "kettle-off" })).rejects.toMatchObject({
    code: "wrong-password",
  });
  expect(error).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ err: expect.any(Error), reason: "wrong-password" }),
    "failed sign-in not audited",
  );
});

test("the correct password of a disabled account is audited", async () => {
  await shop.db.update(users).set({ isActive: false }).where(eq(users.id, userId));
  await signIn({ email, password });
  await shop.db.update(users).set({ isActive: true }).where(eq(users.id, userId));
  expect(await failures()).toMatchObject([{ subjectId: userId, details: { reason: "user-disabled" } }]);
});

test.each([
  "page",
  "inline",
])("the real reason of a failed sign-in on the admin's %s form is audited", async (form) => {
  const attempts = [
    { email: ADMIN_EMAIL, password: "no" },
    { email, password },
    { email: "no@example.com", password },
  ];
  for (const attempt of attempts) await signInAdmin(shop.visitor(), { ...attempt, form }).catch(ignore);
  const rows = await failures();
  expect(rows.map(({ action }) => action)).toEqual(attempts.map(() => "admin.sign-in-failed"));
  expect(rows.map(({ details }) => details.reason)).toEqual([
    "wrong-password",
    "invalid-admin-credentials",
    "user-not-found",
  ]);
});

test("attempts that a rate limit refuses are not audited", async () => {
  await Promise.all(
    Array.from({ length: 60 }, (_, n) =>
      signIn({ email, password: `guess-${n}` }, new TestBrowser("198.51.100.1")),
    ),
  );
  expect(await failures()).toHaveLength(10);
});

test("neither a successful sign-in nor invalid input is audited as a failure", async () => {
  await signIn({ email, password });
  await signIn({ email: "asha", password });
  await signIn({ email, password: "" });
  expect(await failures()).toEqual([]);
});
