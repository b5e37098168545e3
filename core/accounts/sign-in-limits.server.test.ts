import { beforeEach, expect, test } from "vitest";
import { rateLimits } from "#db/tables/operations.ts";
import { ADMIN_EMAIL, openAccountsShop, TestBrowser } from "#tests/fixtures/accounts-shop.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { signOut } from "./sessions.server.ts";
import { ensureFirstAdmin, resetAdminPassword } from "./set-up-admin.server.ts";
import { signInAdmin, signInWithEmail, signUpWithEmail } from "./sign-in.server.ts";

const shop = await openAccountsShop();
const password = "the-owners-own-words";
await ensureFirstAdmin(shop.system(), { password });

beforeEach(async () => {
  await shop.db.delete(rateLimits);
});

/** How many passwords were checked. */
let checked = 0;

/** A visitor whose passwords are all wrong, and are refused without the work of a hash. */
function guesser(browser: TestBrowser): Context {
  const signInEmail = async () => {
    checked++;
    throw new DomainError("wrong-password");
  };
  return shop.ctx({ kind: "visitor" }, browser, { authenticator: { ...shop.authenticator, signInEmail } });
}

/** Guesses the owner's password. @returns how often each refusal came */
async function guess(browsers: readonly TestBrowser[], times: number): Promise<Record<string, number>> {
  const codes: Record<string, number> = {};
  checked = 0;
  for (const browser of browsers) {
    for (let n = 0; n < times; n++) {
      const input = { email: ADMIN_EMAIL, password: `guess-${n}`, form: "page" };
      const error: unknown = await signInAdmin(guesser(browser), input).catch((refusal: unknown) => refusal);
      const code = error instanceof DomainError ? error.code : "signed in";
      codes[code] = (codes[code] ?? 0) + 1;
    }
  }
  return codes;
}

const signIn = (browser: TestBrowser) =>
  signInAdmin(shop.visitor(browser), { email: ADMIN_EMAIL, password, form: "page" });
const strangers = (count: number) =>
  Array.from({ length: count }, (_, n) => new TestBrowser(`198.51.100.${n}`));

/** A browser in which the owner has signed in and out. */
async function knownBrowser(ipAddress?: string): Promise<TestBrowser> {
  const browser = new TestBrowser(ipAddress);
  browser.keep((await signIn(browser)).setCookies);
  browser.keep((await signOut(await shop.as(browser))).setCookies);
  expect((await shop.as(browser)).actor.kind).toBe("visitor");
  return browser;
}

test("a thousand wrong passwords from a hundred addresses do not stop the owner's known browser", async () => {
  const owner = await knownBrowser();
  const codes = await guess(strangers(100), 10);
  expect(codes).toEqual({ "wrong-password": 100, "sign-in-rate-limited": 900 });
  expect((await signIn(owner)).user.role).toBe("admin");
  await expect(signIn(new TestBrowser())).rejects.toMatchObject({ code: "sign-in-rate-limited" });
});

test("a thousand wrong passwords from the owner's own address do not lock the owner out either", async () => {
  const owner = await knownBrowser();
  await guess([new TestBrowser(owner.ipAddress)], 1000);
  expect((await signIn(owner)).user.role).toBe("admin");
});

test("an attacker without the cookie is stopped after ten passwords from an address", async () => {
  expect(await guess([new TestBrowser()], 25)).toEqual({ "wrong-password": 10, "sign-in-rate-limited": 15 });
  expect(checked).toBe(10);
});

test("a stolen cookie gives ten attempts from all addresses together, and leaves other browsers alone", async () => {
  const owner = await knownBrowser();
  const other = await knownBrowser();
  const thieves = strangers(20);
  for (const thief of thieves) for (const [name, value] of owner.cookies) thief.cookies.set(name, value);
  expect(await guess(thieves, 10)).toEqual({ "wrong-password": 10, "sign-in-rate-limited": 190 });
  expect((await signIn(other)).user.role).toBe("admin");
  expect((await signIn(new TestBrowser("203.0.113.99"))).user.role).toBe("admin");
});

test("the cookie of one account does not help with another", async () => {
  const buyer = new TestBrowser();
  const own = { email: "asha@example.com", password: "kettle-on" };
  buyer.keep((await signUpWithEmail(shop.visitor(buyer), own)).setCookies);
  expect(shop.authenticator.knownAccounts(buyer)).toHaveLength(1);
  expect(await guess([buyer], 12)).toEqual({ "wrong-password": 10, "sign-in-rate-limited": 2 });
  buyer.keep((await signInWithEmail(shop.visitor(buyer), own)).setCookies);
});

test("a browser stays known to the owner after a buyer has signed in with it", async () => {
  const browser = await knownBrowser();
  const own = { email: "bela@example.com", password: "kettle-on" };
  browser.keep((await signUpWithEmail(shop.visitor(browser), own)).setCookies);
  await guess(strangers(100), 10);
  expect((await signIn(browser)).user.role).toBe("admin");
});

test("a new password from the machine lets every browser of the owner try again", async () => {
  const owner = await knownBrowser();
  const stranger = new TestBrowser();
  await guess([owner, stranger], 12);
  const made = await resetAdminPassword(shop.system());
  for (const browser of [owner, stranger]) {
    const input = { email: made.email, password: made.password, form: "page" };
    expect((await signInAdmin(shop.visitor(browser), input)).user.role).toBe("admin");
  }
});
