import { expect } from "@playwright/test";
import { test } from "./fixtures.ts";
import { expirePasses } from "./shop-database.ts";
import type { ShopPage } from "./shop-page.ts";
import { buyPass, postForm, signInAsNewUser } from "./test-users.ts";

/** Opens a tool page with a pass that ends five seconds later. */
async function openUntilPassEnd(shop: ShopPage): Promise<void> {
  const { email } = await signInAsNewUser(shop.page);
  await buyPass(shop.page, "canva", "7 Days");
  await expirePasses(email, new Date(Date.now() + 5_000));
  await shop.open("/tools/canva");
  await expect(shop.server("Server 1")).toBeVisible();
}

test("an open page closes by itself when the pass ends, also after its device slept, and the shop refuses from then on", async ({
  shop,
  page,
  openOtherBrowser,
  browserErrors,
}) => {
  const slept = await openOtherBrowser();
  // The time of its timers stood still.
  await slept.page.addInitScript(() => {
    performance.now = () => 0;
  });
  for (const screen of [shop, slept]) await openUntilPassEnd(screen);
  for (const screen of [shop, slept])
    await expect(screen.heading("Access Required")).toBeVisible({ timeout: 15_000 });
  await expect(page.getByRole("button", { name: "Renew Access to Canva" })).toBeVisible();
  for (const [action, form] of [
    ["code", { serverId: "canva-server-1" }],
    ["report", { serverId: "canva-server-1" }],
    ["credential", { field: "email" }],
  ] as const)
    expect((await postForm(page, `/tools/canva/${action}`, form)).status()).toBe(403);
  expect(browserErrors.filter((error) => !error.includes("403"))).toEqual([]);
  browserErrors.length = 0;
});
