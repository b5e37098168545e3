import { expect, type Locator, type Page } from "@playwright/test";
import type { ShopPage } from "./shop-page.ts";
import { ADMIN_PASSWORD } from "./shop-process.ts";
import { postForm } from "./test-users.ts";

/** The address of the first admin in all tests. */
export const ADMIN_EMAIL = "admin@example.com";

export async function fillCredentials(
  shop: ShopPage,
  credentials: { email: string; password: string },
): Promise<void> {
  await shop.page.getByLabel("Email").fill(credentials.email);
  await shop.page.getByLabel("Password").fill(credentials.password);
}

/** Signs in as a person does, in a shop of any address. */
export async function signInAsAdmin(shop: ShopPage): Promise<void> {
  await shop.open("/admin/login");
  await fillCredentials(shop, { email: ADMIN_EMAIL, password: ADMIN_PASSWORD });
  await shop.page.getByRole("button", { name: "Sign in as Admin" }).click();
  await expect(shop.heading("Admin Dashboard")).toBeVisible();
}

/** Signs the browser of the page in by one request, for tests about something else. */
export async function becomeAdmin(page: Page): Promise<void> {
  const credentials = { email: ADMIN_EMAIL, password: ADMIN_PASSWORD };
  const answer = await postForm(page, "/admin", { intent: "sign-in", ...credentials });
  expect(answer.status(), "the sign-in of the admin").toBe(302);
}

/** Signs the browser in by one request, and opens a page of the admin. */
export async function openAsAdmin(shop: ShopPage, path: string): Promise<void> {
  await becomeAdmin(shop.page);
  await shop.open(path);
}

/** Enters the admin's password in the dialog that asks for it. */
export async function enterPassword(page: Page): Promise<void> {
  const dialog = page.getByRole("dialog", { name: "Enter your password" });
  const field = dialog.getByLabel("Password", { exact: true });
  await expect(field).toBeFocused();
  await field.fill(ADMIN_PASSWORD);
  await dialog.getByRole("button", { name: "Continue" }).click();
}

/**
 * Acts, and waits until the page has shown a banner. It disappears after three seconds, so the page itself looks for it after every
 * change, from before the act: a test that looks from outside, or only when a frame is painted, misses it on a machine that stalls.
 */
export async function expectBanner(
  page: Page,
  text: string | RegExp,
  act: () => Promise<unknown>,
): Promise<void> {
  const isWanted = (content: string) => (typeof text === "string" ? content === text : text.test(content));
  const banners = await page.evaluateHandle(() => {
    const texts: string[] = [];
    const look = () => {
      for (const banner of document.querySelectorAll("[role=status], [role=alert]")) {
        const content = (banner.textContent ?? "").trim();
        if (content !== "" && !texts.includes(content) && banner.checkVisibility()) texts.push(content);
      }
    };
    look();
    const changes = { subtree: true, childList: true, characterData: true, attributes: true };
    new MutationObserver(look).observe(document.body, changes);
    return texts;
  });
  await act();
  // All texts, so that a failure says what the page has shown instead.
  const lookForWanted = async () => {
    const texts = await banners.jsonValue();
    return texts.some(isWanted) ? [text] : texts;
  };
  await expect.poll(lookForWanted, { timeout: 20_000 }).toEqual([text]);
  await banners.dispose();
}

/** The purchases of a buyer and a tool in the admin's list. The list also has purchases of other journeys until it is searched. */
export const purchaseRow = (page: Page, email: string, tool: string): Locator =>
  page
    .getByRole("table", { name: "User purchases" })
    .getByRole("row")
    .filter({ hasText: email })
    .filter({ hasText: tool });

/** An action of a row of a list: its button, or on phones its item in the menu of the row, which is opened for it. */
export async function findRowAction(row: Locator, name: string | RegExp): Promise<Locator> {
  const page = row.page();
  const menu = row.getByRole("button", { name: /^Actions: / });
  const inRow = row.getByRole("button", { name });
  await expect(menu.or(inRow).first()).toBeVisible();
  if (!(await menu.isVisible())) return inRow;
  await menu.click();
  return page.getByRole("menuitem", { name });
}

/** Looks at what only a wide page shows, such as most columns of a list. */
export async function onWidePage(page: Page, look: () => Promise<void>): Promise<void> {
  const size = page.viewportSize();
  await page.setViewportSize({ width: 1280, height: 900 });
  await look();
  if (size !== null) await page.setViewportSize(size);
}

/** Presses an action of a row of a list. */
export async function pressRowAction(row: Locator, name: string | RegExp): Promise<void> {
  await (await findRowAction(row, name)).click();
}

/** Opens the dialog of an action in a row of a list. */
export async function openRowDialog(
  page: Page,
  row: Locator,
  action: string,
  title: string | RegExp,
): Promise<Locator> {
  await pressRowAction(row, action);
  const dialog = page.getByRole("dialog", { name: title });
  await expect(dialog).toBeVisible();
  return dialog;
}
