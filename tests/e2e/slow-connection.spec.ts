import { expect, type Page } from "@playwright/test";
import { test } from "./fixtures.ts";
import { signInAsNewUser } from "./test-users.ts";

/** Opens a page whose JavaScript loads only when the returned function is called. */
async function openWithDelayedScript(page: Page, path = "/"): Promise<() => void> {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route("**/assets/*.js", async (route) => {
    await released;
    await route.continue();
  });
  await page.goto(path, { waitUntil: "commit" });
  await expect(page.getByRole("button", { name: "Get access to Canva", exact: true }).first()).toBeVisible();
  return release;
}

const expectWaiting = (page: Page) => expect(page.locator("html")).toHaveAttribute("data-waiting");

test("a buyer's click before the JavaScript has loaded takes effect, and the dialog waits for the tool page after paying", async ({
  shop,
  page,
}) => {
  await signInAsNewUser(page);
  await test.step("a click before the JavaScript has loaded takes effect once it has loaded", async () => {
    const release = await openWithDelayedScript(page);
    const card = page.getByRole("button", { name: "Get access to Canva", exact: true });
    await card.click();
    await expectWaiting(page);
    await expect(card).toHaveAttribute("data-awaits");
    expect(await card.evaluate((button) => getComputedStyle(button, "::before").animationName)).toBe("spin");
    release();
    await expect(shop.purchase.pay("₹49")).toBeVisible();
    await expect(page.locator("[data-awaits]")).toHaveCount(0);
    await expect(page.locator("html")).not.toHaveAttribute("data-waiting");
    await page.keyboard.press("Escape");
    await shop.purchase.expectGone();
    await expect(card).toBeFocused();
  });
  await test.step("the dialog stays open after paying until the tool page has loaded", async () => {
    await shop.openPurchase("Canva");
    // Stops the clock, so that the dialog does not close after two seconds.
    await page.clock.install();
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route("**/tools/canva.data*", async (route) => {
      await released;
      await route.continue();
    });
    await shop.purchase.openGateway("₹49");
    await shop.purchase.gatewayButton("Pay").click();
    await expect(shop.purchase.root.getByText("₹49 paid. Your access is ready.")).toBeVisible();
    // The moment may be over when the browser gets the command.
    await expect(async () => page.clock.pauseAt(await page.evaluate(() => Date.now() + 500))).toPass();
    const open = shop.purchase.root.getByRole("link", { name: "Open Canva" });
    await open.click();
    await expect(open).toHaveAttribute("data-awaits");
    release();
    await page.clock.resume();
    await expect(shop.server("Server 1")).toBeVisible();
    await expect(page.getByRole("dialog")).toHaveCount(0);
  });
});

test("what a visitor does before the JavaScript has loaded takes effect once it has loaded", async ({
  shop,
  page,
}) => {
  await test.step("the last of two clicks takes effect", async () => {
    const release = await openWithDelayedScript(page);
    await page.getByRole("button", { name: "Get access to Canva", exact: true }).click();
    await page.getByRole("button", { name: "Get Started" }).first().click();
    await expect(page.locator("[data-awaits]")).toHaveText(["Get Started"]);
    release();
    await shop.signIn.expectView("Welcome");
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await page.unrouteAll();
  });
  await test.step("a search that is typed stays in its field and takes effect", async () => {
    const release = await openWithDelayedScript(page);
    const search = page.getByRole("searchbox", { name: "Search tools" });
    await search.pressSequentially("canva");
    release();
    await expect(page.getByRole("button", { name: "Get access to QuillBot", exact: true })).toHaveCount(0);
    await expect(page).toHaveURL("/?q=canva");
    await expect(search).toHaveValue("canva");
    await expect(search).toBeFocused();
    await page.unrouteAll();
  });
  await test.step("a search that is cleared shows all tools", async () => {
    const release = await openWithDelayedScript(page, "/?q=canva");
    await page.getByRole("searchbox", { name: "Search tools" }).clear();
    release();
    await expect(shop.cards).toHaveCount(12);
    await expect(page).toHaveURL("/");
    await expect(page.getByRole("searchbox", { name: "Search tools" })).toHaveValue("");
    await page.unrouteAll();
  });
  await test.step("an openPaymentModal event opens the dialog later", async () => {
    const tool = { name: "ChatGPT Pro", price: 149 };
    for (const detail of [tool, { tool }]) {
      const release = await openWithDelayedScript(page);
      await page.evaluate((sent) => {
        window.dispatchEvent(new CustomEvent("openPaymentModal", { detail: sent }));
      }, detail);
      await expectWaiting(page);
      release();
      await expect(shop.purchase.root).toBeVisible();
      await page.unrouteAll();
    }
  });
  await test.step("the last duration that is chosen stays chosen", async () => {
    await page.setViewportSize({ width: 390, height: 600 });
    const release = await openWithDelayedScript(page, "/shop/canva");
    for (const option of ["90 Days", "30 Days", "90 Days"]) {
      await page.getByRole("radio", { name: option }).check();
    }
    release();
    // The bar of the page shows the option that its script has. It appears where the button is out of view.
    await shop.heading("How a pass works").evaluate((heading) => heading.scrollIntoView());
    await expect(page.getByRole("region", { name: "Buy Canva" }).getByText("₹329")).toBeVisible();
    await expect(page.getByRole("radio", { name: "90 Days" })).toBeChecked();
  });
});
