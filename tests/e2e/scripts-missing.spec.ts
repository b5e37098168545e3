import { expect, type Page } from "@playwright/test";
import { test } from "./fixtures.ts";

/** The next documents get no scripts, as while a shop restarts. @returns how many documents were requested, and what ends it */
async function withoutScripts(page: Page) {
  let documents = 0;
  let isBlocked = true;
  page.on("request", (request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) documents++;
  });
  await page.route("**/assets/*.js", (route) => (isBlocked ? route.abort() : route.continue()));
  return {
    documents: () => documents,
    end: () => {
      isBlocked = false;
    },
  };
}

const notice = (page: Page) => page.getByRole("alert").filter({ hasText: "This page did not load fully" });
const press = (page: Page) => page.getByRole("button", { name: "Get access to Canva" }).first().click();
/** The scripts that were not loaded. */
const expected =
  /ERR_FAILED|was preloaded using link preload|dynamically imported module|is refused|removeItem|getItem/;

test.afterEach(({ browserErrors }) => {
  expect(browserErrors.splice(0).filter((error) => !expected.test(error))).toEqual([]);
});

for (const path of ["/", "/shop/canva"])
  test(`${path} whose scripts did not arrive is loaded once more, and keeps what was pressed`, async ({
    shop,
    page,
  }) => {
    const scripts = await withoutScripts(page);
    // The shop does not answer until the button was pressed.
    let answer: () => void = () => undefined;
    const pressed = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route("**/healthz", async (route) => {
      await pressed;
      await route.continue();
    });
    await page.goto(path);
    await press(page);
    scripts.end();
    answer();
    await expect(shop.purchase.root).toBeVisible();
    expect(scripts.documents()).toBe(2);
    await expect(notice(page)).toHaveCount(0);
    // It is not pressed again.
    await shop.reload();
    await expect(page.getByRole("dialog")).toHaveCount(0);
  });

test("a page whose scripts do not arrive at all says so, never in a loop, and Reload keeps what was pressed", async ({
  shop,
  page,
}) => {
  await page.addInitScript(() => {
    for (const name of ["localStorage", "sessionStorage"])
      Object.defineProperty(window, name, {
        get: () => {
          throw new Error(`${name} is refused`);
        },
      });
  });
  const scripts = await withoutScripts(page);
  await page.goto("/");
  await expect(notice(page)).toBeVisible();
  expect(scripts.documents()).toBe(2);
  await press(page);
  scripts.end();
  await notice(page).getByRole("button", { name: "Reload" }).click();
  await expect(shop.purchase.root).toBeVisible();
  await expect(notice(page)).toHaveCount(0);
  expect(scripts.documents()).toBe(3);
});

test("the answer to a form is not sent again when scripts do not arrive, and the notice is in the language of the page", async ({
  page,
  context,
  baseURL,
}) => {
  await context.addCookies([{ name: "daypass.language", value: "hi", url: baseURL ?? "" }]);
  const scripts = await withoutScripts(page);
  await page.goto("/sign-in");
  await expect(page.getByRole("alert").filter({ hasText: "यह पेज पूरा नहीं खुला" })).toBeVisible();
  const before = scripts.documents();
  await page.locator("input[type=email]").fill("nobody@example.com");
  await page.locator("input[type=password]").fill("not-the-password-1");
  await page.locator("main button[type=submit]").first().click();
  await expect(page.getByRole("alert").filter({ hasText: "यह पेज पूरा नहीं खुला" })).toBeVisible();
  await expect(page.getByRole("alert")).toHaveCount(2);
  expect(scripts.documents()).toBe(before + 1);
});
