import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { users } from "#db/tables/accounts.ts";
import { ADMIN_EMAIL, openAccountsShop, TestBrowser } from "#tests/fixtures/accounts-shop.ts";
import { signUpWithEmail } from "./sign-in.server.ts";

const shop = await openAccountsShop();

test("a sign-up creates an account with the role user and signs it in", async () => {
  const browser = new TestBrowser();
  const { user, setCookies } = await signUpWithEmail(shop.visitor(browser), {
    email: " Asha@Example.com ",
    password: "kettle-on",
    role: "admin",
    isActive: false,
    provider: "google",
  });
  expect(user).toEqual({ id: user.id, email: "asha@example.com", displayName: "", role: "user" });
  browser.keep(setCookies);
  expect((await shop.as(browser)).actor).toMatchObject({ kind: "user", email: "asha@example.com" });
  const [row] = await shop.db.select().from(users).where(eq(users.id, user.id));
  expect(row).toMatchObject({ role: "user", isActive: true, provider: "email" });
  expect(row?.lastLogin).toBeInstanceOf(Date);
  expect(user.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
});

test("the session cookie is HttpOnly, SameSite=Lax and Secure", async () => {
  const { setCookies } = await signUpWithEmail(shop.visitor(), {
    email: "cookie@example.com",
    password: "kettle-on",
  });
  const [cookie = ""] = setCookies;
  for (const attribute of ["HttpOnly", "SameSite=Lax", "Secure", "Path=/", "Max-Age=2592000"])
    expect(cookie).toContain(attribute);
});

describe("a sign-up is refused", () => {
  const attempts: [string, unknown, string][] = [
    ["the email of another account", { email: "ASHA@example.com", password: "kettle-on" }, "email-in-use"],
    ["the admin's email", { email: ADMIN_EMAIL.toUpperCase(), password: "kettle-on" }, "email-in-use"],
    ["a malformed email", { email: "asha@", password: "kettle-on" }, "invalid-email"],
    ["no email", { password: "kettle-on" }, "invalid-email"],
    ["a password of five characters", { email: "b@example.com", password: "kettl" }, "weak-password"],
    ["the shop's name", { email: "b@example.com", password: "DayPass" }, "guessable-password"],
    ["the own address", { email: "bharat.k@example.com", password: "Bharat.K" }, "guessable-password"],
    ["a common password", { email: "b@example.com", password: "Password1" }, "common-password"],
    ["no password", { email: "b@example.com", password: "" }, "invalid-input"],
    ["no input", null, "invalid-input"],
  ];
  test.each(attempts)("a sign-up with %s is refused", async (_what, input, code) => {
    await expect(signUpWithEmail(shop.visitor(), input)).rejects.toMatchObject({ code });
  });

  test("a sign-up without a browser is refused", async () => {
    const input = { email: "c@example.com", password: "kettle-on" };
    await expect(signUpWithEmail(shop.system(), input)).rejects.toMatchObject({ code: "forbidden" });
  });
});

test("exactly one of eight parallel sign-ups of one email creates the account", async () => {
  const attempt = (n: number) =>
    signUpWithEmail(shop.visitor(new TestBrowser(`198.51.100.${n}`)), {
      email: "race@example.com",
      password: "kettle-on",
    });
  const results = await Promise.allSettled(Array.from({ length: 8 }, (_, n) => attempt(n)));
  const refused = results.filter((one) => one.status === "rejected").map((one) => one.reason.code);
  expect(refused).toEqual(Array.from({ length: 7 }, () => "email-in-use"));
  const rows = await shop.db.select().from(users).where(eq(users.email, "race@example.com"));
  expect(rows).toHaveLength(1);
});

test("an address of the network may sign up twenty accounts an hour", async () => {
  const browser = new TestBrowser("192.0.2.60");
  const attempt = (n: number) =>
    signUpWithEmail(shop.visitor(browser), { email: `many${n}@example.com`, password: "kettle-on" });
  const results = await Promise.allSettled(Array.from({ length: 24 }, (_, n) => attempt(n)));
  const refused = results.filter((one) => one.status === "rejected").map((one) => one.reason.code);
  expect(refused).toEqual(Array.from({ length: 4 }, () => "sign-up-rate-limited"));
});

describe("an address that differs by one letter from one that the browser knows", () => {
  const password = "kettle-on";
  const sign = (browser: TestBrowser, email: string, more: object = {}) =>
    signUpWithEmail(shop.visitor(browser), { email, password, ...more });

  test.each([
    ["a wrong letter", "meena.rai@example.com", "meena.rao@example.com"],
    ["two letters in the wrong order", "sunil.kumra@example.com", "sunil.kumar@example.com"],
    ["a missing letter", "divya.iyer@exmple.com", "divya.iyer@example.com"],
  ])("an email that resembles a known one, with %s, is asked about, and gets an account when it is confirmed", async (_mistake, typed, known) => {
    const browser = new TestBrowser();
    browser.keep((await sign(browser, known)).setCookies);
    const question = { code: "email-like-known", details: { email: known, typed } };
    await expect(sign(browser, typed)).rejects.toMatchObject(question);
    // Only the address that was asked about is confirmed.
    await expect(sign(browser, typed, { confirmedEmail: known })).rejects.toMatchObject(question);
    expect(await shop.db.select().from(users).where(eq(users.email, typed))).toEqual([]);
    expect((await sign(browser, typed, { confirmedEmail: typed })).user.email).toBe(typed);
  });

  test("an email that resembles another one gets an account at once in a browser that does not know the other, and so does a different email", async () => {
    const browser = new TestBrowser();
    browser.keep((await sign(browser, "ravi.shah@example.com")).setCookies);
    expect((await sign(new TestBrowser(), "ravi.shaj@example.com")).user.email).toBe("ravi.shaj@example.com");
    expect((await sign(browser, "priya.das@example.com")).user.email).toBe("priya.das@example.com");
  });
});
