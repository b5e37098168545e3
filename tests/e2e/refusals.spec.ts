import { expect } from "@playwright/test";
import { test } from "./fixtures.ts";
import { listPurchases, readStock } from "./shop-database.ts";
import { post, signInAsNewUser } from "./test-users.ts";

const CONTACT_ONLY = [
  { slug: "stealth-writer", option: "7 Days" },
  { slug: "chatgpt-plus", option: "30 Days" },
  { slug: "surfshark-vpn", option: "30 Days" },
];

test("Stealth Writer and ChatGPT Plus are sold in the chat only", async ({ shop, page }) => {
  await signInAsNewUser(page);
  await shop.open("/");
  for (const tool of ["Stealth Writer", "ChatGPT Plus"]) {
    await shop.openPurchase(tool);
    const contact = shop.purchase.root.getByRole("link", { name: "Contact via WhatsApp" });
    await expect(contact).toHaveAttribute("href", /^https:\/\/wa\.me\/\d+/);
    const chat = new URL((await contact.getAttribute("href")) ?? "");
    expect(chat.searchParams.get("text")).toBe(`Hello, I would like a pass for ${tool}.`);
    await expect(shop.purchase.root.getByRole("radio")).toHaveCount(0);
    await expect(shop.purchase.root.getByText("Total")).toHaveCount(0);
    await expect(shop.purchase.root.getByRole("button", { name: /^Pay/ })).toHaveCount(0);
    await expect(shop.purchase.root.getByLabel(/coupon/i)).toHaveCount(0);
    await page.keyboard.press("Escape");
    await shop.purchase.expectGone();
  }
});

test("a direct request buys nothing that the screens do not sell, and nothing for others", async ({
  newClient,
}) => {
  const buyer = await newClient();
  const { email } = await signInAsNewUser(buyer);
  await test.step("a tool that is sold in the chat cannot be bought by a direct request", async () => {
    for (const { slug, option } of CONTACT_ONLY) {
      const before = await readStock(slug);
      const response = await post(buyer, "/checkout/start", { slug, option });
      expect(response.status(), slug).toBe(409);
      expect(await response.json()).toMatchObject({ ok: false, code: "contact-only" });
      expect(await readStock(slug)).toBe(before);
    }
    expect(await listPurchases(email)).toEqual([]);
  });
  await test.step("a tool that is sold out, free or unknown cannot be bought", async () => {
    const soldOut = await post(buyer, "/checkout/start", { slug: "udemy", option: "30 Days" });
    expect(soldOut.status()).toBe(409);
    expect(await soldOut.json()).toMatchObject({ message: "Tool is out of stock" });
    const free = await post(buyer, "/checkout/start", { slug: "grammar-checker" });
    expect(free.status()).toBe(409);
    const unknown = await post(buyer, "/checkout/start", { slug: "no-such-tool" });
    expect(unknown.status()).toBe(404);
    const option = await post(buyer, "/checkout/start", { slug: "canva", option: "1000 Days" });
    expect(option.status()).toBe(409);
    expect(await readStock("udemy")).toBe(0);
    expect(await listPurchases(email)).toEqual([]);
  });
  await test.step("a visitor cannot start a checkout", async () => {
    const before = await readStock("canva");
    const response = await post(await newClient(), "/checkout/start", { slug: "canva", option: "7 Days" });
    expect(response.status()).toBe(401);
    expect(await response.json()).toMatchObject({ message: "Please sign in to continue" });
    expect(await readStock("canva")).toBe(before);
  });
  await test.step("a request from another origin is refused", async () => {
    const before = await readStock("canva");
    for (const path of ["/checkout/start", "/auth/sign-out", "/tools/chatgpt/code", "/admin"]) {
      const response = await buyer.request.post(path, {
        data: { slug: "canva", option: "7 Days" },
        headers: { origin: "https://another-site.example" },
        maxRedirects: 0,
      });
      expect(response.status(), path).toBe(403);
    }
    expect(await listPurchases(email)).toEqual([]);
    expect(await readStock("canva")).toBe(before);
    // The request to sign out had no effect.
    const dashboard = await buyer.request.get("/dashboard", { maxRedirects: 0 });
    expect(dashboard.status()).toBe(200);
    expect(await dashboard.text()).toContain("My Tools");
  });
  await test.step("nobody can confirm or cancel another buyer's checkout", async () => {
    const started = await post(buyer, "/checkout/start", { slug: "canva", option: "7 Days" });
    const body: unknown = await started.json();
    expect(body).toMatchObject({ ok: true });
    const other = await newClient();
    await signInAsNewUser(other);
    const cancelled = await post(other, "/checkout/cancel", Object(body));
    expect(cancelled.status()).toBe(404);
    const forged = await post(other, "/checkout/confirm", {
      ...Object(body),
      gatewayPaymentId: "pay_0000000000000a",
      signature: "0".repeat(64),
    });
    expect(forged.ok()).toBe(false);
    expect(await listPurchases(email)).toMatchObject([{ status: "pending", stock: "held" }]);
    await post(buyer, "/checkout/cancel", Object(body));
    expect(await listPurchases(email)).toMatchObject([{ status: "failed", stock: "released" }]);
  });
});
