import { expect } from "@playwright/test";
import { z } from "zod";
import { expectAccessible } from "./accessibility.ts";
import { test } from "./fixtures.ts";
import { query, setOnSale } from "./shop-database.ts";
import { buyPass, newEmail, PASSWORD, signInAsNewUser } from "./test-users.ts";

const productSchema = z.object({
  "@type": z.literal("Product"),
  name: z.string(),
  offers: z.array(z.object({ price: z.string(), priceCurrency: z.literal("INR"), availability: z.string() })),
});

test("the shop page of a tool shows everything about it, and a new buyer continues to the payment", async ({
  shop,
  page,
  baseURL,
}) => {
  await shop.open("/shop/chatgpt");
  await test.step("the page shows everything about the tool, and offers its prices as a choice", async () => {
    await expect(page.getByRole("heading", { level: 1, name: "ChatGPT Pro" })).toBeVisible();
    await expect(page.getByText("Works through the browser extension")).toBeVisible();
    await expect(page.getByText("Needs extension")).toBeVisible();
    await expect(page.getByText("₹1,199", { exact: true })).toBeVisible();
    const prices = page.getByRole("main").getByRole("heading", { level: 3 }).first();
    await expect(prices).toHaveAccessibleName("Choose a duration");
    await expect(page.getByText("Prices", { exact: true })).toBeHidden();
  });
  await test.step("search engines and chat apps get the name, the prices and a picture of a tool", async () => {
    await expect(page).toHaveTitle(/^ChatGPT Pro from ₹149 · /);
    await expect(page.locator('link[rel="canonical"]')).toHaveAttribute("href", `${baseURL}/shop/chatgpt`);
    const product = productSchema.parse(
      JSON.parse((await page.locator('script[type="application/ld+json"]').textContent()) ?? ""),
    );
    expect(product.name).toBe("ChatGPT Pro");
    expect(product.offers.map(({ price }) => price)).toContain("149.00");
    const picture = await page.locator('meta[property="og:image"]').getAttribute("content");
    expect(picture?.replace(/[0-9a-f]{16}/, "HASH")).toBe(`${baseURL}/share/chatgpt-HASH.png`);
    const image = await page.request.get(picture ?? "");
    // The general picture is not kept.
    expect(image.headers()).toMatchObject({
      "content-type": "image/png",
      "cache-control": "public, max-age=31536000, immutable",
    });
    const png = await image.body();
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1200, 630]);
  });
  await test.step("the chosen duration is still chosen after a reload and after the way back from the texts of the owner", async () => {
    await page.getByRole("radio", { name: "30 Days" }).check();
    await shop.reload();
    await expect(page.getByRole("radio", { name: "30 Days" })).toBeChecked();
    await page.getByRole("contentinfo").getByRole("link", { name: "Refunds" }).click();
    await expect(page).toHaveURL(/\/refunds$/);
    await expect(shop.heading("Refunds")).toBeVisible();
    await expect(page.getByText("we refund it automatically", { exact: false })).toBeVisible();
    const chat = page
      .getByRole("navigation", { name: "Footer" })
      .getByRole("link", { name: "Support 2 (demo)" });
    await expect(chat).toHaveAttribute("href", /^https:\/\/wa\.me\/910000000002\?text=Hello\+Daypass/);
    await page.goBack();
    await expect(page.getByRole("radio", { name: "30 Days" })).toBeChecked();
    // Another visit begins anew.
    await shop.open("/contact");
    await expect(page.getByRole("main").getByRole("link", { name: "Chat on WhatsApp" })).toHaveAttribute(
      "href",
      /^https:\/\/wa\.me\/910000000001\?text=Hello\+Daypass/,
    );
    await shop.open("/shop/chatgpt");
    await expect(page.getByRole("radio", { name: "7 Days" })).toBeChecked();
  });
  const bar = page.getByRole("region", { name: "Buy ChatGPT Pro" });
  await test.step("on a small phone the durations, each in one line, and the button to buy are at the top", async () => {
    await page.setViewportSize({ width: 360, height: 640 });
    await expect(
      page.getByRole("main").getByRole("button", { name: "Get access to ChatGPT Pro" }),
    ).toBeInViewport({ ratio: 1 });
    const tickets = page.locator("main .option-ticket");
    expect(await tickets.evaluateAll((all) => all.map((ticket) => ticket.clientHeight))).toEqual([
      42, 42, 42,
    ]);
    await expect(bar).toHaveCount(0);
  });
  await test.step("on a phone the button to buy stays in reach while the page scrolls", async () => {
    await page.setViewportSize({ width: 390, height: 640 });
    await page.getByRole("radio", { name: "30 Days" }).check();
    const below = page.getByRole("heading", { name: "How a pass works" });
    await below.scrollIntoViewIfNeeded();
    await expect(bar.getByText("₹449", { exact: true })).toBeVisible();
    await expectAccessible(page, "shop page scrolled");
    await page.setViewportSize({ width: 390, height: 640 });
    await below.scrollIntoViewIfNeeded();
    await bar.getByRole("button", { name: "Get access to ChatGPT Pro" }).click();
    await shop.signIn.expectAccount();
    await expect(shop.purchase.option("30 Days")).toBeChecked();
    await shop.signIn.button("Close").click();
    await shop.purchase.expectGone();
    await page.getByRole("radio", { name: "30 Days" }).scrollIntoViewIfNeeded();
    await page.evaluate(() => window.scrollTo(0, 200));
    await expect(bar).toHaveCount(0);
  });
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  await test.step("a new buyer continues to the payment with the duration that was chosen", async () => {
    await page.getByRole("radio", { name: "90 Days" }).check();
    await page.getByRole("button", { name: "Get access to ChatGPT Pro" }).click();
    await shop.signIn.createAccount({ email: newEmail(), password: PASSWORD });
    await expect(shop.purchase.options).toHaveCount(3);
    await expect(shop.purchase.option("90 Days")).toBeChecked();
    await expect(shop.purchase.pay("₹1,199")).toBeVisible();
  });
  await test.step("the duration that a buyer chooses on the shop page is chosen in the purchase dialog", async () => {
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    await shop.purchase.expectGone();
    await page.getByRole("radio", { name: "30 Days" }).check();
    await page.getByRole("button", { name: "Get access to ChatGPT Pro" }).click();
    await expect(shop.purchase.option("30 Days")).toBeChecked();
    await expect(shop.purchase.pay("₹449")).toBeVisible();
  });
});

