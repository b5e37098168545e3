import { expect, type Locator } from "@playwright/test";
import { z } from "zod";
import { expectAccessible } from "./accessibility.ts";
import { ADMIN_EMAIL, becomeAdmin, fillCredentials, openAsAdmin, signInAsAdmin } from "./admin-page.ts";
import { test } from "./fixtures.ts";
import { query } from "./shop-database.ts";
import type { ShopPage } from "./shop-page.ts";
import { ADMIN_PASSWORD } from "./shop-process.ts";
import { buyPass, PASSWORD, post, postForm, signInAsNewUser } from "./test-users.ts";

const FIGURES = [
  "Total Users",
  "Active Users",
  "Total Purchases",
  "Total Revenue",
  "Total Tools",
  "Active Tools",
];

const countedRow = z.object({ users: z.string(), active: z.string(), purchases: z.string() });

/** The figures of the admin page, by label. */
async function readFigures(shop: ShopPage): Promise<Record<string, string>> {
  const terms = await shop.page.getByRole("term").allInnerTexts();
  const figures = await shop.page.locator("dt + dd").allInnerTexts();
  return Object.fromEntries(terms.map((term, index) => [term, figures[index] ?? ""]));
}

test("/admin and /admin/login show what is wrong, and sign in nobody but the admin", async ({
  shop,
  openOtherBrowser,
}) => {
  const { page } = shop;
  const { email } = await signInAsNewUser((await openOtherBrowser()).page);

  await test.step("/admin/login shows what is wrong and refuses accounts without the admin role", async () => {
    await shop.open("/admin/login");
    await expect(page.getByText("Admin Access Only")).toBeVisible();
    const button = page.getByRole("button", { name: "Sign in as Admin" });
    await fillCredentials(shop, { email: ADMIN_EMAIL, password: "not-that-one-either" });
    await button.click();
    await expect(page.getByText("Incorrect password. Please try again.")).toBeVisible();
    await fillCredentials(shop, { email: "nobody@example.com", password: PASSWORD });
    await button.click();
    await expect(page.getByText(/^No account found with this email/)).toBeVisible();
    await expectAccessible(page, "admin login");
    await fillCredentials(shop, { email, password: PASSWORD });
    await button.click();
    await expect(page.getByText("Invalid admin credentials")).toBeVisible();
    expect((await page.context().cookies()).filter(({ name }) => /session/.test(name))).toEqual([]);
    await page.getByRole("link", { name: "Back to Home" }).click();
    await expect(shop.cards).toHaveCount(12);
  });

  await test.step("signed out, /admin shows a sign-in form and no data", async () => {
    await shop.open("/admin");
    await expect(shop.heading("Admin Panel")).toBeVisible();
    await expect(page.getByText("Total Revenue")).toHaveCount(0);
    const form = page.getByRole("button", { name: "Sign In", exact: true });
    for (const address of [ADMIN_EMAIL, "nobody@example.com"]) {
      await fillCredentials(shop, { email: address, password: "not-that-one-either" });
      await form.click();
      await expect(page.getByRole("alert").getByText("Invalid credentials", { exact: true })).toBeVisible();
    }
    await expectAccessible(page, "admin panel");
    await fillCredentials(shop, { email: ADMIN_EMAIL, password: ADMIN_PASSWORD });
    await form.click();
    await expect(shop.heading("Admin Dashboard")).toBeVisible();
    await page.getByRole("button", { name: "Logout" }).click();
    await expect(shop.heading("Admin Panel")).toBeVisible();
  });

  await test.step("at /admin/login the admin signs in", async () => {
    await signInAsAdmin(shop);
    await expect(page).toHaveURL(/\/admin$/);
  });
});

test("the admin sees six correct figures, and reaches the admin page from the header and every tool", async ({
  shop,
  openOtherBrowser,
}) => {
  await becomeAdmin(shop.page);

  await test.step("the admin reaches the admin page from the header and opens every tool", async () => {
    await shop.page.goto("/tools/chatgpt");
    await expect(shop.server("Server 3")).toBeVisible();
    await shop.page.goto("/admin/login");
    await expect(shop.heading("Admin Access Granted")).toBeVisible();
    await shop.open("/");
    await shop.accountNav.getByRole("link", { name: "Admin" }).click();
    await expect(shop.heading("Admin Dashboard")).toBeVisible();
  });

  await test.step("the admin sees six correct figures", async () => {
    expect(Object.keys(await readFigures(shop))).toEqual(FIGURES);
    const buyer = await openOtherBrowser();
    await signInAsNewUser(buyer.page);
    await buyPass(buyer.page, "quillbot", "7 Days");
    await signInAsNewUser((await openOtherBrowser()).page);
    const [counted] = await query(
      `select count(*) as users, count(*) filter (where is_active) as active, (
         select count(*) from user_purchases where status in ('completed', 'active')
           and coalesce(ended_reason, '') not in ('deleted', 'user-deleted')
       ) as purchases from users where deleted_at is null`,
      [],
    );
    const { users, active, purchases } = countedRow.parse(counted);
    // What buyers do is shown within ten seconds, without a reload. Test payments do not count as revenue.
    await expect
      .poll(async () => Object.values(await readFigures(shop)), { timeout: 20_000 })
      .toEqual([users, active, purchases, "₹0", "12", "12"]);
  });
});

