import { expect } from "@playwright/test";
import { test } from "./fixtures.ts";
import { listPurchases, readStock } from "./shop-database.ts";
import { post, signInAsNewUser } from "./test-users.ts";

const CONTACT_ONLY = [
  { slug: "stealth-writer", option: "7 Days" },
  { slug: "chatgpt-plus", option: "30 Days" },
  { slug: "surfshark-vpn", option: "30 Days" },
];

for (const tool of ["Stealth Writer", "ChatGPT Plus"]) {
  test(`${tool} is sold in the chat only`, async ({ shop }) => {
    await signInAsNewUser(shop.page);
    await shop.open("/");
    await shop.openPurchase(tool);
    const contact = shop.purchase.root.getByRole("link", { name: "Contact via WhatsApp" });
    await expect(contact).toHaveAttribute("href", /^https:\/\/wa\.me\/\d+/);
    const chat = new URL((await contact.getAttribute("href")) ?? "");
    expect(chat.searchParams.get("text")).toBe(`Hello, I would like a pass for ${tool}.`);
    await expect(shop.purchase.root.getByRole("radio")).toHaveCount(0);
    await expect(shop.purchase.root.getByText("Total")).toHaveCount(0);
    await expect(shop.purchase.root.getByRole("button", { name: /^Pay/ })).toHaveCount(0);
    await expect(shop.purchase.root.getByLabel(/coupon/i)).toHaveCount(0);
  });
}

test("a tool that is sold in the chat cannot be bought by a direct request", async ({ page }) => {
  const { email } = await signInAsNewUser(page);
  for (const { slug, option } of CONTACT_ONLY) {
    const before = await readStock(slug);
    const response = await post(page, "/checkout/start", { slug, option });
    expect(response.status(), slug).toBe(409);
    expect(await response.json()).toMatchObject({ ok: false, code: "contact-only" });
    expect(await readStock(slug)).toBe(before);
  }
  expect(await listPurchases(email)).toEqual([]);
});

test("a tool that is sold out, free or unknown cannot be bought", async ({ page }) => {
  const { email } = await signInAsNewUser(page);
  const soldOut = await post(page, "/checkout/start", { slug: "udemy", option: "30 Days" });
  expect(soldOut.status()).toBe(409);
  expect(await soldOut.json()).toMatchObject({ message: "Tool is out of stock" });
  const free = await post(page, "/checkout/start", { slug: "grammar-checker" });
  expect(free.status()).toBe(409);
  const unknown = await post(page, "/checkout/start", { slug: "no-such-tool" });
  expect(unknown.status()).toBe(404);
  const option = await post(page, "/checkout/start", { slug: "canva", option: "1000 Days" });
  expect(option.status()).toBe(409);
  expect(await readStock("udemy")).toBe(0);
  expect(await listPurchases(email)).toEqual([]);
});

test("a visitor cannot start a checkout", async ({ page }) => {
  const before = await readStock("canva");
  const response = await post(page, "/checkout/start", { slug: "canva", option: "7 Days" });
  expect(response.status()).toBe(401);
  expect(await response.json()).toMatchObject({ message: "Please sign in to continue" });
  expect(await readStock("canva")).toBe(before);
});

test("a request from another origin is refused", async ({ page }) => {
  const { email } = await signInAsNewUser(page);
  const before = await readStock("canva");
  for (const path of ["/checkout/start", "/auth/sign-out", "/tools/chatgpt/code", "/admin"]) {
    const response = await page.request.post(path, {
      data: { slug: "canva", option: "7 Days" },
      headers: { origin: "https://another-site.example" },
      maxRedirects: 0,
    });
    expect(response.status(), path).toBe(403);
  }
  expect(await listPurchases(email)).toEqual([]);
  expect(await readStock("canva")).toBe(before);
  await page.goto("/dashboard");
  await expect(page.getByRole("heading", { name: "My Tools" })).toBeVisible();
});

test("nobody can confirm or cancel another buyer's checkout", async ({ page, openOtherBrowser }) => {
  const { email } = await signInAsNewUser(page);
  const started = await post(page, "/checkout/start", { slug: "canva", option: "7 Days" });
  const body: unknown = await started.json();
  expect(body).toMatchObject({ ok: true });
  const { page: other } = await openOtherBrowser();
  await signInAsNewUser(other);
  const cancelled = await post(other, "/checkout/cancel", Object(body));
  expect(cancelled.status()).toBe(404);
  const forged = await post(other, "/checkout/confirm", {
    ...Object(body),
    paymentId: "pay_0000000000000a",
    signature: "0".repeat(64),
  });
  expect(forged.ok()).toBe(false);
  expect(await listPurchases(email)).toMatchObject([{ status: "pending", stock: "held" }]);
  await post(page, "/checkout/cancel", Object(body));
  expect(await listPurchases(email)).toMatchObject([{ status: "failed", stock: "released" }]);
});
