import { expect } from "@playwright/test";
import { test } from "./fixtures.ts";
import { setWorksOn } from "./shop-database.ts";
import { buyPass, signInAsNewUser } from "./test-users.ts";

const PIXEL = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
  userAgent:
    "Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36",
};

test("on a phone Click says at once that the extension cannot be there, and neither fetches nor copies", async ({
  openOtherBrowser,
}) => {
  const phone = await openOtherBrowser(PIXEL);
  const { page } = phone;
  await signInAsNewUser(page);
  await buyPass(page, "canva", "7 Days");
  await page.addInitScript(() => {
    const copied: unknown[] = Object.assign(window, { copied: [] }).copied;
    navigator.clipboard.writeText = async (text) => void copied.push(text);
  });
  await phone.open("/tools/canva");
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST") asked.push(request.url());
  });
  const row = phone.server("Server 1");
  await row.getByRole("button", { name: "Click" }).tap();
  await expect(
    row.getByText(
      "Click needs the browser extension, which isn’t available on phones and tablets. Show code works without it.",
    ),
  ).toBeVisible();
  await expect(row.getByRole("button", { name: "Click" })).toBeEnabled();
  expect(asked).toEqual([]);
  expect(await page.evaluate(() => Reflect.get(window, "copied"))).toEqual([]);
});

test("a tool for computers says so on its card, before a phone pays, and on the pass and its page", async ({
  openOtherBrowser,
}) => {
  const phone = await openOtherBrowser(PIXEL);
  const { page } = phone;
  await signInAsNewUser(page);
  await phone.open("/");
  const warning =
    "ChatGPT Pro does not work on phones and tablets. It needs a computer with our browser extension.";
  await expect(phone.card("ChatGPT Pro").getByText("Laptop · Needs extension")).toBeVisible();
  await phone.openPurchase("ChatGPT Pro");
  const { root: dialog } = phone.purchase;
  await expect(dialog.getByText(`${warning} You can still buy it here and use it there.`)).toBeVisible();
  await expect(dialog.getByText("Needs extension")).toBeVisible();
  await expect(dialog.getByRole("button", { name: /^Pay/ })).toBeEnabled();
  await expect(dialog.getByRole("button", { name: /^Pay/ })).toBeInViewport();
  await expect(dialog.getByText("Needs a computer: not for phones and tablets.")).toBeInViewport();
  // What the shop says about a code is not below the bar that stays at the bottom.
  await phone.purchase.openCoupon();
  await phone.purchase.coupon.fill("NOPE");
  await phone.purchase.coupon.press("Enter");
  const refusal = dialog.getByText("Invalid coupon code");
  await expect(refusal).toBeVisible();
  await expect
    .poll(() =>
      refusal.evaluate((element) => {
        const { left, top, height } = element.getBoundingClientRect();
        return element.contains(document.elementFromPoint(left + 5, top + height / 2));
      }),
    )
    .toBe(true);

  await buyPass(page, "chatgpt", "7 Days");
  await phone.open("/dashboard");
  await expect(phone.pass("ChatGPT Pro").getByText("Needs extension")).toBeVisible();
  await expect(page.getByText("ChatGPT Pro needs a computer.", { exact: false })).toBeVisible();
  await expect(page.getByText("You don’t need the extension", { exact: false })).toHaveCount(0);
  await phone.open("/tools/chatgpt");
  await expect(page.getByText(`${warning} Open this page there.`)).toBeVisible();
});

test("a tool that works on phones says everywhere that only computers need the extension", async ({
  shop,
  page,
  openOtherBrowser,
}) => {
  const before = await setWorksOn("canva", ["phone", "laptop", "extension"]);
  try {
    await signInAsNewUser(page);
    await buyPass(page, "canva", "7 Days");
    const phone = await openOtherBrowser({ ...PIXEL, storageState: await page.context().storageState() });
    for (const { page: shown } of [shop, phone]) {
      for (const path of ["/", "/shop/canva", "/dashboard", "/tools/canva"]) {
        await shown.goto(path);
        await expect(shown.getByText("Extension on computers")).toBeVisible();
        await expect(shown.getByText("Needs extension", { exact: true })).toHaveCount(0);
      }
    }
  } finally {
    await setWorksOn("canva", before);
  }
});
