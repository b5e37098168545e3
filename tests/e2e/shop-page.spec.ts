import { expect } from "@playwright/test";
import { z } from "zod";
import { expectAccessible } from "./accessibility.ts";
import { test } from "./fixtures.ts";
import { newEmail, PASSWORD, signInAsNewUser } from "./test-users.ts";

const productSchema = z.object({
  "@type": z.literal("Product"),
  name: z.string(),
  offers: z.array(z.object({ price: z.string(), priceCurrency: z.literal("INR"), availability: z.string() })),
});

test("the shop page of a tool shows everything about it, and a new buyer continues to the payment", async ({
  shop,
  page,
}) => {
  await shop.open("/shop/chatgpt");
  await expect(page.getByRole("heading", { level: 1, name: "ChatGPT Pro" })).toBeVisible();
  await expect(page.getByText("Works through the browser extension")).toBeVisible();
  await expect(page.getByText("Needs extension")).toBeVisible();
  await expect(page.getByText("₹1,199", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Get access to ChatGPT Pro" }).click();
  await shop.signIn.button("Create an Account").click();
  await shop.signIn.fill({ email: newEmail(), password: PASSWORD });
  await shop.signIn.button("Create Account").click();
  await expect(shop.purchase.root.getByRole("radio")).toHaveCount(3);
});

test("the duration that is chosen on the shop page is chosen in the purchase dialog", async ({
  shop,
  page,
}) => {
  await signInAsNewUser(page);
  await shop.open("/shop/chatgpt");
  await expect(page.getByRole("radio", { name: "7 Days" })).toBeChecked();
  await page.getByRole("radio", { name: "90 Days" }).check();
  await page.getByRole("button", { name: "Get access to ChatGPT Pro" }).click();
  await expect(shop.purchase.option("90 Days")).toBeChecked();
  await expect(shop.purchase.pay("₹1,199")).toBeVisible();
});

test("the chosen duration is still chosen after a reload, and after the way back", async ({ shop, page }) => {
  await shop.open("/shop/chatgpt");
  await page.getByRole("radio", { name: "30 Days" }).check();
  await shop.reload();
  await expect(page.getByRole("radio", { name: "30 Days" })).toBeChecked();
  await page.getByRole("contentinfo").getByRole("link", { name: "Refunds" }).click();
  await expect(page).toHaveURL(/\/refunds$/);
  await page.goBack();
  await expect(page.getByRole("radio", { name: "30 Days" })).toBeChecked();
  // Another visit begins anew.
  await shop.open("/");
  await shop.open("/shop/chatgpt");
  await expect(page.getByRole("radio", { name: "7 Days" })).toBeChecked();
});

test("on a phone the button to buy stays in reach while the page scrolls", async ({ shop, page }) => {
  await page.setViewportSize({ width: 390, height: 640 });
  await shop.open("/shop/chatgpt");
  await page.getByRole("radio", { name: "30 Days" }).check();
  await page.getByRole("heading", { name: "How a pass works" }).scrollIntoViewIfNeeded();
  const bar = page.getByRole("region", { name: "Buy ChatGPT Pro" });
  await expect(bar.getByText("₹449", { exact: true })).toBeVisible();
  await expectAccessible(page, "shop page scrolled");
  await page.setViewportSize({ width: 390, height: 640 });
  await bar.getByRole("button", { name: "Get access to ChatGPT Pro" }).click();
  await shop.signIn.expectView("Welcome");
  await shop.signIn.button("Close").click();
  await page.getByRole("radio", { name: "30 Days" }).scrollIntoViewIfNeeded();
  await page.evaluate(() => window.scrollTo(0, 200));
  await expect(bar).toHaveCount(0);
});

test("search engines and chat apps get the name, the prices and a picture of a tool", async ({
  page,
  baseURL,
}) => {
  await page.goto("/shop/canva");
  await expect(page).toHaveTitle(/^Canva from ₹49 · /);
  await expect(page.locator('link[rel="canonical"]')).toHaveAttribute("href", `${baseURL}/shop/canva`);
  const product = productSchema.parse(
    JSON.parse((await page.locator('script[type="application/ld+json"]').textContent()) ?? ""),
  );
  expect(product.name).toBe("Canva");
  expect(product.offers.map(({ price }) => price)).toContain("49.00");
  const picture = await page.locator('meta[property="og:image"]').getAttribute("content");
  expect((await page.request.get(picture ?? "")).headers()["content-type"]).toBe("image/png");
});

test("sitemap and robots list the public pages only", async ({ page, baseURL }) => {
  for (const path of ["/sitemap.xml", "/robots.txt"]) {
    const headers = (await page.request.get(path)).headers();
    expect(headers["cache-control"], path).toBe("private, no-cache");
    expect(headers.vary, path).toBe("Cookie, Accept-Encoding");
  }
  const sitemap = await (await page.request.get("/sitemap.xml")).text();
  expect(sitemap).toContain(`<loc>${baseURL}/</loc>`);
  expect(sitemap).toContain(`<loc>${baseURL}/shop/chatgpt</loc>`);
  expect(sitemap).toContain(`<loc>${baseURL}/terms</loc>`);
  expect(sitemap).not.toMatch(/\/tools\/|\/admin|\/dashboard/);
  const robots = await (await page.request.get("/robots.txt")).text();
  expect(robots).toContain("Disallow: /tools/");
  expect(robots).toContain(`Sitemap: ${baseURL}/sitemap.xml`);
  expect((await page.request.get("/tools/canva", { maxRedirects: 0 })).headers()["x-robots-tag"]).toBe(
    "noindex",
  );
});

test("an unknown tool gets the page of the shop for unknown addresses", async ({ shop, page }) => {
  const response = await page.goto("/shop/no-such-tool");
  expect(response?.status()).toBe(404);
  await expect(shop.heading("There is nothing here")).toBeVisible();
  await expect(shop.accountNav.getByRole("button", { name: "Get Started" })).toBeVisible();
});

test("the title says that an address has no page, in the page from the server and after each navigation", async ({
  shop,
  page,
}) => {
  await signInAsNewUser(page);
  const missing = "There is nothing here";
  for (const path of ["/no-such-page", "/shop/no-such-tool", "/tools/no-such-tool"]) {
    const html = await (await page.request.get(path)).text();
    const [head = "", body = ""] = html.split("</head>");
    expect(head.match(/<title>.*?<\/title>/g), path).toEqual([`<title>${missing}</title>`]);
    expect(body, path).not.toContain("<title>");
  }
  await shop.open("/shop/no-such-tool");
  await expect(page).toHaveTitle(missing);
  await page.getByRole("link", { name: "Go to Homepage" }).click();
  await expect(shop.cards).toHaveCount(12);
  await expect(page).toHaveTitle(/^Daypass · /);
  await page.goBack();
  await expect(shop.heading(missing)).toBeVisible();
  await expect(page).toHaveTitle(missing);
  await page.goForward();
  await expect(shop.cards).toHaveCount(12);
  await expect(page).toHaveTitle(/^Daypass · /);
});

test("the footer leads to the texts of the owner", async ({ shop, page }) => {
  await shop.open("/");
  await page.getByRole("navigation", { name: "Footer" }).getByRole("link", { name: "Refunds" }).click();
  await expect(page).toHaveURL(/\/refunds$/);
  await expect(shop.heading("Refunds")).toBeVisible();
  await expect(page.getByText("we refund it automatically", { exact: false })).toBeVisible();
  const chat = page
    .getByRole("navigation", { name: "Footer" })
    .getByRole("link", { name: "Support 2 (demo)" });
  await expect(chat).toHaveAttribute("href", /^https:\/\/wa\.me\/910000000002\?text=Hello\+Daypass/);
});
