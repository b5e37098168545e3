import { expect } from "@playwright/test";
import { openAsAdmin } from "./admin-page.ts";
import { test } from "./fixtures.ts";
import { buyPass, signInAsNewUser } from "./test-users.ts";

/** What a browser may not have: in an old version, without https, with blocked cookies, or inside of another app. */
const OPTIONAL: Readonly<Record<string, readonly string[]>> = {
  window: [
    "BroadcastChannel",
    "ClipboardItem",
    "EventSource",
    "Notification",
    "caches",
    "indexedDB",
    "localStorage",
    "sessionStorage",
  ],
  navigator: [
    "clipboard",
    "locks",
    "serviceWorker",
    "share",
    "storage",
    "userActivation",
    "vibrate",
    "wakeLock",
  ],
  document: ["startViewTransition"],
};

/** The router's inline script logs that it cannot restore the position. It catches no error, and nothing else depends on it. */
const SCROLL_RESTORATION =
  /^(?:console|script): \w*Error: .*(?:sessionStorage|getItem|removeItem)[^/]*http:\/\/[^/]+\/(?!assets\/)/;

for (const kind of ["missing", "null", "throws"] as const)
  test(`pages and a purchase work where optional interfaces of the browser are: ${kind}`, async ({
    shop,
    page,
    browserErrors,
  }) => {
    await page.addInitScript(
      ([how, names]) => {
        for (const [owner, keys] of Object.entries(names)) {
          const object: object = Reflect.get(globalThis, owner);
          for (const key of keys) {
            for (let holder: object | null = object; holder; holder = Reflect.getPrototypeOf(holder))
              if (how === "missing") Reflect.deleteProperty(holder, key);
            if (how === "null") Object.defineProperty(object, key, { get: () => null });
            if (how !== "throws") continue;
            const refuse = () => {
              throw Object.assign(new Error(`${key} is refused`), { name: "SecurityError" });
            };
            // A constructor or a method throws when it is called, every other interface when it is read.
            const isCalled = typeof Reflect.get(object, key) === "function";
            const value = function value() {
              refuse();
            };
            Object.defineProperty(object, key, isCalled ? { value } : { get: refuse });
          }
        }
      },
      [kind, OPTIONAL] as const,
    );
    await test.step("the pages for everybody are readable and answer", async () => {
      for (const path of ["/shop/chatgpt", "/giveaway", "/sign-in", "/"]) {
        await shop.open(path);
        await expect(shop.heading("This page did not load"), path).toHaveCount(0);
        await expect(page.getByRole("main"), path).toBeVisible();
      }
      await shop.openPurchase("Canva");
      await page.keyboard.press("Escape");
      await shop.purchase.expectGone();
    });
    await test.step("a buyer pays, and gets the code", async () => {
      await signInAsNewUser(page);
      await buyPass(page, "chatgpt", "7 Days");
      await shop.open("/");
      await shop.openPurchase("Canva");
      await shop.purchase.openGateway("₹49");
      await shop.purchase.gatewayButton("Pay").click();
      await expect(shop.server("Server 1")).toBeVisible();
      await shop.open("/tools/chatgpt");
      await shop.server("Server 1").getByRole("button", { name: "Click" }).click();
      await expect(shop.server("Server 1").getByLabel("The code for Server 1")).toBeFocused();
    });
    await test.step("the dashboard, the account and the orders are readable", async () => {
      for (const path of ["/dashboard", "/account", "/giveaway"]) {
        await shop.open(path);
        await expect(shop.heading("This page did not load"), path).toHaveCount(0);
        await expect(page.getByRole("main"), path).toBeVisible();
      }
    });
    await test.step("the admin area is readable, and a form opens", async () => {
      await openAsAdmin(shop, "/admin/tools");
      await page.getByRole("button", { name: "+ Add Tool" }).click();
      await expect(page.getByLabel("Tool Name")).toBeVisible();
    });
    const others = browserErrors.splice(0).filter((error) => !SCROLL_RESTORATION.test(error));
    expect(others).toEqual([]);
  });
