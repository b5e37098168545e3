import { eq } from "drizzle-orm";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { sessions } from "#db/tables/accounts.ts";
import { auditEvents, rateLimits } from "#db/tables/operations.ts";
import { ADMIN_EMAIL, openAccountsShop, TestBrowser } from "#tests/fixtures/accounts-shop.ts";
import { requireAdmin } from "../authorise.ts";
import type { Actor } from "../context.ts";
import { MINUTE } from "../time.ts";
import { confirmPassword } from "./change-password.server.ts";
import { ensureFirstAdmin } from "./set-up-admin.server.ts";
import { signInAdmin, signInWithEmail, signUpWithEmail } from "./sign-in.server.ts";

const shop = await openAccountsShop();
const password = "the-owners-own-words";
let adminId = "";

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * MINUTE);
const setEnteredAt = (at: Date | null) =>
  shop.db.update(sessions).set({ passwordEnteredAt: at }).where(eq(sessions.userId, adminId));
const failures = () =>
  shop.db.$count(auditEvents, eq(auditEvents.action, "admin.password-confirmation-failed"));
async function check(browser: TestBrowser): Promise<Actor> {
  const ctx = await shop.as(browser);
  requireAdmin(ctx, "moves-money");
  return ctx.actor;
}

async function signedIn(signIn: typeof signInAdmin = signInAdmin): Promise<TestBrowser> {
  const browser = new TestBrowser();
  const input = { email: ADMIN_EMAIL, password, form: "page" };
  const { user, setCookies } = await signIn(shop.visitor(browser), input);
  adminId = user.id;
  browser.keep(setCookies);
  return browser;
}

beforeAll(async () => {
  await ensureFirstAdmin(shop.system(), { password });
});
beforeEach(async () => {
  await shop.db.delete(rateLimits);
});

test.each([
  ["/admin/login", signInAdmin],
  ["the shop's sign-in", signInWithEmail],
])("a sign-in with %s enters the password", async (_form, signIn) => {
  const browser = await signedIn(signIn);
  expect(await check(browser)).toMatchObject({ kind: "admin", userId: adminId });
});

test("a session that is older than 15 minutes, or without a password, needs it again", async () => {
  const browser = await signedIn();
  for (const at of [minutesAgo(15.1), null]) {
    await setEnteredAt(at);
    await expect(check(browser)).rejects.toMatchObject({ code: "password-needed" });
  }
  await setEnteredAt(minutesAgo(14.9));
  await check(browser);
  await setEnteredAt(null);
  await confirmPassword(await shop.as(browser), { password });
  await check(browser);
});

test("a password is entered for its own session only, also while that is prolonged", async () => {
  const browser = await signedIn();
  const other = await signedIn();
  await setEnteredAt(null);
  await confirmPassword(await shop.as(browser), { password });
  await expect(check(other)).rejects.toMatchObject({ code: "password-needed" });
  await shop.db
    .update(sessions)
    .set({ expiresAt: new Date(Date.now() + 28 * 24 * 60 * MINUTE) })
    .where(eq(sessions.userId, adminId));
  await check(browser);
});

test("a wrong password changes nothing and is audited; the eleventh is not even checked", async () => {
  const browser = await signedIn();
  await setEnteredAt(null);
  const ctx = await shop.as(browser);
  const attempts = Array.from({ length: 15 }, (_, n) => confirmPassword(ctx, { password: `guess-${n}` }));
  const codes = (await Promise.allSettled(attempts)).map(
    (one) => one.status === "rejected" && one.reason.code,
  );
  expect(codes.filter((code) => code === "wrong-password")).toHaveLength(10);
  expect(codes.filter((code) => code === "sign-in-rate-limited")).toHaveLength(5);
  expect(await failures()).toBe(10);
  await expect(confirmPassword(ctx, { password })).rejects.toMatchObject({ code: "sign-in-rate-limited" });
  await expect(check(browser)).rejects.toMatchObject({ code: "password-needed" });
  const another = await signedIn();
  await confirmPassword(await shop.as(another), { password });
});

test("only an admin confirms a password", async () => {
  const browser = new TestBrowser();
  const own = { email: "asha@example.com", password: "kettle-on" };
  browser.keep((await signUpWithEmail(shop.visitor(browser), own)).setCookies);
  const buyer = await shop.as(browser);
  await expect(confirmPassword(buyer, own)).rejects.toMatchObject({ code: "forbidden" });
  expect(() => requireAdmin(buyer, "moves-money")).toThrow(expect.objectContaining({ code: "forbidden" }));
  await expect(confirmPassword(shop.visitor(), own)).rejects.toMatchObject({ code: "unauthenticated" });
  const admin = await shop.as(await signedIn());
  await expect(confirmPassword(admin, { password: "" })).rejects.toMatchObject({ code: "invalid-input" });
});