const LISTS = [
  ["", "Users"],
  ["/tools", "Tools"],
  ["/access-codes", "Access codes"],
  ["/purchases", "User purchases"],
  ["/coupons", "Coupon codes"],
  ["/credentials", "Credentials"],
] as const;

for (const [width, most] of [
  [1280, 330],
  [390, 300],
] as const)
  test(`the first row of each list begins at ${most} px or above, and one link of the navigation is marked, at ${width} px`, async ({
    shop,
    page,
  }) => {
    await page.setViewportSize({ width, height: 844 });
    const marked = page.getByRole("main").locator('[aria-selected="true"], a[aria-current="page"]');
    await signInAsNewUser(page);
    await buyPass(page, "canva", "7 Days");
    await openAsAdmin(shop, "/admin");
    for (const [path, table] of LISTS) {
      await shop.open(`/admin${path}`);
      const first = page.getByRole("table", { name: table }).locator("tbody tr").first();
      await expect(first).toBeVisible();
      const banner = await page.getByText("Test payments").first().boundingBox();
      const top = ((await first.boundingBox())?.y ?? most + 1) - ((banner?.y ?? 0) + (banner?.height ?? 0));
      expect(top, path).toBeLessThanOrEqual(most);
      await expect(marked.filter({ visible: true })).toHaveCount(1);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    }
    for (const name of ["Overview", "Settings", "Emails", "Audit log", "Health"]) {
      await page.getByRole("link", { name: new RegExp(`^${name}`) }).click();
      await expect(shop.heading(name)).toBeVisible();
      await expect(marked.filter({ visible: true })).toHaveText(new RegExp(`^${name}`));
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    }
  });

/** How much the outline of a button differs from its background, as WCAG measures it. */
const contrastOfOutline = (button: Locator) =>
  button.evaluate((element) => {
    const luminanceOf = (color: string) => {
      const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map((value) => {
        const part = Number(value) / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const { borderTopColor, backgroundColor } = getComputedStyle(element);
    // Only an opaque background is known here.
    if (!backgroundColor.startsWith("rgb(")) return 1;
    const [dark = 0, light = 0] = [borderTopColor, backgroundColor].map(luminanceOf).sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  });

test("the outline of the button for filters is visible on a phone, in both colour schemes", async ({
  shop,
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openAsAdmin(shop, "/admin/tools");
  const button = page.getByRole("button", { name: "Filters and order" });
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await expect.poll(() => contrastOfOutline(button), { message: colorScheme }).toBeGreaterThanOrEqual(3);
  }
});

test("a user gets the figures by no request", async ({ shop }) => {
  await signInAsNewUser(shop.page);
  const page = await shop.page.goto("/admin");
  expect(page?.status()).toBe(403);
  await expect(shop.heading("Admin Panel")).toBeVisible();
  const data = await shop.page.request.get("/admin.data");
  expect(data.status()).toBe(403);
  const acknowledged = await postForm(shop.page, "/admin", { intent: "acknowledge-resale" });
  expect(acknowledged.status()).toBe(403);
  for (const responseText of [await data.text(), (await page?.text()) ?? "", await acknowledged.text()]) {
    expect(responseText).not.toMatch(/totalUsers|totalRevenue|Total Revenue/);
  }
});

test("no page of the admin is stored by a cache or listed by a search engine", async ({ page }) => {
  const paths = [
    "",
    "/tools",
    "/access-codes",
    "/purchases",
    "/coupons",
    "/credentials",
    "/settings",
    "/audit",
  ];
  const expectPrivate = async () => {
    for (const path of [...paths.map((tab) => `/admin${tab}`), "/admin/login"]) {
      for (const address of [path, `${path}.data`]) {
        const headers = (await page.request.get(address)).headers();
        expect(headers["cache-control"], address).toContain("no-store");
        expect(headers["x-robots-tag"], address).toBe("noindex");
      }
    }
  };
  await expectPrivate();
  await becomeAdmin(page);
  await expectPrivate();
});

test("nobody can sign up with the email or the role of an admin", async ({ page }) => {
  const taken = await post(page, "/api/auth/sign-up/email", { email: ADMIN_EMAIL, password: PASSWORD });
  expect(taken.ok()).toBe(false);
  const { email } = await signInAsNewUser(page);
  const again = await post(page, "/api/auth/sign-up/email", {
    email: `second-${email}`,
    password: PASSWORD,
    role: "admin",
    isAdmin: true,
  });
  expect(again.ok()).toBe(true);
  expect((await page.request.get("/admin.data")).status()).toBe(403);
});
