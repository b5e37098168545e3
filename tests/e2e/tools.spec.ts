import { readFileSync } from "node:fs";
import { expect, type Page } from "@playwright/test";
import { z } from "zod";
import { expectAccessible } from "./accessibility.ts";
import { test } from "./fixtures.ts";
import { expirePasses, removeStepsOfUse, setCodeActive } from "./shop-database.ts";
import type { ShopPage } from "./shop-page.ts";
import { buyPass, postForm, signInAsNewUser } from "./test-users.ts";

const catalogue = z
  .object({
    accessCodes: z.array(z.object({ toolSlug: z.string(), serverName: z.string(), simpleCode: z.string() })),
    credentials: z.array(z.object({ service: z.string(), email: z.string(), password: z.string() })),
  })
  .parse(JSON.parse(readFileSync(new URL("../../db/seed/demo-catalogue.json", import.meta.url), "utf8")));
const listCodes = (slug: string) => catalogue.accessCodes.filter(({ toolSlug }) => toolSlug === slug);

const written = z.array(z.object({ text: z.string(), at: z.number() }));

/** Records what is written to the clipboard. */
async function recordClipboard(shop: ShopPage): Promise<() => Promise<z.infer<typeof written>>> {
  await shop.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await shop.page.addInitScript(() => {
    const log: Array<{ text: string; at: number }> = [];
    Object.assign(window, { clipboardLog: log });
    const { clipboard } = navigator;
    const write = clipboard.write.bind(clipboard);
    const writeText = clipboard.writeText.bind(clipboard);
    clipboard.write = async (items) => {
      await write(items);
      const blob = await items[0]?.getType("text/plain");
      log.push({ text: (await blob?.text()) ?? "", at: Date.now() });
    };
    clipboard.writeText = async (text) => {
      await writeText(text);
      log.push({ text, at: Date.now() });
    };
  });
  return async () => written.parse(await shop.page.evaluate(() => Reflect.get(window, "clipboardLog")));
}

test("signed out, a tool page redirects home", async ({ shop }) => {
  await shop.page.goto("/tools/chatgpt");
  await expect(shop.page).toHaveURL(/\/$/);
  await expect(shop.cards).toHaveCount(12);
});

test("without a pass a tool page requires access and reveals nothing", async ({ shop }) => {
  await signInAsNewUser(shop.page);
  const response = await shop.page.goto("/tools/chatgpt");
  expect(response?.status()).toBe(403);
  await shop.waitForHydration();
  await expect(shop.heading("Access Required")).toBeVisible();
  await expect(shop.page.getByText("Server 1")).toHaveCount(0);

  const code = await postForm(shop.page, "/tools/chatgpt/code", { serverId: "chatgpt-server-1" });
  expect(code.status()).toBe(403);
  const data = await shop.page.request.get("/tools/chatgpt.data");
  const responseText = `${await code.text()} ${await data.text()} ${await response?.text()}`;
  expect(responseText).not.toContain("chatgpt-server");
  for (const { simpleCode } of listCodes("chatgpt")) expect(responseText).not.toContain(simpleCode);
  expect((await postForm(shop.page, "/tools/canva/code", { serverId: "canva-server-1" })).status()).toBe(403);

  await shop.page.getByRole("button", { name: "Go to Homepage" }).click();
  await expect(shop.cards).toHaveCount(12);
});

test("the page that requires access sells a pass and then shows the tool", async ({
  shop,
  page,
  browserErrors,
}) => {
  await signInAsNewUser(page);
  await shop.open("/tools/canva");
  await expect(shop.heading("Access Required")).toBeVisible();
  await page.getByRole("button", { name: "Get access to Canva" }).click();
  await shop.purchase.openGateway("₹49");
  await shop.purchase.gatewayButton("Pay").click();
  await shop.purchase.expectSuccess();
  await expect(shop.server("Server 1")).toBeVisible();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page).toHaveURL(/\/tools\/canva$/);
  // The first response of the page was a 403, which the browser reports.
  expect(browserErrors.filter((error) => !error.includes("403"))).toEqual([]);
  browserErrors.length = 0;
});

