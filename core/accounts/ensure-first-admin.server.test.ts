import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { users } from "#db/tables/accounts.ts";
import { mailMessages } from "#db/tables/operations.ts";
import { ADMIN_EMAIL, openAccountsShop, TestBrowser } from "#tests/fixtures/accounts-shop.ts";
import { requestPasswordReset, resetPassword } from "./reset-password.server.ts";
import { ensureFirstAdmin, findOtherAdmins, resetAdminPassword } from "./set-up-admin.server.ts";
import { signInAdmin, signUpWithEmail } from "./sign-in.server.ts";

const signIn = (shop: Awaited<ReturnType<typeof openAccountsShop>>, email: string, password: string) =>
  signInAdmin(shop.visitor(), { email, password, form: "page" });

test("the first start creates the admin with a generated password; later starts change nothing", async () => {
  const shop = await openAccountsShop();
  const first = await ensureFirstAdmin(shop.system());
  expect(first).toMatchObject({ created: true, email: ADMIN_EMAIL });
  expect(first.generatedPassword).toMatch(/^[a-z2-9]{5}(-[a-z2-9]{5}){3}$/);
  expect(await ensureFirstAdmin(shop.system(), { password: "another-password" })).toEqual({
    created: false,
    email: ADMIN_EMAIL,
  });
  const { user } = await signIn(shop, ADMIN_EMAIL, first.generatedPassword ?? "");
  expect(user.role).toBe("admin");
});

test("the first admin gets a given password, which is not returned; a short or common one is refused", async () => {
  const shop = await openAccountsShop();
  const short = ensureFirstAdmin(shop.system(), { password: "elevenchars" });
  await expect(short).rejects.toMatchObject({ code: "weak-password", details: { minimum: 12 } });
  const common = ensureFirstAdmin(shop.system(), { password: "Password1234" });
  await expect(common).rejects.toMatchObject({ code: "common-password" });
  const made = await ensureFirstAdmin(shop.system(), { password: "the-owners-own-words" });
  expect(made).toEqual({ created: true, email: ADMIN_EMAIL });
});

test("a later change of ADMIN_EMAIL promotes no account and creates no second admin", async () => {
  const shop = await openAccountsShop();
  await ensureFirstAdmin(shop.system());
  await signUpWithEmail(shop.visitor(), { email: "asha@example.com", password: "kettle-on" });
  for (const adminEmail of ["asha@example.com", "new@shop.example"]) {
    const system = shop.system();
    const later = await ensureFirstAdmin({ ...system, store: { ...system.store, adminEmail } });
    expect(later.created).toBe(false);
  }
  const admins = await shop.db.select({ email: users.email }).from(users).where(eq(users.role, "admin"));
  expect(admins).toEqual([{ email: ADMIN_EMAIL }]);
});

test("resetting the admin's password ends their sessions and works after too many failed sign-ins", async () => {
  const shop = await openAccountsShop();
  await ensureFirstAdmin(shop.system(), { password: "the-owners-own-words" });
  const browser = new TestBrowser();
  browser.keep((await signIn(shop, ADMIN_EMAIL, "the-owners-own-words")).setCookies);
  for (let n = 0; n < 11; n++) await signIn(shop, ADMIN_EMAIL, "guess").catch(() => undefined);
  const { email, password } = await resetAdminPassword(shop.system());
  expect(email).toBe(ADMIN_EMAIL);
  expect((await shop.as(browser)).actor).toEqual({ kind: "visitor" });
  expect((await signIn(shop, email, password)).user.role).toBe("admin");
});

test("resetting the admin's password creates a missing admin and enables a disabled one", async () => {
  const shop = await openAccountsShop();
  const made = await resetAdminPassword(shop.system());
  await signIn(shop, made.email, made.password);
  await shop.db.update(users).set({ isActive: false }).where(eq(users.email, ADMIN_EMAIL));
  const again = await resetAdminPassword(shop.system());
  expect(again.password).not.toBe(made.password);
  await signIn(shop, again.email, again.password);
});

test("resetting the admin's password makes earlier reset links invalid", async () => {
  const shop = await openAccountsShop();
  await ensureFirstAdmin(shop.system());
  await requestPasswordReset(shop.visitor(), { email: ADMIN_EMAIL });
  const [mail] = await shop.db.select().from(mailMessages).where(eq(mailMessages.recipient, ADMIN_EMAIL));
  const token = /token=(\S+)/.exec(mail?.text ?? "")?.[1] ?? "";
  expect(await shop.authenticator.findResetToken(token)).not.toBeNull();
  const { password } = await resetAdminPassword(shop.system());
  const lateReset = resetPassword(shop.visitor(), { token, newPassword: "somebody-elses-words" });
  await expect(lateReset).rejects.toMatchObject({ code: "invalid-reset-link" });
  await signIn(shop, ADMIN_EMAIL, password);
});

test("a reset for an address that is no admin's says so, and names the admins", async () => {
  const shop = await openAccountsShop();
  expect(await findOtherAdmins(shop.system())).toEqual({ email: ADMIN_EMAIL, others: [] });
  await ensureFirstAdmin(shop.system());
  expect(await findOtherAdmins(shop.system())).toEqual({ email: ADMIN_EMAIL, others: [] });
  const system = shop.system();
  const mistyped = { ...system, store: { ...system.store, adminEmail: "Ownr@example.com" } };
  expect(await findOtherAdmins(mistyped)).toEqual({ email: "ownr@example.com", others: [ADMIN_EMAIL] });
  await expect(findOtherAdmins(shop.visitor())).rejects.toMatchObject({ code: "forbidden" });
});

test("only the system may create the first admin or reset the admin's password", async () => {
  const shop = await openAccountsShop();
  await expect(ensureFirstAdmin(shop.visitor())).rejects.toMatchObject({ code: "forbidden" });
  await expect(resetAdminPassword(shop.visitor())).rejects.toMatchObject({ code: "forbidden" });
});
