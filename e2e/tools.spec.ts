import { readFileSync } from "node:fs";
import { expect } from "@playwright/test";
import { z } from "zod";
import { test } from "./journey.ts";
import { becomeUser, buy, postForm } from "./people.ts";
import { putCodeInUse } from "./shop-database.ts";
import type { ShopPage } from "./shop-page.ts";

const catalogue = z
  .object({
    accessCodes: z.array(z.object({ toolSlug: z.string(), serverName: z.string(), simpleCode: z.string() })),
  })
  .parse(JSON.parse(readFileSync(new URL("../db/seed/demo-catalogue.json", import.meta.url), "utf8")));
const codesOf = (slug: string) => catalogue.accessCodes.filter(({ toolSlug }) => toolSlug === slug);

const written = z.array(z.object({ text: z.string(), at: z.number() }));

/** Keeps what goes over the clipboard, and lets it through. */
async function watchClipboard(shop: ShopPage): Promise<() => Promise<z.infer<typeof written>>> {
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

test("signed out, a tool's page leads home", async ({ shop }) => {
  await shop.page.goto("/tools/chatgpt");
  await expect(shop.page).toHaveURL(/\/$/);
  await expect(shop.cards).toHaveCount(12);
});

test("without a pass the page asks for one and hands out nothing", async ({ shop }) => {
  await becomeUser(shop.page);
  const answer = await shop.page.goto("/tools/chatgpt");
  expect(answer?.status()).toBe(403);
  await shop.untilAlive();
  await expect(shop.heading("Access Required")).toBeVisible();
  await expect(shop.page.getByText("Server 1")).toHaveCount(0);

  const code = await postForm(shop.page, "/tools/chatgpt/code", { serverId: "chatgpt-server-1" });
  expect(code.status()).toBe(403);
  const data = await shop.page.request.get("/tools/chatgpt.data");
  const told = `${await code.text()} ${await data.text()} ${await answer?.text()}`;
  expect(told).not.toContain("chatgpt-server");
  for (const { simpleCode } of codesOf("chatgpt")) expect(told).not.toContain(simpleCode);
  expect((await postForm(shop.page, "/tools/canva/code", { serverId: "canva-server-1" })).status()).toBe(403);

  await shop.page.getByRole("button", { name: "Go to Homepage" }).click();
  await expect(shop.cards).toHaveCount(12);
});

test("the page that asks for a pass sells one, and then is the tool's", async ({ shop, page, faults }) => {
  await becomeUser(page);
  await shop.open("/tools/canva");
  await expect(shop.heading("Access Required")).toBeVisible();
  await page.getByRole("button", { name: "Get access to Canva" }).click();
  await shop.purchase.goToGateway("₹49");
  await shop.purchase.gatewayButton("Pay").click();
  await expect(shop.purchase.success).toBeVisible();
  await expect(shop.server("Server 1")).toBeVisible();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page).toHaveURL(/\/tools\/canva$/);
  // The first answer of the page was a refusal, which the browser tells of.
  expect(faults.filter((fault) => !fault.includes("403"))).toEqual([]);
  faults.length = 0;
});

test("signed out, no code is handed out either", async ({ shop }) => {
  const code = await postForm(shop.page, "/tools/chatgpt/code", { serverId: "chatgpt-server-1" });
  expect(code.status()).toBe(401);
  expect(await code.text()).not.toContain("CGPT");
});

test("ChatGPT Pro opens three servers, each with its own code for a moment", async ({ shop }) => {
  const clipboard = await watchClipboard(shop);
  await becomeUser(shop.page);
  await buy(shop.page, "chatgpt", "7 Days");
  await shop.open("/tools/chatgpt");
  await expect(shop.heading("ChatGPT Pro")).toBeVisible();
  await expect(shop.page.getByRole("list", { name: "Servers" }).getByRole("listitem")).toHaveCount(3);

  for (const [index, { serverName, simpleCode }] of codesOf("chatgpt").entries()) {
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

test("'Copied!' stays for two seconds, and a server without a code says so", async ({ shop }) => {
  await watchClipboard(shop);
  await becomeUser(shop.page);
  await buy(shop.page, "chatgpt", "7 Days");
  await shop.open("/tools/chatgpt");
  const row = shop.server("Server 1");
  await row.getByRole("button", { name: "Click" }).click();
  await expect(row.getByRole("button", { name: "Copied!" })).toBeVisible();
  const copied = Date.now();
  await expect(row.getByRole("button", { name: "Click" })).toBeVisible();
  expect(Date.now() - copied).toBeGreaterThan(1400);
  expect(Date.now() - copied).toBeLessThan(5000);

  await putCodeInUse("chatgpt", "Server 3", false);
  try {
    const third = shop.server("Server 3");
    await third.getByRole("button", { name: "Click" }).click();
    await expect(third.getByText("No access code found for Server 3")).toBeVisible();
  } finally {
    await putCodeInUse("chatgpt", "Server 3", true);
  }
});

test("a code can be shown instead, and the clipboard stays as it was", async ({ shop }) => {
  const clipboard = await watchClipboard(shop);
  await becomeUser(shop.page);
  await buy(shop.page, "chatgpt", "7 Days");
  await shop.open("/tools/chatgpt");
  const [first] = codesOf("chatgpt");
  const button = shop.server("Server 1").getByRole("button", { name: "Show code" });
  await button.click();
  const window = shop.page.getByRole("dialog", { name: "The code of Server 1" });
  await expect(window.getByLabel("Access code")).toHaveValue(first?.simpleCode ?? "");
  await shop.page.keyboard.press("Escape");
  await expect(window).toHaveCount(0);
  await expect(button).toBeFocused();
  expect(await clipboard()).toEqual([]);
});

test("a link with a code picks its server and hides the code at once", async ({ shop }) => {
  await becomeUser(shop.page);
  await buy(shop.page, "chatgpt", "7 Days");
  const second = codesOf("chatgpt")[1]?.simpleCode ?? "";
  await shop.open(`/tools/chatgpt?accessCode=${second}`);
  expect(shop.page.url()).not.toContain(second);
  await expect(shop.server("Server 2").getByRole("button", { name: "Click" })).toBeFocused();
});

test("a free tool opens after signing in, without a purchase", async ({ shop }) => {
  await becomeUser(shop.page);
  await shop.open("/");
  await shop.page.getByRole("button", { name: "Open free Grammar Checker" }).click();
  await expect(shop.heading("Grammar Checker")).toBeVisible();
  await expect(shop.server("Server 1").getByRole("button", { name: "Click" })).toBeEnabled();
});
