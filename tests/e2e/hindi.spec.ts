import { type BrowserContextOptions, expect, type Page } from "@playwright/test";
import { LANGUAGE_CODES, LANGUAGES } from "#languages/languages.ts";
import { expectAccessible } from "./accessibility.ts";
import { becomeAdmin, expectBanner, openAsAdmin, pressRowAction } from "./admin-page.ts";
import { test } from "./fixtures.ts";
import { expectReadableWithLargeText } from "./large-text.ts";
import { listMails, readSettings, restoreSettings } from "./shop-database.ts";
import type { ShopPage } from "./shop-page.ts";
import { post, signInAsNewUser } from "./test-users.ts";

/** A browser sends its language with each request. */
const HINDI_PHONE: BrowserContextOptions = { locale: "hi-IN", viewport: { width: 390, height: 844 } };
const HEADLINE = {
  en: "Premium tools, for just the days you need.",
  hi: "प्रीमियम टूल, बस उतने दिन जितने चाहिए।",
};

/** The page in one language: its `lang`, its title, and its headline. */
async function expectHome(page: Page, language: keyof typeof HEADLINE): Promise<void> {
  await expect(page.locator("html")).toHaveAttribute("lang", `${language}-IN`);
  await expect(page).toHaveTitle(`Daypass · ${HEADLINE[language].replace(/[.।]$/, "")}`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(HEADLINE[language]);
}

const switchTo = (page: Page, name: "English" | "हिन्दी") =>
  page.getByRole("contentinfo").getByRole("button", { name, exact: true }).click();

/** The button of a card, on the home page and on the tool's own. */
const getAccess = ({ page }: ShopPage, language: keyof typeof HEADLINE) =>
  page.getByRole("main").getByRole("button", {
    name: language === "en" ? "Get access to Canva" : "Canva का पास लें",
    exact: true,
  });

// A difference between the server's page and the browser's is an error in the console, which fails a journey.
test("a phone that prefers Hindi gets the shop in Hindi, and in English once that was chosen", async ({
  openOtherBrowser,
}) => {
  const shop = await openOtherBrowser(HINDI_PHONE);
  const { page } = shop;
  await test.step("the home page is in Hindi, with what its owner sells, and a name in Latin letters is marked as English", async () => {
    await shop.open("/");
    await expectHome(page, "hi");
    await expect(shop.card("Canva")).toContainText("बैकग्राउंड हटाने की सुविधा");
    await expect(shop.card("Canva").getByRole("heading", { level: 3 })).toHaveAttribute("lang", "en");
    await expect(shop.card("ग्रामर चेकर").getByRole("heading", { level: 3 })).not.toHaveAttribute("lang", "en");
    await expect(shop.card("Canva")).toContainText("7 दिन");
    await expect(shop.card("Canva")).toContainText("सबसे किफ़ायती");
    await expect(page.getByText("Get access")).toHaveCount(0);
    await expectAccessible(page, "home in Hindi");
  });
  await test.step("the search knows the categories by their names in Hindi", async () => {
    const search = page.getByRole("searchbox", { name: "टूल खोजें" });
    await search.fill("स्ट्रीमिंग");
    await expect(shop.cards).toHaveCount(2);
    for (const name of ["grammar", "ग्रामर", "punctuation"]) {
      await search.fill(name);
      await expect(shop.card("ग्रामर चेकर")).toBeVisible();
    }
    await search.fill("ज़ेब्राक्स");
    await expect(page.getByText("“ज़ेब्राक्स” से कोई टूल नहीं मिला।")).toBeVisible();
    await page.getByRole("button", { name: "सभी टूल दिखाएँ" }).click();
    await expect(shop.cards).toHaveCount(12);
  });
  await test.step("the button of a card leads on, and the page of a tool is in Hindi", async () => {
    await getAccess(shop, "hi").click();
    await expect(page.getByRole("dialog")).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await shop
      .card("Canva")
      .getByRole("link", { name: /^Canva: / })
      .click();
    await expect(page).toHaveTitle("Canva ₹49 से शुरू · Daypass");
    await expect(page.getByText("सबसे किफ़ायती", { exact: true })).toBeVisible();
    await expect(page.getByRole("heading", { name: "पास कैसे काम करता है" })).toBeVisible();
  });
  await test.step("the switch of the footer loads the same page in English", async () => {
    await switchTo(page, "English");
    await shop.waitForHydration();
    await expect(page).toHaveURL(/\/shop\/canva$/);
    await expect(page.locator("html")).toHaveAttribute("lang", "en-IN");
    await expect(getAccess(shop, "en")).toBeVisible();
  });
  await test.step("English stays after a reload and on another page", async () => {
    await shop.reload();
    await expect(getAccess(shop, "en")).toBeVisible();
    await page.getByRole("banner").getByRole("link", { name: "Daypass" }).click();
    await expectHome(page, "en");
    await shop.open("/?q=canva");
    await expect(getAccess(shop, "en")).toBeVisible();
  });
  await test.step("the switch leads back to Hindi, with the search", async () => {
    await switchTo(page, "हिन्दी");
    await shop.waitForHydration();
    await expect(page).toHaveURL(/\/\?q=canva$/);
    await expectHome(page, "hi");
    await expect(shop.cards).toHaveCount(1);
  });
});

test("the owner writes the texts of a tool and of a page in Hindi beside the English ones, and buyers read them", async ({
  shop,
  page,
  openOtherBrowser,
}) => {
  const buyer = await openOtherBrowser(HINDI_PHONE);
  const form = page.getByRole("dialog", { name: "Edit Tool" });
  const openForm = async () => {
    await pressRowAction(page.getByRole("table", { name: "Tools" }), "Edit");
    await form.locator("summary", { hasText: "Texts in Hindi" }).click();
  };
  const save = () =>
    expectBanner(page, "Tool updated.", () => form.getByRole("button", { name: "Update Tool" }).click());
  await openAsAdmin(shop, "/admin/tools?q=udemy");

  await test.step("the form says which text is missing, and refuses one that is too long", async () => {
    await openForm();
    await expect(
      form.getByText("Thousands of courses for one price.", { exact: false }).last(),
    ).toBeVisible();
    await expect(form.getByText("Hindi missing")).toHaveCount(0);
    await form.getByLabel("Description in Hindi").fill("");
    await expect(form.getByText("Hindi missing")).toHaveCount(1);
    await form.getByLabel("Tool Name in Hindi").fill("क".repeat(81));
    await form.locator("summary", { hasText: "Texts in Hindi" }).click();
    await expect(form.getByLabel("Tool Name in Hindi")).toBeHidden();
    await form.getByRole("button", { name: "Update Tool" }).click();
    await expect(form.getByText("At most 80 characters.")).toBeVisible();
    await expect(form.getByLabel("Tool Name in Hindi")).toBeFocused();
    await expectAccessible(page, "texts of a tool in Hindi", "[role=dialog]");
    await form.getByLabel("Tool Name in Hindi").fill("यूडेमी कोर्स");
    await save();
  });
  await test.step("the list finds the tool by what is missing", async () => {
    await shop.open("/admin/tools");
    await page.getByLabel("Texts", { exact: true }).selectOption("Hindi missing");
    const rows = page.getByRole("table", { name: "Tools" }).getByRole("row");
    await expect(rows).toHaveCount(2);
    await expect(rows.last()).toContainText("Udemy");
  });
  await test.step("a buyer reads the new name, finds the tool by both, and gets the missing text in English", async () => {
    await buyer.open("/");
    const card = buyer.card("यूडेमी कोर्स");
    await expect(card.locator("[lang=en]")).toHaveText(["Thousands of courses for one price."]);
    for (const name of ["udemy", "यूडेमी"]) {
      await buyer.page.getByRole("searchbox", { name: "टूल खोजें" }).fill(name);
      await expect(buyer.cards).toHaveCount(1);
      await expect(card).toBeVisible();
    }
    // The icon of the brand, which goes by the English name.
    await expect(card.locator(".logo-tile svg path")).toHaveCount(1);
  });
  await test.step("what is not opened stays as it is, and an emptied name is the English one again", async () => {
    await openForm();
    await form.getByLabel("Tool Name in Hindi").fill("");
    await form.getByLabel("Description in Hindi").fill("एक दाम में हज़ारों कोर्स।");
    await save();
    await shop.open("/admin/tools?q=udemy");
    await pressRowAction(page.getByRole("table", { name: "Tools" }), "Edit");
    await save();
    await buyer.open("/shop/udemy");
    await expect(buyer.page.getByRole("heading", { level: 1 })).toHaveText("Udemy");
    await expect(buyer.page.getByText("एक दाम में हज़ारों कोर्स।").first()).toBeVisible();
    await expect(buyer.page.getByText("हर विषय के हज़ारों कोर्स")).toBeVisible();
  });
  await test.step("a page of the shop has its text in Hindi in the settings", async () => {
    const before = await readSettings();
    try {
      await shop.open("/admin/settings");
      await page.getByLabel("Contact in Hindi").fill("पुणे में हमें लिखें।");
      await expectBanner(page, "Settings saved.", () =>
        page.getByRole("button", { name: "Save Settings" }).click(),
      );
      await buyer.open("/contact");
      await expect(buyer.page.getByText("पुणे में हमें लिखें।")).toBeVisible();
    } finally {
      await restoreSettings(before);
    }
  });
});

test("the page of user data and the test checkout are in Hindi", async ({ openOtherBrowser }) => {
  const shop = await openOtherBrowser(HINDI_PHONE);
  const { page } = shop;
  await shop.open("/test-user-data");
  await expect(page.getByText("यूज़र डेटा देखने के लिए साइन इन करें।")).toBeVisible();
  const { email } = await signInAsNewUser(page);
  await shop.reload();
  await expect(page.getByRole("heading", { name: "आपकी प्रोफ़ाइल" })).toBeVisible();
  await expect(page.getByText(email).last()).toBeVisible();
  await expectAccessible(page, "user data in Hindi");
  await shop.open("/shop/canva");
  await getAccess(shop, "hi").click();
  const sheet = page.getByRole("dialog", { name: "Canva" });
  await sheet.getByRole("button", { name: "₹49 पे करें" }).click();
  const checkout = page.frameLocator("iframe[title='टेस्ट पेमेंट']");
  await expect(checkout.locator("html")).toHaveAttribute("lang", "hi-IN");
  await expect(checkout.getByRole("heading", { level: 1 })).toHaveText("₹49 पे करें");
  await checkout.getByRole("button", { name: "फ़ेल करें" }).click();
  await expect(checkout.getByRole("status")).toHaveText("बैंक ने पेमेंट मंज़ूर नहीं किया।");
  await checkout.getByRole("button", { name: "पे करें", exact: true }).click();
  await expect(page.getByText("पेमेंट हो गया").first()).toBeVisible();
});

test("the page of a tool with a name in Hindi sells the pass that it needs", async ({ openOtherBrowser }) => {
  const shop = await openOtherBrowser(HINDI_PHONE);
  const { page } = shop;
  await shop.open("/");
  await signInAsNewUser(page);
  await shop.open("/tools/aihumanizer");
  await expect(page.getByText("इसके लिए AI ह्यूमनाइज़र का चालू पास चाहिए।")).toBeVisible();
  await page.getByRole("main").getByRole("button", { name: "AI ह्यूमनाइज़र का पास लें" }).click();
  const sheet = page.getByRole("dialog", { name: "AI ह्यूमनाइज़र" });
  await expect(sheet.getByRole("button", { name: "₹99 पे करें" })).toBeVisible();
});

test("a page loads the texts of its own language only, once, and its footer offers the other languages", async ({
  openOtherBrowser,
}) => {
  for (const language of LANGUAGE_CODES) {
    const { tag } = LANGUAGES[language];
    const { page } = await openOtherBrowser({ locale: tag });
    const loaded: string[] = [];
    page.on("request", (request) => {
      if (/\/screens-.+\.json$/.test(request.url())) loaded.push(request.url());
    });
    await page.goto("/");
    await expect(page.locator("html")).toHaveAttribute("lang", tag);
    await expect(page.getByRole("contentinfo").locator("button[name=language]")).toHaveText(
      LANGUAGE_CODES.filter((one) => one !== language).map((one) => LANGUAGES[one].name),
    );
    await page.waitForLoadState("networkidle");
    expect(loaded, language).toHaveLength(language === "en" ? 0 : 1);
    await expect(page.locator("link[rel=preload][as=fetch]")).toHaveCount(loaded.length);
  }
});

test("the public pages are readable in Hindi with large text too", async ({ openOtherBrowser }) => {
  const shop = await openOtherBrowser({ ...HINDI_PHONE, hasTouch: true, isMobile: true });
  for (const path of ["/", "/shop/canva", "/shop/udemy", "/giveaway"]) {
    await shop.open(path);
    await expectReadableWithLargeText(shop.page, `${path.slice(1).replace("/", " ")} in Hindi`);
  }
});

test("the shop without scripts is in Hindi too, and the language can be switched", async ({
  openOtherBrowser,
}) => {
  const { page } = await openOtherBrowser({ ...HINDI_PHONE, javaScriptEnabled: false });
  await page.goto("/");
  await expectHome(page, "hi");
  await expect(page.getByText(/JavaScript चालू होना चाहिए।$/)).toBeVisible();
  await switchTo(page, "English");
  await expectHome(page, "en");
  await page.locator("#tools [data-ticket]", { hasText: "Canva" }).click();
  await expect(page.getByRole("heading", { name: "How a pass works" })).toBeVisible();
  await switchTo(page, "हिन्दी");
  await expect(page).toHaveURL(/\/shop\/canva$/);
  await expect(page.getByRole("heading", { name: "पास कैसे काम करता है" })).toBeVisible();
});

test("mails are in the language of the account, whoever asks for them, and follow the switch", async ({
  openOtherBrowser,
  newClient,
}) => {
  const headers = { "accept-language": "hi-IN,hi;q=0.9,en;q=0.8" };
  const shop = await openOtherBrowser({ ...HINDI_PHONE, extraHTTPHeaders: headers });
  const { page } = shop;
  await shop.open("/");
  const { email } = await signInAsNewUser(page);
  const visitor = await newClient();
  const askForMail = () => post(visitor, "/api/auth/request-password-reset", { email });
  const subjects = async () => (await listMails(email)).map(({ subject }) => subject).sort();
  await askForMail();
  expect(await subjects()).toEqual(["नया पासवर्ड बनाएँ"]);
  await switchTo(page, "English");
  await expectHome(page, "en");
  await askForMail();
  expect(await subjects()).toEqual(["Set a new password", "नया पासवर्ड बनाएँ"]);
});

test("a browser that prefers English gets English, also when it knows Hindi as well", async ({
  shop,
  page,
  openOtherBrowser,
}) => {
  await shop.open("/");
  await expectHome(page, "en");
  const other = await openOtherBrowser({
    extraHTTPHeaders: { "accept-language": "en-IN,en;q=0.9,hi;q=0.8" },
  });
  await other.open("/");
  await expectHome(other.page, "en");
});

test("the admin area is in English in a browser that prefers Hindi, also after a page in Hindi", async ({
  openOtherBrowser,
}) => {
  const shop = await openOtherBrowser({ locale: "hi-IN" });
  const { page } = shop;
  const expectEnglish = async () => {
    await expect(page.locator("html")).toHaveAttribute("lang", "en-IN");
    await expect(shop.heading("Admin Dashboard")).toBeVisible();
    await page.getByRole("tab", { name: /^Tools Management/ }).click();
    await page.getByRole("button", { name: "+ Add Tool" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Close", exact: true }).click();
    await expect(page.getByRole("dialog")).toHaveCount(0);
  };
  await shop.open("/admin/login");
  await expect(page.locator("html")).toHaveAttribute("lang", "en-IN");
  await becomeAdmin(page);
  await test.step("when it is opened by its address", async () => {
    await shop.open("/admin");
    await expectEnglish();
  });
  await test.step("when it is reached by a link of the shop", async () => {
    await shop.open("/");
    await expectHome(page, "hi");
    await page.getByRole("banner").getByRole("link", { name: "एडमिन" }).click();
    await expectEnglish();
  });
});
