import { expect } from "@playwright/test";
import { expectAccessible } from "./accessibility.ts";
import { listCodes } from "./demo-catalogue.ts";
import { test } from "./fixtures.ts";
import { expirePasses, setStepsOfUse } from "./shop-database.ts";
import { buyPass, connectDevice, signInAsNewUser } from "./test-users.ts";

/** The browser sends its language with each request. */
test.use({ locale: "hi-IN" });

const DATE = /\d\d\/\d\d\/\d\d/.source;

// A difference between the server's page and the browser's is an error in the console, which fails a journey.
test("a buyer whose browser prefers Hindi reads the pages of a pass in Hindi, gets its code and reports it", async ({
  shop,
  page,
}) => {
  test.slow();
  const { email } = await signInAsNewUser(page);
  await buyPass(page, "chatgpt", "30 Days");
  await connectDevice(page);
  const row = page
    .getByRole("list", { name: "सर्वर" })
    .getByRole("listitem")
    .filter({ has: page.getByRole("heading", { name: "Server 1", exact: true }) });

  await test.step("the dashboard is in Hindi, with what the shop itself calls a duration", async () => {
    await shop.open("/dashboard");
    await expect(page).toHaveTitle("डैशबोर्ड · Daypass");
    await expect(shop.heading("मेरे टूल")).toBeVisible();
    const pass = shop.pass("ChatGPT Pro");
    await expect(pass).toContainText(new RegExp(`30 दिन.*चालू.*${DATE} को खत्म.*30 दिन बाकी`));
    await expect(pass).toContainText(new RegExp(`${DATE} को ₹449 दिए`));
    const renew = pass.getByRole("link", { name: new RegExp(`^ChatGPT Pro का पास रिन्यू करें ${DATE} से$`) });
    await expect(renew).toBeVisible();
    await expect(pass).not.toContainText(/Days|Ends|left|Paid|Receipt|Renew|Open/);
    await page.getByRole("button", { name: "ठीक है!" }).click();
    await expectAccessible(page, "dashboard in Hindi");
  });
  await test.step("a device is removed after a question in Hindi", async () => {
    const devices = page.getByRole("region", { name: "डिवाइस" });
    await expect(devices).toContainText("एक्सटेंशन 2 में से 1 ब्राउज़र में है।");
    await expect(devices).toContainText("आज इस्तेमाल हुआ");
    await devices.getByRole("button", { name: "Chrome on Linux का नाम बदलें" }).click();
    await devices.getByLabel("डिवाइस का नाम").fill(" ");
    await devices.getByRole("button", { name: "सेव करें" }).click();
    await expect(devices.getByRole("alert")).toHaveText("नाम भरें।");
    await page.keyboard.press("Escape");
    await devices.getByRole("button", { name: "Chrome on Linux हटाएँ" }).click();
    const question = page.getByRole("dialog", { name: "Chrome on Linux हटाएँ?" });
    await expect(question).toContainText("आप 30 दिन में 2 और ब्राउज़र हटा सकते हैं।");
    await expect(question.getByRole("button", { name: "रद्द करें" })).toBeVisible();
    await question.getByRole("button", { name: "हटाएँ", exact: true }).click();
    await expect(devices).toHaveCount(0);
  });
  await test.step("the order and the account are in Hindi", async () => {
    await shop.pass("ChatGPT Pro").getByRole("link", { name: "ChatGPT Pro की रसीद" }).click();
    await expect(page).toHaveTitle("ChatGPT Pro की रसीद · Daypass");
    const receipt = page.getByRole("main");
    await expect(receipt).toContainText(/पास की अवधि.* से .* तक/);
    await expect(receipt).toContainText("पेमेंट: UPI (टेस्ट पेमेंट)");
    await expect(receipt).toContainText("टेस्ट खरीदारी: कोई पैसा नहीं कटा।");
    await receipt.getByRole("link", { name: "सभी ऑर्डर" }).click();
    await expect(shop.heading("अकाउंट")).toBeVisible();
    await expect(page.getByRole("list", { name: "ऑर्डर" })).toContainText(/30 दिन.*चालू/);
    await expect(page.getByRole("list", { name: "ब्राउज़र" })).toContainText(/ पर .*यह ब्राउज़र/);
    await page.getByLabel("आपका नाम").fill("आशा");
    await page.getByRole("button", { name: "नाम सेव करें" }).click();
    await expect(page.getByText("आपका नाम सेव हो गया है।")).toBeVisible();
  });
  await test.step("the tool page is in Hindi, and has the code only after a press", async () => {
    const response = await page.request.get("/tools/chatgpt");
    const codes = listCodes("chatgpt").map(({ simpleCode }) => simpleCode);
    for (const code of codes) expect(await response.text()).not.toContain(code);
    await shop.open("/tools/chatgpt");
    await expect(page.getByRole("list", { name: "ChatGPT Pro कैसे इस्तेमाल करें" })).toContainText(
      "किसी सर्वर के आगे “कोड देखें” दबाएँ और कोड कॉपी करें।",
    );
    await expect(row.getByText("तैयार", { exact: true })).toBeVisible();
    await row.getByRole("button", { name: "कोड देखें" }).click();
    const code = row.getByLabel("Server 1 का कोड");
    await expect(code).toBeVisible();
    expect(codes).toContain(await code.inputValue());
    await expectAccessible(page, "tool page in Hindi");
    await row.getByRole("button", { name: "कोड छिपाएँ" }).click();
    await expect(code).toHaveCount(0);
  });
  await test.step("the owner’s steps are in Hindi, and none are shown when the tool has none any more", async () => {
    await buyPass(page, "canva", "7 Days");
    await shop.open("/tools/canva");
    const steps = page.getByRole("list", { name: "Canva कैसे इस्तेमाल करें" }).getByRole("listitem");
    const inHindi = /“कोड देखें” दबाएँ, कोड कॉपी करें और उसे इनवाइट कोड की जगह डालें।$/;
    await expect(steps.nth(1)).toHaveText(inHindi);
    const demo = await setStepsOfUse("canva", []);
    try {
      await shop.reload();
      await expect(steps).toHaveText([/Canva खोलें/, /“कोड देखें” दबाएँ और कोड कॉपी करें।/, /^3/]);
    } finally {
      await setStepsOfUse("canva", demo);
    }
    await shop.open("/tools/chatgpt");
  });
  await test.step("its code is reported, and the row says what to do meanwhile", async () => {
    await row.getByRole("button", { name: "यह कोड काम नहीं कर रहा" }).click();
    await row
      .getByRole("group", { name: "इस कोड की रिपोर्ट करें? हमें खबर मिल जाएगी।" })
      .getByRole("button", { name: "रिपोर्ट करें" })
      .click();
    await expect(row.getByText("रिपोर्ट किया गया", { exact: true })).toBeVisible();
    await expect(row.getByText("रिपोर्ट भेज दी गई। अभी के लिए Server 2 इस्तेमाल करें।")).toBeVisible();
  });
  await test.step("when the pass ends, its page says so in Hindi", async () => {
    await expirePasses(email, new Date("2026-11-12T10:00:00Z"));
    await shop.reload();
    await expect(shop.heading("पास ज़रूरी है")).toBeVisible();
    await expect(page.getByText("आपका ChatGPT Pro का पास 12/11/26 को खत्म हो गया।")).toBeVisible();
    await expect(page.getByRole("button", { name: "ChatGPT Pro का पास रिन्यू करें" })).toBeVisible();
  });
});
