import { beforeAll, expect, test } from "vitest";
import { openAccountsShop, TestBrowser } from "#tests/fixtures/accounts-shop.ts";
import { signInOwner, signInPerson, signUpPerson } from "#tests/fixtures/people.ts";
import type { Context } from "../context.ts";
import { setUserActive } from "./manage-users.server.ts";
import { endOtherSessions, signOut, whySignedOut } from "./sessions.server.ts";

const shop = await openAccountsShop();
let admin: Context;

beforeAll(async () => {
  admin = (await signInOwner(shop)).ctx;
});

const signUp = (browser?: TestBrowser) => signUpPerson(shop, browser && { browser });

const isTold = async (browser: TestBrowser) => (await whySignedOut(await shop.as(browser))) === "disabled";

test("every browser of a disabled account is told, until the account is activated and signs in again", async () => {
  const { email, browser, userId } = await signUp();
  const { browser: second } = await signInPerson(shop, email);
  expect(await isTold(browser)).toBe(false);
  await setUserActive(admin, { userId, isActive: false });
  expect(await isTold(browser)).toBe(true);
  expect(await isTold(second)).toBe(true);
  await setUserActive(admin, { userId, isActive: true });
  expect(await whySignedOut(await shop.as(browser))).toBe("session-ended");
});

test("a browser that was signed out by another one is told; that one is not", async () => {
  const { email, browser } = await signUp();
  const { browser: second, ctx } = await signInPerson(shop, email);
  expect(await whySignedOut(await shop.as(browser))).toBe(null);
  await endOtherSessions(ctx);
  expect(await whySignedOut(await shop.as(browser))).toBe("session-ended");
  second.keep((await signOut(await shop.as(second))).setCookies);
  expect(await whySignedOut(await shop.as(second))).toBe(null);
});

test("a browser that has signed out, signed in to another account, or never signed in is not told", async () => {
  const left = await signUp();
  left.browser.keep((await signOut(await shop.as(left.browser))).setCookies);
  const changed = await signUp();
  await signUp(changed.browser);
  for (const { userId } of [left, changed]) await setUserActive(admin, { userId, isActive: false });
  expect(await isTold(left.browser)).toBe(false);
  expect(await isTold(changed.browser)).toBe(false);
  expect(await isTold(new TestBrowser())).toBe(false);
  expect(await whySignedOut(shop.system())).toBe(null);
});

test("a browser whose other cookie contains the name of the session cookie is not told", async () => {
  const { browser, userId } = await signUp();
  const name = [...browser.cookies.keys()].find((cookie) => cookie.includes("session_token")) ?? "";
  browser.keep((await signOut(await shop.as(browser))).setCookies);
  await setUserActive(admin, { userId, isActive: false });
  browser.cookies.set("x", `${name}=1`);
  expect(await isTold(browser)).toBe(false);
});

test("a cookie that the shop did not sign tells nothing about an account", async () => {
  const { browser, userId } = await signUp();
  await setUserActive(admin, { userId, isActive: false });
  for (const [name, value] of browser.cookies)
    if (name.includes("known_browser"))
      browser.cookies.set(
        name,
        // The first character: of the last one some bits mean nothing.
        value.replace(/^./, (first) => (first === "A" ? "B" : "A")),
      );
  expect(await isTold(browser)).toBe(false);
});
