import { expect, type Locator } from "@playwright/test";
import { expectAccessible } from "./accessibility.ts";
import { listCodes } from "./demo-catalogue.ts";
import { test } from "./fixtures.ts";
import { expectReadableWithLargeText } from "./large-text.ts";
import { setStepsOfUse, setWorksOn } from "./shop-database.ts";
import { buyPass, signInAsNewUser } from "./test-users.ts";

const PIXEL = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
  userAgent:
    "Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36",
};

const backgroundOf = (button: Locator) =>
  button.evaluate((element) => getComputedStyle(element).backgroundColor);

test("a phone is told what needs a computer, and needs no extension for a code", async ({
  shop,
  page: laptop,
  openOtherBrowser,
}) => {
  const phone = await openOtherBrowser(PIXEL);
  const { page } = phone;
  const { email } = await signInAsNewUser(page);
  await page.addInitScript(() => {
    const { copied, shared } = Object.assign(window, { copied: [] as unknown[], shared: [] as unknown[] });
    navigator.clipboard.writeText = async (text) => void copied.push(text);
    // Chromium on Linux has no list of apps.
    navigator.share = async (data) => void shared.push(data);
  });
  await test.step("a tool for computers says so on its card, before a phone pays, and on the pass and its page", async () => {
    await phone.open("/");
    const warning =
      "ChatGPT Pro does not work on phones and tablets. It needs a computer with our browser extension.";
    await expect(phone.card("ChatGPT Pro").getByText("Computer only · Needs extension")).toBeVisible();
    await phone.openPurchase("ChatGPT Pro");
    const { root: dialog } = phone.purchase;
    await expect(dialog.getByText("Computer only, with our extension")).toBeInViewport();
    await expect(
      dialog.getByText("Not for phones and tablets. You can buy it here and use it on a computer."),
    ).toBeInViewport();
    await expect(dialog.getByRole("button", { name: /^Pay/ })).toBeEnabled();
    await expect(dialog.getByRole("button", { name: /^Pay/ })).toBeInViewport();
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
    const remark = phone.pass("ChatGPT Pro").getByText("Computer only · Needs extension");
    await expect(remark).toBeVisible();
    await expect(page.getByText("ChatGPT Pro needs a computer.", { exact: false })).toBeVisible();
    await expect(page.getByText("You don’t need the extension", { exact: false })).toHaveCount(0);
    await phone.open("/tools/chatgpt");
    await expect(page.getByText(`${warning} Open this page there.`)).toBeVisible();
    await expect(page.getByRole("list", { name: "How to use ChatGPT Pro" }).getByRole("listitem")).toHaveText(
      [
        new RegExp(`On a computer, open the link to this page and sign in with ${email}\\.$`),
        /Install the browser extension there\. Your dashboard has it\.$/,
        /Press Click next to a server\. The page there shows the next steps\.$/,
      ],
    );
    await page.getByRole("button", { name: "Copy link" }).tap();
    await expect(page.getByRole("button", { name: "Copied!" })).toBeVisible();
    expect(await page.evaluate(() => Reflect.get(window, "copied"))).toEqual([page.url()]);
    await page.getByRole("button", { name: "Share link" }).tap();
    await expect
      .poll(() => page.evaluate(() => Reflect.get(window, "shared")))
      .toEqual([{ title: "ChatGPT Pro", url: page.url() }]);
    await expect(page.getByRole("link", { name: "Open ChatGPT Pro" })).toHaveCount(0);
    await expectAccessible(page, "tool page for computers on a phone");
    await expectReadableWithLargeText(page, "tool page for computers on a phone");
    await page.setViewportSize(PIXEL.viewport);
    const server = phone.server("Server 1");
    await expect(server.getByRole("button", { name: "Click" })).toHaveCount(0);
    const show = server.getByRole("button", { name: "Show code", exact: true });
    await expect(show).toBeEnabled();
    expect(await backgroundOf(show)).toBe("rgba(0, 0, 0, 0)");
    await laptop.context().addCookies(await page.context().cookies());
    await shop.open("/tools/chatgpt");
    await expect(laptop.getByRole("list", { name: "How to use ChatGPT Pro" })).toBeVisible();
    await expect(laptop.getByRole("link", { name: "Open ChatGPT Pro" })).toBeVisible();
    await expect(laptop.getByRole("button", { name: "Copy link" })).toHaveCount(0);
    expect(await backgroundOf(shop.server("Server 1").getByRole("button", { name: "Show code" }))).not.toBe(
      "rgba(0, 0, 0, 0)",
    );
  });
  await test.step("with several servers too a phone has Show code directly below the name, and one button is strong", async () => {
    const before = await setWorksOn("chatgpt", ["phone", "laptop"]);
    try {
      await phone.open("/tools/chatgpt");
      const parts = page.getByRole("main").locator("h1, ol, button");
      await expect(parts.nth(1)).toContainText("Show code");
      await expect(parts.nth(1)).toBeInViewport({ ratio: 1 });
      await expect(page.locator("main .button-strong")).toHaveText([/^Show code/]);
    } finally {
      await setWorksOn("chatgpt", before);
    }
  });
  await buyPass(page, "canva", "7 Days");
  const ownSteps = await setStepsOfUse("canva", []);
  const row = phone.server("Server 1");
  const show = row.getByRole("button", { name: "Show code", exact: true });
  await test.step("a phone has no Click at any width, and Show code directly under the name of the tool", async () => {
    await phone.open("/dashboard");
    await phone.pass("Canva").getByRole("link", { name: "Open" }).tap();
    const steps = page.getByRole("list", { name: "How to use Canva" }).getByRole("listitem");
    await expect(steps).toHaveCount(3);
    await expect(steps.first()).toHaveText(/Press Show code, then Copy\.$/);
    for (const width of [1280, PIXEL.viewport.width]) {
      await page.setViewportSize({ ...PIXEL.viewport, width });
      await expect(show).toBeVisible();
      await expect(row.getByRole("button", { name: "Click" })).toHaveCount(0);
      const tops = page.getByRole("main").locator("h1, button, ol, code");
      await expect(tops.nth(0)).toHaveText("Canva");
      await expect(tops.nth(1)).toContainText("Show code");
      await expect(tops.last()).toHaveText(/^[0-9A-Z]{8}$/);
    }
  });
  await test.step("Show code is the strong button on a phone, says what happens next, and has no other name", async () => {
    await expect(show).toHaveAccessibleDescription("Server 1 hides in 60 s");
    await expect(show).toContainText("hides in 60 s");
    expect(await backgroundOf(show)).not.toBe("rgba(0, 0, 0, 0)");
  });
  await test.step("a narrow window of a computer keeps Click, with the mark of the extension", async () => {
    await laptop.context().addCookies(await page.context().cookies());
    await laptop.setViewportSize(PIXEL.viewport);
    await shop.open("/tools/canva");
    const click = shop.server("Server 1").getByRole("button", { name: "Click", exact: true });
    await expect(click.locator("svg")).toBeVisible();
    expect(await backgroundOf(click)).toBe("rgba(0, 0, 0, 0)");
    await expect(
      laptop.getByText("Click needs our browser extension. Without it, press Show code."),
    ).toBeVisible();
    await expect(
      laptop.getByRole("list", { name: "How to use Canva" }).getByRole("listitem").first(),
    ).toContainText("Press Open Canva.", { useInnerText: true });
  });
  await test.step("a buyer without the extension on a phone has a code in two taps from the dashboard", async () => {
    await expect(show).toBeInViewport({ ratio: 1 });
    const place = await show.boundingBox();
    await show.tap();
    const [code] = listCodes("canva");
    const field = row.getByLabel("The code for Server 1");
    await expect(field).toHaveValue(code?.simpleCode ?? "");
    const [panel, copy] = await Promise.all([
      field.locator("../..").boundingBox(),
      row.getByRole("button", { name: "Copy", exact: true }).boundingBox(),
    ]);
    expect(Math.abs((panel?.y ?? 0) - (place?.y ?? 0))).toBeLessThan(20);
    expect(copy?.width).toBeGreaterThan((panel?.width ?? 0) - 30);
    await expectAccessible(page, "tool page on a phone with a code");
    await expectReadableWithLargeText(page, "tool page on a phone with a code");
    await page.setViewportSize(PIXEL.viewport);
  });
  await setStepsOfUse("canva", ownSteps);

  await signInAsNewUser(page);
  await buyPass(page, "canva", "7 Days");
  await laptop.context().addCookies(await page.context().cookies());
  await test.step("a tool that works on phones says everywhere that only computers need the extension", async () => {
    const before = await setWorksOn("canva", ["phone", "laptop", "extension"]);
    try {
      for (const { page: shown } of [shop, phone]) {
        for (const path of ["/", "/shop/canva", "/dashboard", "/tools/canva"]) {
          await shown.goto(path);
          await expect(shown.getByText("Extension on computers").filter({ visible: true })).toBeVisible();
          await expect(shown.getByText("Needs extension", { exact: true })).toHaveCount(0);
        }
      }
    } finally {
      await setWorksOn("canva", before);
    }
  });
});
