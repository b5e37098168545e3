import { expect, type Page } from "@playwright/test";
import { test } from "./fixtures.ts";

/** The elements that every page shares. */
const documentParts = (page: Page) =>
  page.evaluateHandle(() => [
    document.documentElement,
    document.body,
    ...document.querySelectorAll('link[rel="stylesheet"]'),
    ...[...document.scripts].filter(({ text }) => text.includes("restoreKey")),
  ]);

test("the page for an error that no page handles, and the way back, keep the document and its stylesheet", async ({
  shop,
  page,
  browserErrors,
}) => {
  // Before the page opens: interception that starts while a request is sent may hold that request for ever.
  await page.route("**/giveaway.data*", (route) => route.fulfill({ status: 500, body: "broken" }));
  await shop.open("/");
  await page.evaluate(() => document.documentElement.setAttribute("data-extension", "kept"));
  const before = await documentParts(page);
  const isKept = () =>
    before.evaluate((parts) => parts.length > 3 && parts.every(({ isConnected }) => isConnected));
  await page
    .getByRole("navigation", { name: "Footer" })
    .getByRole("link", { name: /giveaway/i })
    .click();

  await expect(shop.heading("This page did not load")).toBeVisible();
  await expect(page).toHaveTitle("This page did not load");
  // Screen readers hear of a page by this text.
  await expect(page.getByRole("status").filter({ hasText: "This page did not load" })).toHaveCount(1);
  expect(await isKept()).toBe(true);
  await expect(page.locator("html")).toHaveAttribute("lang", "en-IN");
  await expect(page.locator("html")).toHaveAttribute("data-extension", "kept");

  await page.getByRole("link", { name: "Go to Homepage" }).click();
  await expect(shop.cards).toHaveCount(12);
  await expect(page).toHaveTitle(/^Daypass · /);
  expect(await isKept()).toBe(true);
  await shop.openPurchase("Canva");

  const [answer, message, ...others] = browserErrors.splice(0);
  expect(answer).toMatch(/^500 from .*giveaway\.data/);
  expect(message).toContain("status of 500");
  expect(others).toEqual([]);
});
