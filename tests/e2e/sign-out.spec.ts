import { expect } from "@playwright/test";
import { openAsAdmin } from "./admin-page.ts";
import { test } from "./fixtures.ts";
import { post, signInAsNewUser } from "./test-users.ts";

test("the dashboard is left 100 ms after a sign-out elsewhere, and one press of Back leaves it for good", async ({
  shop,
  page,
}) => {
  await shop.open("/");
  await signInAsNewUser(page);
  await shop.open("/terms");
  await shop.open("/dashboard");
  await page.evaluate(() => {
    const events: string[] = [];
    Object.assign(window, { events });
    const { fetch, setTimeout } = window;
    window.fetch = async (...request) => {
      const answer = await fetch(...request);
      if (String(request[0]).includes("dashboard.data")) events.push("answered");
      return answer;
    };
    // The page counts the time, so that only the order of what happens is compared here.
    const setTimer = (handler: () => void, ms?: number) => {
      if (ms === 100) events.push("waits 100 ms");
      return setTimeout(() => {
        if (ms === 100) events.push("100 ms are over");
        handler();
      }, ms);
    };
    Object.assign(window, { setTimeout: setTimer });
    const { replaceState } = history;
    history.replaceState = (...entry) => {
      if (entry[2] === "/") events.push("left");
      replaceState.apply(history, entry);
    };
  });
  expect((await post(page, "/api/auth/sign-out", {})).ok()).toBe(true);
  await expect(async () => {
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await expect(shop.cards).toHaveCount(12, { timeout: 2000 });
  }).toPass();
  await expect(page).toHaveURL(/\/$/);
  const events = await page.evaluate(() => (window as unknown as { events: string[] }).events);
  const leaving = events.slice(0, events.indexOf("left") + 1);
  expect(leaving.slice(leaving.indexOf("answered"))).toEqual([
    "answered",
    "waits 100 ms",
    "100 ms are over",
    "left",
  ]);
  await page.goBack();
  await expect(page).toHaveURL(/\/terms$/);
  await page.goForward();
  await expect(page).toHaveURL(/\/$/);
});

test("a dashboard that is opened by Back without a session is left, and Back does not return to it", async ({
  shop,
  page,
}) => {
  await signInAsNewUser(page);
  await shop.open("/terms");
  await shop.open("/dashboard");
  await shop.page.getByRole("link", { name: "Purchase Tools" }).click();
  await expect(shop.cards).toHaveCount(12);
  expect((await post(page, "/api/auth/sign-out", {})).ok()).toBe(true);
  await page.goBack();
  await expect(shop.accountNav.getByRole("button", { name: "Get Started" })).toBeVisible();
  await expect(page).toHaveURL(/\/$/);
  await page.goBack();
  await expect(page).toHaveURL(/\/terms$/);
});

test("a sign-out replaces the document, clears the cache and removes what is personal from the storage", async ({
  shop,
  page,
}) => {
  await signInAsNewUser(page);
  await shop.open("/dashboard");
  await page.evaluate(() => {
    for (const key of [
      "dismissed-checkouts",
      "daypass.copied.canva.email",
      "chat-label-dismissed",
      "daypass.extension",
    ])
      localStorage.setItem(key, "1");
    for (const key of ["daypass.seen.canva.s1", "unfinished-checkout", "other"])
      sessionStorage.setItem(key, "1");
    document.documentElement.dataset.before = "sign-out";
  });
  const answer = page.waitForResponse((response) => response.url().includes("/auth/sign-out"));
  await page.getByRole("button", { name: "Sign Out" }).click();
  expect((await (await answer).allHeaders())["clear-site-data"]).toBe('"cache"');
  await expect(shop.accountNav.getByRole("button", { name: "Get Started" })).toBeVisible();
  await shop.waitForHydration();
  await expect(page.getByText(/signed out|sign in/)).toHaveCount(0);
  expect(await page.evaluate(() => document.documentElement.dataset.before)).toBeUndefined();
  const keys = await page.evaluate(() => [Object.keys(localStorage), Object.keys(sessionStorage)]);
  expect(keys[0]).toEqual(expect.arrayContaining(["chat-label-dismissed", "daypass.extension"]));
  expect(keys.flat().filter((key) => /dismissed-checkouts|copied|seen|unfinished/.test(key))).toEqual([]);
  expect(keys[1]).toContain("other");
});

test("the document after the admin’s Logout has no address of a buyer", async ({
  shop,
  openOtherBrowser,
}) => {
  const { email } = await signInAsNewUser((await openOtherBrowser()).page);
  await openAsAdmin(shop, "/admin");
  await expect(shop.page.getByRole("cell", { name: email }).first()).toBeVisible();
  await shop.page.getByRole("button", { name: "Logout" }).click();
  await expect(shop.heading("Admin Panel")).toBeVisible();
  expect(await shop.page.content()).not.toContain(email);
});