test("the page of an expired pass says when it ended, and renews it", async ({
  shop,
  page,
  browserErrors,
}) => {
  const { email } = await signInAsNewUser(page);
  await buyPass(page, "canva", "7 Days");
  await expirePasses(email, new Date("2026-11-12T10:00:00Z"));
  await shop.open("/tools/canva");
  await expect(shop.heading("Access Required")).toBeVisible();
  await expect(page.getByText("Your Canva pass ended on 12/11/26.")).toBeVisible();
  await page.getByRole("button", { name: "Renew Access to Canva" }).click();
  await expect(shop.purchase.pay("₹49")).toBeVisible();
  expect(browserErrors.filter((error) => !error.includes("403"))).toEqual([]);
  browserErrors.length = 0;
});

test("signed out, no access code is revealed", async ({ shop }) => {
  const code = await postForm(shop.page, "/tools/chatgpt/code", { serverId: "chatgpt-server-1" });
  expect(code.status()).toBe(401);
  expect(await code.text()).not.toContain("CGPT");
});

test("ChatGPT Pro shows three servers, and each copies its own code for a moment", async ({ shop }) => {
  const clipboard = await recordClipboard(shop);
  await signInAsNewUser(shop.page);
  await buyPass(shop.page, "chatgpt", "7 Days");
  await shop.open("/tools/chatgpt");
  await expect(shop.heading("ChatGPT Pro")).toBeVisible();
  await expect(shop.page.getByRole("list", { name: "Servers" }).getByRole("listitem")).toHaveCount(3);

  for (const [index, { serverName, simpleCode }] of listCodes("chatgpt").entries()) {
    const row = shop.server(serverName);
    await row.getByRole("button", { name: "Click" }).click();
    await expect(row.getByRole("button", { name: "Copied!" })).toBeVisible();
    await expect.poll(async () => (await clipboard()).length).toBe(2 * (index + 1));
    const [code, neutral] = (await clipboard()).slice(-2);
    expect(code?.text).toBe(simpleCode);
    expect(neutral?.text).toBe("daypass");
    expect((neutral?.at ?? 0) - (code?.at ?? 0)).toBeGreaterThanOrEqual(95);
    expect(await shop.page.evaluate(() => navigator.clipboard.readText())).toBe("daypass");
  }
});

test("'Copied!' stays for two seconds, and a server without a code shows a message", async ({ shop }) => {
  await recordClipboard(shop);
  await signInAsNewUser(shop.page);
  await buyPass(shop.page, "chatgpt", "7 Days");
  await shop.open("/tools/chatgpt");
  const row = shop.server("Server 1");
  await row.getByRole("button", { name: "Click" }).click();
  await expect(row.getByRole("button", { name: "Copied!" })).toBeVisible();
  const copied = Date.now();
  await expect(row.getByRole("button", { name: "Click" })).toBeVisible();
  expect(Date.now() - copied).toBeGreaterThan(1400);
  expect(Date.now() - copied).toBeLessThan(5000);

  await setCodeActive("chatgpt", "Server 3", false);
  try {
    const third = shop.server("Server 3");
    await third.getByRole("button", { name: "Click" }).click();
    await expect(third.getByText("No access code found for Server 3")).toBeVisible();
  } finally {
    await setCodeActive("chatgpt", "Server 3", true);
  }
});

test("a code is shown in its row, is copied and stays on the clipboard, and is hidden again", async ({
  shop,
  page,
}) => {
  const clipboard = await recordClipboard(shop);
  await page.clock.install();
  await signInAsNewUser(page);
  await buyPass(page, "chatgpt", "7 Days");
  await shop.open("/tools/chatgpt");
  const [first] = listCodes("chatgpt");
  const row = shop.server("Server 1");
  await row.getByRole("button", { name: "Show code" }).click();
  const code = row.getByLabel("The code for Server 1");
  await expect(code).toHaveValue(first?.simpleCode ?? "");
  await expect(code).toBeFocused();
  expect(await clipboard()).toEqual([]);

  await row.getByRole("button", { name: "Copy", exact: true }).click();
  await expect(row.getByRole("button", { name: "Copied!" })).toBeVisible();
  await page.clock.fastForward(2_000);
  await expect(row.getByRole("button", { name: "Copy", exact: true })).toBeVisible();
  expect((await clipboard()).map(({ text }) => text)).toEqual([first?.simpleCode]);

  await row.getByRole("button", { name: "Hide", exact: true }).click();
  await expect(code).toHaveCount(0);
  const show = row.getByRole("button", { name: "Show code" });
  await expect(show).toBeFocused();
  await show.click();
  await expect(code).toBeVisible();
  await page.clock.fastForward(60_000);
  await expect(code).toHaveCount(0);
});