test("the page of a tool that is not on sale now says so, takes alerts, and is left out of search engines", async ({
  shop,
  page,
}) => {
  await setOnSale("amazon-prime", false);
  try {
    const response = await page.goto("/shop/amazon-prime");
    expect(response?.status()).toBe(200);
    await expect(shop.heading("Amazon Prime")).toBeVisible();
    await expect(page.getByText("Not on sale now", { exact: true })).toBeVisible();
    await expect(page.locator('meta[name="robots"]')).toHaveAttribute("content", "noindex");
    await expectAccessible(page, "tool not on sale now");
    await shop.waitForHydration();
    await page.getByRole("button", { name: "Tell me when it’s back" }).click();
    await expect(
      shop.signIn.root.getByText("Sign in, and we’ll put you on the list for Amazon Prime."),
    ).toBeVisible();
  } finally {
    await setOnSale("amazon-prime", true);
  }
});

test("the page of a tool that is not on sale now leads a buyer with a pass to it; a draft and a deleted tool have none", async ({
  shop,
  page,
}) => {
  await signInAsNewUser(page);
  await buyPass(page, "amazon-prime", "30 Days");
  await setOnSale("amazon-prime", false);
  try {
    await shop.open("/shop/amazon-prime");
    await expect(page.getByText("Not on sale now", { exact: true })).toBeVisible();
    await expectAccessible(page, "not on sale now with a pass");
    // The shop refuses an alert to a buyer with a pass, as on the page of a tool that is sold out.
    await expect(page.getByRole("button", { name: "Tell me when it’s back" })).toHaveCount(0);
    await page.getByRole("link", { name: /^Open Amazon Prime until \d\d\/\d\d\/\d\d$/ }).click();
    await expect(page).toHaveURL(/\/tools\/amazon-prime$/);
    await expect(shop.heading("Amazon Prime")).toBeVisible();
  } finally {
    await setOnSale("amazon-prime", true);
  }
  const change = (columns: string) => query(`update tools set ${columns} where slug = 'off-sale-tool'`, []);
  await query(
    `insert into tools select (jsonb_populate_record(tools, jsonb_build_object('id', gen_random_uuid(), 'slug',
       'off-sale-tool', 'name', 'Off Sale Tool', 'is_active', false, 'was_on_sale', false))).* from tools where slug = 'canva'`,
    [],
  );
  const statusOfPage = async () => (await page.request.get("/shop/off-sale-tool")).status();
  expect(await statusOfPage()).toBe(404);
  await change("was_on_sale = true");
  expect(await statusOfPage()).toBe(200);
  await change("deleted_at = now()");
  expect(await statusOfPage()).toBe(404);
});

