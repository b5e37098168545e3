import { expect, type Locator } from "@playwright/test";
import { expectAccessible } from "./accessibility.ts";
import { test } from "./fixtures.ts";
import { countCaptures } from "./shop-database.ts";
import { readSuccessPanel } from "./success-panels.ts";
import { newEmail, PASSWORD, signInAsNewUser } from "./test-users.ts";

test.use({
  locale: "hi-IN",
  viewport: { width: 360, height: 740 },
  hasTouch: true,
  isMobile: true,
  userAgent:
    "Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36",
});

/** Words in Latin letters, which are in English unless they are names. */
const LATIN_WORDS = /[A-Za-z]{3,}/g;

/** The part and its labels are in Hindi, except for names and what somebody has typed. */
async function expectHindi(part: Locator, ...names: string[]): Promise<void> {
  await expect(part).toContainText(/\p{Script=Devanagari}/u);
  const texts = await part.evaluate((root) => [
    root instanceof HTMLElement ? root.innerText : "",
    ...[root, ...root.querySelectorAll("*")].flatMap((element) =>
      ["aria-label", "title", "placeholder"].map((name) => element.getAttribute(name) ?? ""),
    ),
  ]);
  const words = texts.join("\n").match(LATIN_WORDS) ?? [];
  expect(words.filter((word) => !names.includes(word))).toEqual([]);
}

test("a buyer on a phone reads Hindi from the account to the pass, also where something is refused", async ({
  shop,
  page,
  newClient,
}) => {
  const { purchase } = shop;
  const { root: sheet } = purchase;
  const known = await signInAsNewUser(await newClient());
  const email = newEmail();
  const button = (name: string) => sheet.getByRole("button", { name, exact: true });
  const field = (name: string) => sheet.getByLabel(name, { exact: true });
  const account = sheet.getByRole("region", { name: "आपका Daypass अकाउंट" });
  await shop.open("/");
  await expect(page.locator("html")).toHaveAttribute("lang", "hi-IN");
  await shop.card("Canva").getByRole("button").tap();

  await test.step("the sheet of a tool asks for the account, and says on what the tool works", async () => {
    await expect(purchase.option("7 दिन")).toBeChecked();
    await expect(sheet.getByText("आपके फ़ोन पर चलेगा")).toBeInViewport({ ratio: 1 });
    await expect(sheet.getByText("आपको क्या मिलेगा: 7 फ़ीचर")).toBeVisible();
    await expectHindi(account, "Daypass");
    await expectAccessible(page, "hindi account", "[role=dialog]");
  });
  await test.step("empty fields, an email in use and a wrong password are answered in Hindi", async () => {
    await button("नया अकाउंट बनाएँ").tap();
    await expect(sheet.getByText("कृपया सही ईमेल पता भरें।")).toBeVisible();
    await expect(sheet.getByText("कृपया अपना पासवर्ड भरें।")).toBeVisible();
    await field("ईमेल").fill(known.email);
    await field("पासवर्ड").fill(`${PASSWORD}-wrong`);
    await button("नया अकाउंट बनाएँ").tap();
    await expect(sheet.getByText("इस ईमेल से अकाउंट पहले से बना है। साइन इन करके देखें।")).toBeVisible();
    await button("साइन इन करके देखें").tap();
    await expect(sheet.getByText("पासवर्ड गलत है। कृपया फिर कोशिश करें।")).toBeVisible();
    await expect(button("साइन इन में दिक्कत?")).toBeVisible();
    await expectHindi(account, "Daypass");
  });
  await test.step("the password is asked for again in Hindi", async () => {
    await button("पासवर्ड भूल गए?").tap();
    await expect(sheet.getByRole("heading", { name: "पासवर्ड रीसेट करें" })).toBeVisible();
    await expectHindi(account, "WhatsApp", "Daypass");
    await button("वापस जाएँ").tap();
  });
  await test.step("a new account leads to the bill, which is in Hindi", async () => {
    await sheet.getByRole("radio", { name: "नया अकाउंट" }).check();
    await field("ईमेल").fill(email);
    await field("पासवर्ड").fill(PASSWORD);
    await button("नया अकाउंट बनाएँ").tap();
    await expect(button("₹49 पे करें")).toBeInViewport({ ratio: 1 });
    await expect(sheet.getByText(`अकाउंट: ${email}`)).toBeVisible();
    await expectHindi(sheet.locator("dl"));
    await expectHindi(sheet.getByText("टेस्ट पेमेंट").locator(".."));
  });
  await test.step("an invalid coupon is refused in Hindi, and the refusal is not covered", async () => {
    await button("कूपन है?").tap();
    await sheet.getByRole("textbox", { name: "कूपन कोड", exact: true }).fill("NOPE");
    await button("लगाएँ").tap();
    const refusal = sheet.getByText("कूपन कोड गलत है");
    await expect(refusal).toBeVisible();
    // The vowel signs below the line are the lowest part.
    await expect
      .poll(() =>
        refusal.evaluate((element) => {
          const { left, bottom } = element.getBoundingClientRect();
          return element.contains(document.elementFromPoint(left + 5, bottom - 2));
        }),
      )
      .toBe(true);
    await expectAccessible(page, "hindi bill", "[role=dialog]");
  });
  await test.step("a payment window that is closed, and one in which the bank declines, are explained in Hindi", async () => {
    await button("₹49 पे करें").tap();
    await purchase.gatewayButton("Close").tap();
    await expect(sheet.getByText("आपने पेमेंट की विंडो बंद कर दी।")).toBeVisible();
    await expect(sheet.getByText("कोई पैसा नहीं कटा।")).toBeVisible();
    await button("₹49 पे करें").tap();
    await purchase.gatewayButton("Fail").tap();
    await purchase.gatewayButton("Close").tap();
    await expect(sheet.getByText("पेमेंट नहीं हुआ। कृपया फिर कोशिश करें।")).toBeVisible();
  });
  await test.step("the payment turns the sheet into the pass, and the pass leads to the tool", async () => {
    await button("₹49 पे करें").tap();
    await purchase.gatewayButton("Pay").tap();
    await expect.poll(async () => (await readSuccessPanel(page))?.title).toBe("पेमेंट हो गया");
    const { text = "" } = (await readSuccessPanel(page)) ?? {};
    for (const part of ["₹49 का पेमेंट हुआ। आपका पास तैयार है।", "7 दिन", "चालू", "तक चलेगा", "ऑर्डर नंबर", "कोड देखें"])
      expect(text).toContain(part);
    await purchase.expectToolPage("canva");
    await expect(page.locator("html")).toHaveAttribute("lang", "hi-IN");
  });
  expect(await countCaptures(email)).toBe(1);
  await test.step("a buyer who has the pass reads so in Hindi", async () => {
    await shop.open("/");
    await page.evaluate(() =>
      window.dispatchEvent(
        new CustomEvent("openPaymentModal", { detail: { name: "Canva", slug: "canva", price: 49 } }),
      ),
    );
    const panel = sheet.getByRole("status").filter({ hasText: "इस टूल का आपका पास पहले से चालू है!" });
    await expect(panel.getByRole("link", { name: "Canva खोलें", exact: true })).toBeVisible();
    await expectHindi(panel, "Canva");
  });
});

