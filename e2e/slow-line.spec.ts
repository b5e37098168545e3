import { expect, type Page } from "@playwright/test";
import { test } from "./journey.ts";
import { becomeUser } from "./people.ts";

/** The page is there to be read, and its script is still on its way until the returned function is called. */
async function openWithoutScript(page: Page): Promise<() => void> {
  let arrive: () => void = () => undefined;
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  await page.route("**/assets/*.js", async (route) => {
    await arrived;
    await route.continue();
  });
  await page.goto("/", { waitUntil: "commit" });
  await expect(page.getByRole("button", { name: "Get access to Canva", exact: true })).toBeVisible();
  return arrive;
}

const isWaiting = (page: Page) => expect(page.locator("html")).toHaveAttribute("data-waiting");

test("what is pressed before the page's script has come is answered as soon as it has", async ({
  shop,
  page,
}) => {
  await becomeUser(page);
  const arrive = await openWithoutScript(page);
  const card = page.getByRole("button", { name: "Get access to Canva", exact: true });
  await card.click();
  await isWaiting(page);
  arrive();
  await expect(shop.purchase.pay("₹49")).toBeVisible();
  await expect(page.locator("html")).not.toHaveAttribute("data-waiting");
  await page.keyboard.press("Escape");
  await shop.purchase.expectGone();
  await expect(card).toBeFocused();
});

test("of two buttons pressed too early the last one counts", async ({ shop, page }) => {
  const arrive = await openWithoutScript(page);
  await page.getByRole("button", { name: "Get access to Canva", exact: true }).click();
  await page.getByRole("button", { name: "Get Started" }).first().click();
  arrive();
  await shop.signIn.expectView("Welcome");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

test("an openPaymentModal told too early opens the dialog when the page can", async ({ shop, page }) => {
  const arrive = await openWithoutScript(page);
  await page.evaluate(() => {
    window.dispatchEvent(
      new CustomEvent("openPaymentModal", { detail: { name: "ChatGPT Pro", price: 149 } }),
    );
  });
  await isWaiting(page);
  arrive();
  await expect(shop.purchase.root).toBeVisible();
});

test("after paying, the dialog stays until the tool's page has come", async ({ shop, page }) => {
  await becomeUser(page);
  await shop.open("/");
  await shop.openPurchase("Canva");
  // The two seconds after which it closes by itself are not what this is about.
  await page.clock.install();
  let arrive: () => void = () => undefined;
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  await page.route("**/tools/canva.data*", async (route) => {
    await arrived;
    await route.continue();
  });
  await shop.purchase.goToGateway("₹49");
  await shop.purchase.gatewayButton("Pay").click();
  await expect(shop.purchase.root.getByText("₹49 paid. Your access is ready.")).toBeVisible();
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 200));
  const open = shop.purchase.root.getByRole("link", { name: "Open Canva" });
  await open.click();
  await expect(open).toHaveAttribute("aria-busy", "true");
  arrive();
  await page.clock.resume();
  await expect(shop.server("Server 1")).toBeVisible();
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test("what a pass is for can be read before paying", async ({ shop, page }) => {
    await becomeUser(page);
    await shop.open("/");
    await shop.openPurchase("Canva");
    const limits = shop.purchase.root.getByText("Your designs belong to the shared workspace", {
      exact: false,
    });
    await expect(limits.filter({ visible: true })).toHaveCount(0);
    await shop.purchase.root.getByText("What you get").click();
    await expect(limits.filter({ visible: true })).toHaveCount(1);
    await expect(shop.purchase.pay("₹49")).toBeInViewport();
  });
});
