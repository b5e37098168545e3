import { expect, type Page } from "@playwright/test";
import { expectAccessible } from "./accessibility.ts";
import { becomeAdmin } from "./admin-page.ts";
import { test } from "./fixtures.ts";
import { holdRequests } from "./hold-requests.ts";
import { expectReadableWithLargeText } from "./large-text.ts";
import { listMails, listPurchases, query, readStock } from "./shop-database.ts";
import { newEmail, PASSWORD, signInAsNewUser } from "./test-users.ts";

test.use({ isTranslated: true, showsGiveaway: true });

const popupOf = (page: Page) => page.getByRole("complementary", { name: "Daily giveaway" });
const claimIn = (page: Page) => page.getByRole("button", { name: "Claim the free pass for QuillBot" });

/** Today has no round yet: the round of the test before belongs to an earlier day. */
test.beforeEach(async ({ shop: _ }) => {
  await query(
    `update giveaway_rounds set starts_at = first.at - interval '1 day', ends_at = first.at
     from (select min(starts_at) as at from giveaway_rounds) as first where ends_at > now()`,
    [],
  );
  await query(
    `update settings set value = value || '{"giveawayToolSlug": "quillbot"}' where key = 'store'`,
    [],
  );
});

test("a visitor claims the giveaway on its page, signs up on the way, and opens the tool", async ({
  shop,
  page,
  openOtherBrowser,
}) => {
  const [email, stock] = [newEmail(), await readStock("quillbot")];
  await shop.open("/giveaway");
  await expect(page.getByText("Nobody has claimed it yet.")).toBeVisible();
  await expectAccessible(page, "giveaway");
  await claimIn(page).click();
  await shop.signIn.button("Create an Account").click();
  await shop.signIn.fill({ email, password: PASSWORD });
  await shop.signIn.button("Create Account").click();
  await expect(page.getByText(/^It’s yours\. Your pass runs until /).first()).toBeVisible();
  const masked = `${email[0]}•••@e•••.com`;
  const winners = page.getByRole("region", { name: "Past winners" }).getByRole("listitem");
  await expect(winners.filter({ hasText: masked }).filter({ hasText: "QuillBot" }).first()).toBeVisible();
  const visitor = await openOtherBrowser();
  await visitor.page.goto("/giveaway");
  await expect(visitor.page.getByText(`by ${masked}`)).toBeVisible();
  await expectAccessible(visitor.page, "giveaway over", "main");
  expect(await visitor.page.content()).not.toContain(email);
  await page.getByRole("link", { name: "Open QuillBot" }).click();
  await expect(shop.server("Server 1")).toBeVisible();
  expect(await listPurchases(email)).toEqual([
    { tool: "QuillBot", status: "completed", stock: "none", days: 1, amount: 0 },
  ]);
  expect(await readStock("quillbot")).toBe(stock);
  expect((await listMails(email)).map(({ subject }) => subject)).toEqual([
    "You won today’s giveaway: QuillBot",
  ]);
});