test("the pages of the account and the troubleshooter are in Hindi", async ({ shop, page }) => {
  const main = page.getByRole("main");
  for (const [path, title] of [
    ["/sign-in", "साइन इन करें"],
    ["/sign-up", "नया अकाउंट"],
    ["/forgot-password", "पासवर्ड रीसेट करें"],
    ["/reset-password?token=used", "नया पासवर्ड बनाएँ"],
  ] as const) {
    await shop.open(path);
    await expect(page).toHaveTitle(`${title} · Daypass`);
    await expect(main.getByRole("heading", { level: 1, name: title, exact: true })).toBeVisible();
    await expectHindi(main, "WhatsApp");
  }
  await shop.open("/sign-in");
  await main.getByLabel("ईमेल").fill(newEmail());
  await main.getByLabel("पासवर्ड").fill(PASSWORD);
  await main.getByRole("button", { name: "साइन इन करें" }).tap();
  await expect(main.getByText("इस ईमेल से कोई अकाउंट नहीं मिला। ईमेल जाँच लें या नया अकाउंट बनाएँ।")).toBeVisible();
  await main.getByRole("button", { name: "साइन इन में दिक्कत?" }).tap();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "जाँच शुरू करें" }).tap();
  await expect(dialog.getByText("यहाँ ऐसा कुछ नहीं है जो साइन इन रोके।")).toBeVisible();
  await dialog.getByRole("button", { name: "Google साइन इन जाँचें" }).tap();
  await expect(dialog.getByRole("list", { name: "Google की जाँच" })).toBeVisible();
  await expectHindi(dialog, "Google", "WhatsApp");
  await expectAccessible(page, "hindi troubleshooter", "[role=dialog]");
});
