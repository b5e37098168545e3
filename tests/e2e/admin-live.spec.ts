import { rmSync } from "node:fs";
import { expect, type Page } from "@playwright/test";
import { freePort } from "../free-port.ts";
import { openAsAdmin, signInAsAdmin } from "./admin-page.ts";
import { test } from "./fixtures.ts";
import { ShopPage } from "./shop-page.ts";
import { ADMIN_PASSWORD, makeDataDir, startShopProcess } from "./shop-process.ts";
import { signInAsNewUser } from "./test-users.ts";

const indicator = (page: Page, text: string) => page.getByRole("status").getByText(text, { exact: true });

/** The number in "Users Management (12)". */
async function readUserCount(page: Page): Promise<number> {
  const tab = await page.getByRole("tab", { name: "Users Management" }).innerText();
  return Number(/\(([\d,]+)\)/.exec(tab)?.[1]?.replaceAll(",", ""));
}

/** What the browser tells a page of a tab that is shown or hidden. */
const show = (page: Page, isShown: boolean) =>
  page.evaluate(
    (visibilityState) => {
      Object.defineProperty(document, "visibilityState", { value: visibilityState, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    },
    isShown ? "visible" : "hidden",
  );

test("a change appears on the open pages of admins by itself, also after they were hidden or unattended", async ({
  shop,
  page,
  openOtherBrowser,
}) => {
  await page.clock.install();
  await openAsAdmin(shop, "/admin");
  const other = new ShopPage(await page.context().newPage());
  await other.open("/admin");

  await test.step("two pages side by side show each other's changes without a reload", async () => {
    for (const browser of [shop, other]) await expect(indicator(browser.page, "Live")).toBeVisible();
    await page.evaluate(() => Reflect.set(window, "isSamePage", true));
    const before = await readUserCount(page);
    const { email } = await signInAsNewUser((await openOtherBrowser()).page);
    for (const browser of [shop, other]) {
      await expect.poll(() => readUserCount(browser.page)).toBe(before + 1);
      await expect(browser.page.getByText(email, { exact: true })).toBeVisible();
    }
    await other.page.getByRole("link", { name: "Settings", exact: true }).click();
    for (const name of ["Asha's Shop", "Daypass"]) {
      await other.page.getByLabel("Store name").fill(name);
      await other.page.getByRole("button", { name: "Save Settings" }).click();
      await expect(page.getByText(`How ${name} is doing right now`)).toBeVisible();
    }
    expect(await page.evaluate(() => Reflect.get(window, "isSamePage"))).toBe(true);
  });

  await test.step("a hidden page has no stream, and shows what has changed meanwhile when it is shown", async () => {
    const before = await readUserCount(other.page);
    await show(other.page, false);
    await expect(indicator(other.page, "Reconnecting…")).toBeVisible();
    await signInAsNewUser((await openOtherBrowser()).page);
    await expect.poll(() => readUserCount(page)).toBe(before + 1);
    expect(await readUserCount(other.page)).toBe(before);
    await show(other.page, true);
    await expect(indicator(other.page, "Live")).toBeVisible();
    await expect.poll(() => readUserCount(other.page)).toBe(before + 1);
  });

  await test.step("a page that nobody has attended for an hour hears nothing, until somebody moves the mouse", async () => {
    await page.clock.fastForward("01:01:00");
    await page.clock.runFor("02:00");
    await expect(indicator(page, "Reconnecting…")).toBeVisible();
    const asked = page.waitForRequest(/\/live$/);
    await page.clock.runFor("03:00");
    await expect(indicator(page, "Reconnecting…")).toBeVisible();
    await page.mouse.move(10, 10);
    await asked;
    await expect(indicator(page, "Live")).toBeVisible();
  });
});

test.describe("a shop that restarts", () => {
  test.setTimeout(240_000);

  test("an admin's page says 'Reconnecting…' while the stream is down, and catches up by itself", async ({
    openOtherBrowser,
    browserErrors,
  }) => {
    const dataDir = makeDataDir();
    const options = { dataDir, port: await freePort(), settings: { ADMIN_PASSWORD } };
    let running = await startShopProcess(options);
    const admin = await openOtherBrowser({ baseURL: running.url });
    try {
      await signInAsAdmin(admin);
      await expect(indicator(admin.page, "Live")).toBeVisible();
      const before = await readUserCount(admin.page);
      await admin.page.evaluate(() => Reflect.set(window, "isSamePage", true));

      await running.stop();
      await expect(indicator(admin.page, "Reconnecting…")).toBeVisible();
      running = await startShopProcess(options);
      await signUp(running.url);
      await expect(indicator(admin.page, "Live")).toBeVisible({ timeout: 60_000 });
      await expect.poll(() => readUserCount(admin.page)).toBe(before + 1);
      expect(await admin.page.evaluate(() => Reflect.get(window, "isSamePage"))).toBe(true);
    } finally {
      await admin.page.close();
      await running.stop();
      rmSync(dataDir, { recursive: true, force: true });
    }
    // The browser reports each attempt to reach the shop that was down.
    expect(browserErrors.filter((error) => !/ERR_|\/live/.test(error))).toEqual([]);
    browserErrors.length = 0;
  });
});

async function signUp(url: string): Promise<void> {
  const body = JSON.stringify({
    email: `${crypto.randomUUID()}@example.com`,
    password: "monsoon-at-the-sea-9",
  });
  const headers = { "content-type": "application/json", origin: url };
  const response = await fetch(`${url}/api/auth/sign-up/email`, { method: "POST", headers, body });
  expect(response.status).toBe(200);
}