test("the popup gives the pass to the first who claims and tells the second who was faster, at 390 px", async ({
  shop,
  page,
  openOtherBrowser,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const other = await openOtherBrowser({
    viewport: { width: 390, height: 780 },
    isMobile: true,
    hasTouch: true,
  });
  const { email } = await signInAsNewUser(page);
  await signInAsNewUser(other.page);
  await shop.open("/");
  await test.step("with enlarged text on a phone the giveaway's page and its popup stay readable", async () => {
    await other.page.goto("/giveaway");
    await expectReadableWithLargeText(other.page, "giveaway large text", "main");
    await other.open("/");
    await expect(popupOf(other.page)).toBeVisible();
    const popup = "aside[aria-label='Daily giveaway']";
    await expectReadableWithLargeText(other.page, "giveaway popup large text", popup);
  });
  await expect(claimIn(page)).toBeVisible();
  await expect(claimIn(other.page)).toBeVisible();
  await expect(popupOf(page)).toContainText("QuillBot, free for 1 day");
  await claimIn(page).click();
  await expect(popupOf(page).getByRole("heading", { name: "It’s yours" })).toBeVisible();
  await claimIn(other.page).click();
  await expect(popupOf(other.page).getByRole("heading", { name: "Today’s pass is taken" })).toBeVisible();
  await expect(popupOf(other.page)).toContainText(`Claimed by ${email[0]}•••@e•••.com`);
  await popupOf(other.page).getByRole("link", { name: "Winners" }).click();
  await expect(other.page.getByText(/^Claimed at \d\d:\d\d by /)).toBeVisible();
  // The card of the tool on the page opens it now too.
  await expect(shop.card("QuillBot")).toContainText("Open");
  await popupOf(page).getByRole("link", { name: "Open QuillBot" }).click();
  await expect(shop.server("Server 1")).toBeVisible();
  await shop.open("/dashboard");
  await expect(shop.pass("QuillBot")).toContainText("1 Day");
  await expect(shop.pass("QuillBot")).toContainText("Free · Won in the daily giveaway · Receipt");
});

test("a giveaway that is taken does not pop up, and nothing comes in front of a new pass for 30 seconds, at 390 px", async ({
  shop,
  page,
  openOtherBrowser,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await signInAsNewUser(page);
  await page.clock.install();
  await shop.open("/shop/canva");
  await page.getByRole("main").getByRole("button", { name: "Get access to Canva" }).first().click();
  await shop.purchase.openGateway("₹49");
  await shop.purchase.gatewayButton("Pay").click();
  await shop.purchase.expectSuccess();
  await page.clock.runFor(2_500);
  await shop.purchase.expectToolPage("canva");
  // The home page has a giveaway and a chat.
  await page.getByRole("link", { name: "Daypass" }).first().click();
  await expect(shop.card("Canva")).toBeVisible();
  const label = page.getByText("Chat with us", { exact: true });
  await page.clock.runFor(17_000);
  await expect(popupOf(page)).toHaveCount(0);
  await expect(label).toHaveCount(0);
  await page.clock.runFor(12_000);
  await expect(popupOf(page)).toBeVisible();
  await expect(label).toBeAttached();
  // There is room for both on a computer.
  await expect(page.getByRole("complementary", { name: "Support" })).toBeVisible({ visible: false });
  await claimIn(page).click();
  await expect(popupOf(page).getByRole("heading", { name: "It’s yours" })).toBeVisible();

  const late = await openOtherBrowser();
  await late.page.clock.install();
  const asked = late.page.waitForResponse("**/giveaway/today");
  await late.open("/");
  await late.page.clock.runFor(4_000);
  await asked;
  await late.page.clock.runFor(4_000);
  await expect(popupOf(late.page)).toHaveCount(0);
});

test("the popup appears once a day, keeps the focus of the page, waits until nobody uses the page, and Escape closes it", async ({
  shop,
  page,
}) => {
  await shop.open("/");

  await test.step("the popup keeps the focus of the page, and Escape closes it", async () => {
    const signIn = shop.accountNav.getByRole("button", { name: "Get Started" });
    await signIn.focus();
    await expect(popupOf(page)).toBeVisible();
    await expect(signIn).toBeFocused();
    await expectAccessible(page, "giveaway popup", "aside[aria-label='Daily giveaway']");
    await page.keyboard.press("Escape");
    await expect(popupOf(page)).toHaveCount(0);
  });

  await test.step("it appears once a day", async () => {
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.clock.install();
    await shop.reload();
    await page.clock.runFor(10_000);
    await expect(popupOf(page)).toHaveCount(0);
    expect(asked).not.toContain("/giveaway/today");
    await page.clock.fastForward("25:00:00");
    await shop.reload();
  });

  await test.step("it waits until nobody types, no dialog is open, and the page rests near its top", async () => {
    const release = await holdRequests(page, "**/giveaway/today");
    const asked = page.waitForRequest("**/giveaway/today");
    const answered = page.waitForResponse("**/giveaway/today");
    await page.clock.runFor(4_000);
    await asked;
    await page.getByRole("searchbox").fill("Canva");
    release();
    await (await answered).finished();
    await page.clock.runFor(8_000);
    await expect(popupOf(page)).toHaveCount(0);
    await shop.choose("Canva");
    await expect(shop.signIn.root).toBeVisible();
    await page.clock.runFor(8_000);
    await expect(popupOf(page)).toHaveCount(0);
    await page.keyboard.press("Escape");
    await expect(shop.signIn.root).toHaveCount(0);
    expect(await page.evaluate(() => window.scrollY), "scrolled into the list").toBeGreaterThan(100);
    await page.clock.runFor(8_000);
    await expect(popupOf(page)).toHaveCount(0);
    await page.evaluate(
      () =>
        new Promise((resolve) => {
          addEventListener("scroll", resolve, { once: true });
          window.scrollTo(0, 0);
        }),
    );
    await page.clock.runFor(2_000);
    await page.keyboard.press("Shift");
    await page.clock.runFor(2_000);
    await expect(popupOf(page)).toHaveCount(0);
    await page.clock.runFor(3_000);
    await expect(popupOf(page)).toBeVisible();
    await claimIn(page).focus();
    await page.keyboard.press("Escape");
    await expect(popupOf(page)).toHaveCount(0);
    await expect(page.locator("#content")).toBeFocused();
  });

  await test.step("an admin gets none", async () => {
    await becomeAdmin(page);
    await page.clock.fastForward("25:00:00");
    await shop.reload();
    await page.clock.runFor(10_000);
    await expect(popupOf(page)).toHaveCount(0);
    await page.goto("/giveaway");
    await expect(page.getByText("Admins can’t take part.")).toBeVisible();
    await expect(claimIn(page)).toHaveCount(0);
  });

  await test.step("without a tool there is no giveaway", async () => {
    await page.context().clearCookies();
    await query("update settings set value = value - 'giveawayToolSlug' where key = 'store'", []);
    await page.goto("/giveaway");
    await expect(shop.heading("No giveaway today")).toBeVisible();
    await page.clock.fastForward("25:00:00");
    const answered = page.waitForResponse("**/giveaway/today");
    await shop.open("/");
    await page.clock.runFor(4_000);
    await (await answered).finished();
    await expect(popupOf(page)).toHaveCount(0);
  });
});

test("a giveaway of a tool that only a computer can use does not pop up on a phone, however wide, and does on a computer", async ({
  openOtherBrowser,
}) => {
  const open = async (userAgent: string, width: number) => {
    const other = await openOtherBrowser({ userAgent, viewport: { width, height: 740 } });
    const answered = other.page.waitForResponse("**/giveaway/today");
    await other.open("/");
    await (await answered).finished();
    return other.page;
  };
  const phone = await open(
    "Mozilla/5.0 (Linux; Android 16; Pixel 9) Chrome/140.0.0.0 Mobile Safari/537.36",
    1024,
  );
  // Remembered, so that the phone does not ask again today.
  await phone.waitForFunction(() => localStorage.getItem("giveaway-shown-until") !== null);
  await expect(popupOf(phone)).toHaveCount(0);
  const computer = await open("Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0 Safari/537.36", 390);
  await expect(popupOf(computer)).toBeVisible();
});