test("a code that the browser refuses to copy is shown to be copied manually", async ({ shop, page }) => {
  await page.addInitScript(() => {
    const refuse = () => Promise.reject(new DOMException("no", "NotAllowedError"));
    Object.assign(navigator.clipboard, { write: refuse, writeText: refuse });
  });
  await signInAsNewUser(page);
  await buyPass(page, "chatgpt", "7 Days");
  await shop.open("/tools/chatgpt");
  const row = shop.server("Server 1");
  await row.getByRole("button", { name: "Click" }).click();
  await expect(row.getByLabel("The code for Server 1")).toBeFocused();
  await expect(row.getByText("Please select it and copy it manually.", { exact: false })).toBeVisible();
  await expectAccessible(page, "tool page with a code", "main");
});

test("a link with a code selects its server and removes the code from the address", async ({ shop }) => {
  await signInAsNewUser(shop.page);
  await buyPass(shop.page, "chatgpt", "7 Days");
  const second = listCodes("chatgpt")[1]?.simpleCode ?? "";
  await shop.open(`/tools/chatgpt?accessCode=${second}`);
  expect(shop.page.url()).not.toContain(second);
  await expect(shop.server("Server 2").getByRole("button", { name: "Show code" })).toBeFocused();
});

test("a link with a code of another tool says so and removes the code from the address, at 390 px", async ({
  shop,
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await signInAsNewUser(page);
  await buyPass(page, "chatgpt", "7 Days");
  const code = listCodes("canva")[0]?.simpleCode ?? "";
  await shop.open(`/tools/chatgpt?accessCode=${code}`);
  expect(page.url()).not.toContain(code);
  const notice = page.getByText("The code in this link belongs to another tool, not to ChatGPT Pro.");
  await expect(notice).toBeVisible();
  await shop.open("/tools/chatgpt?accessCode=nonsense");
  await expect(shop.server("Server 1")).toBeVisible();
  await expect(notice).toHaveCount(0);
});

test("a free tool opens after sign-in without a purchase", async ({ shop }) => {
  await signInAsNewUser(shop.page);
  await shop.open("/");
  await shop.page.getByRole("button", { name: "Open free Grammar Checker" }).click();
  await expect(shop.heading("Grammar Checker")).toBeVisible();
  await expect(shop.server("Server 1").getByRole("button", { name: "Click" })).toBeEnabled();
});

/** Stands in for the browser extension: answers every trigger of the page with these messages, in order. */
async function installFakeExtension(page: Page, answers: readonly { blocked: boolean; message?: string }[]) {
  await page.evaluate((given) => {
    const left = [...given];
    const triggers: unknown[] = [];
    Object.assign(window, { triggers });
    window.addEventListener("message", ({ data }: MessageEvent<{ type?: string; requestId?: string }>) => {
      if (data.type !== "TRIGGER_EXTENSION_ACTION") return;
      triggers.push(data);
      const { requestId } = data;
      window.postMessage({ type: "EXTENSION_RESPONSE", ...left.shift(), requestId }, window.location.origin);
    });
  }, answers);
}

test("Click says what the extension did, and that it is needed when nothing answers in ten seconds", async ({
  shop,
  page,
}) => {
  await recordClipboard(shop);
  await page.clock.install();
  const { email } = await signInAsNewUser(page);
  await buyPass(page, "chatgpt", "7 Days");
  await shop.open("/tools/chatgpt");
  const row = shop.server("Server 1");
  const click = row.getByRole("button", { name: "Click" });
  await click.click();
  await expect(row.getByRole("button", { name: "Copied!" })).toBeVisible();
  await page.clock.fastForward(10_000);
  await expect(row.getByRole("status").getByText("Click needs the browser extension")).toBeVisible();
  await expect(row.getByRole("link", { name: "on your dashboard" })).toHaveAttribute(
    "href",
    "/dashboard#extension",
  );
  await expect(row.getByRole("link", { name: "for Chrome" })).toHaveAttribute(
    "href",
    "/downloads/daypass-chrome.zip",
  );
  // The code was not used, so there is nothing to report.
  const report = row.getByRole("button", { name: "This code does not work" });
  await expect(report).toHaveCount(0);

  await installFakeExtension(page, [{ blocked: true }, { blocked: false, message: "ChatGPT Pro is open." }]);
  await click.click();
  await expect(row.getByRole("alert")).toHaveText([
    "Extension usage blocked: Maximum installations exceeded",
  ]);
  await expect(report).toHaveCount(0);
  await page.clock.fastForward(2_000);
  await click.click();
  await expect(row.getByRole("status").getByText("ChatGPT Pro is open.")).toBeVisible();
  await expect(report).toBeVisible();
  const accessCode = listCodes("chatgpt")[0]?.simpleCode;
  const trigger = { accessCode, toolName: "ChatGPT Pro", userEmail: email };
  expect(await page.evaluate(() => Reflect.get(window, "triggers"))).toMatchObject([trigger, trigger]);
});

test("the steps say what to do with the extension as soon as it answers, and nothing moves", async ({
  shop,
  page,
}) => {
  await signInAsNewUser(page);
  await buyPass(page, "canva", "7 Days");
  await removeStepsOfUse("canva");
  await shop.open("/tools/canva");
  const list = page.getByRole("list", { name: "How to use Canva" });
  const tops = () =>
    page
      .locator("main li, main p")
      .evaluateAll((elements) => elements.map((item) => item.getBoundingClientRect().top));
  await expect(list).toContainText("Press Show code", { useInnerText: true });
  await expect(list).not.toContainText("Press Click", { useInnerText: true });
  const before = await tops();
  await page.evaluate(() => {
    const presence = { type: "DAYPASS_EXTENSION_PRESENT", version: "1.0.0" };
    window.postMessage(presence, window.location.origin);
  });
  await expect(list).toContainText("Press Click", { useInnerText: true });
  await expect(list).not.toContainText("copy the code", { useInnerText: true });
  expect(await tops()).toEqual(before);
});

test("a buyer without the extension on a phone has a code in two taps from the dashboard", async ({
  openOtherBrowser,
}) => {
  const phone = await openOtherBrowser({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  const { page } = phone;
  await signInAsNewUser(page);
  await buyPass(page, "canva", "7 Days");
  await phone.open("/dashboard");
  await phone.pass("Canva").getByRole("link", { name: "Open" }).tap();
  const steps = page.getByRole("list", { name: "How to use Canva" }).getByRole("listitem");
  await expect(steps).toHaveCount(3);
  const show = phone.server("Server 1").getByRole("button", { name: "Show code" });
  await expect(show).toBeInViewport({ ratio: 1 });
  await show.tap();
  const [code] = listCodes("canva");
  await expect(phone.server("Server 1").getByLabel("The code for Server 1")).toHaveValue(
    code?.simpleCode ?? "",
  );
});

test("the humanizer's credentials are copied on request, and stay on the clipboard", async ({
  shop,
  page,
}) => {
  const clipboard = await recordClipboard(shop);
  await page.clock.install();
  await signInAsNewUser(page);
  await buyPass(page, "aihumanizer", "7 Days");
  await shop.open("/aihumanizer");
  const credential = catalogue.credentials.find(({ service }) => service === "Stealth Writer");
  expect(await page.content()).not.toContain(credential?.email);
  const card = page.getByRole("region", { name: "Tool Credentials" });
  await expect(card.getByRole("link", { name: "Login" })).toHaveAttribute("target", "_blank");
  for (const [label, text] of [
    ["Email", credential?.email],
    ["Password", credential?.password],
  ] as const) {
    await card.getByRole("button", { name: label }).click();
    await expect(card.getByRole("button", { name: "Copied!" })).toBeVisible();
    await page.clock.fastForward(1_600);
    await expect(card.getByRole("button", { name: label })).toBeVisible();
    expect((await clipboard()).at(-1)?.text).toBe(text);
  }
  expect(await clipboard()).toHaveLength(2);
  await expectAccessible(page, "humanizer page");
});

test("an unknown tool shows the shop's page for missing addresses, with its navigation", async ({
  shop,
  page,
}) => {
  await signInAsNewUser(page);
  const response = await page.goto("/tools/nothing-here");
  expect(response?.status()).toBe(404);
  await expect(shop.heading("There is nothing here")).toBeVisible();
  await expect(shop.accountNav.getByRole("link", { name: "Dashboard" })).toBeVisible();
  await expect(page).toHaveTitle("There is nothing here");
});