test("sitemap and robots list the public pages only", async ({ request, baseURL }) => {
  for (const path of ["/sitemap.xml", "/robots.txt"]) {
    const headers = (await request.get(path)).headers();
    expect(headers["cache-control"], path).toBe("private, no-cache");
    expect(headers.vary, path).toBe("Cookie, Accept-Language, Accept-Encoding");
  }
  const sitemap = await (await request.get("/sitemap.xml")).text();
  expect(sitemap).toContain(`<loc>${baseURL}/</loc>`);
  expect(sitemap).toContain(`<loc>${baseURL}/shop/chatgpt</loc>`);
  expect(sitemap).toContain(`<loc>${baseURL}/terms</loc>`);
  expect(sitemap).not.toMatch(/\/tools\/|\/admin|\/dashboard/);
  const robots = await (await request.get("/robots.txt")).text();
  expect(robots).toContain("Disallow: /tools/");
  expect(robots).toContain(`Sitemap: ${baseURL}/sitemap.xml`);
  expect((await request.get("/tools/canva", { maxRedirects: 0 })).headers()["x-robots-tag"]).toBe("noindex");
});

test("an address without a page says so, in the page from the server and after each navigation", async ({
  shop,
  page,
}) => {
  const missing = "There is nothing here";
  await test.step("an unknown tool gets the page of the shop for unknown addresses, with its title after each navigation", async () => {
    const response = await page.goto("/shop/no-such-tool");
    expect(response?.status()).toBe(404);
    await expect(shop.heading(missing)).toBeVisible();
    await expect(shop.accountNav.getByRole("button", { name: "Get Started" })).toBeVisible();
    await shop.waitForHydration();
    await expect(page).toHaveTitle(`${missing} · Daypass`);
    await expect(page.getByRole("main").getByRole("link", { name: "your dashboard" })).toHaveAttribute(
      "href",
      "/dashboard",
    );
    await page.getByRole("link", { name: "Go to Homepage" }).click();
    await expect(shop.cards).toHaveCount(12);
    await expect(page).toHaveTitle(/^Daypass · /);
    await page.goBack();
    await expect(shop.heading(missing)).toBeVisible();
    await expect(page).toHaveTitle(`${missing} · Daypass`);
    await page.goForward();
    await expect(shop.cards).toHaveCount(12);
    await expect(page).toHaveTitle(/^Daypass · /);
  });
  await test.step("an unknown address shows the not-found page", async () => {
    const response = await page.goto("/no/such/page");
    expect(response?.status()).toBe(404);
    const footer = page.getByRole("contentinfo");
    await expect(footer.getByRole("link", { name: "Support 1 (demo)" })).toBeVisible();
    await footer.getByRole("button", { name: "हिन्दी" }).click();
    await expect(page).toHaveURL(/\/no\/such\/page$/);
    await footer.getByRole("button", { name: "English" }).click();
    await expect(shop.heading(missing)).toBeVisible();
    await page.getByRole("link", { name: "Go to Homepage" }).click();
    await expect(shop.cards).toHaveCount(12);
  });
  await test.step("an unknown tool of a user shows it with the navigation of the shop", async () => {
    await signInAsNewUser(page);
    const response = await page.goto("/tools/nothing-here");
    expect(response?.status()).toBe(404);
    await expect(shop.heading(missing)).toBeVisible();
    await expect(shop.accountNav.getByRole("link", { name: "Dashboard" })).toBeVisible();
    await expect(page).toHaveTitle(`${missing} · Daypass`);
    for (const path of ["/no-such-page", "/shop/no-such-tool", "/tools/no-such-tool"]) {
      const html = await (await page.request.get(path)).text();
      const [head = "", body = ""] = html.split("</head>");
      expect(head.match(/<title>.*?<\/title>/g), path).toEqual([`<title>${missing} · Daypass</title>`]);
      expect(body, path).not.toContain("<title>");
    }
  });
});
