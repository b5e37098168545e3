// Time from a change to its display in the browsers of two admins, over the live stream: a new user signs up, and the
// count in the tab of both pages changes. p50 and maximum.
// node bin/daypass.mjs exec bench/live-updates.ts [changes]
import { randomUUID } from "node:crypto";
import { chromium, type Page } from "@playwright/test";
import { ensureChromium } from "../tools/ensure-chromium.ts";
import { freePort } from "../tools/testing/free-port.ts";
import { createDataDir, median, startShop, stopShop } from "./support/shop-process.ts";

const CHANGES = Number(process.argv[2] ?? 30);
const TAB = "Users Management";

const shop = await startShop({ dataDir: createDataDir(), port: await freePort() });
const browser = await chromium.launch({
  executablePath: await ensureChromium((line) => console.log(line)),
  args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
});
try {
  const pages = [await openAdmin(), await openAdmin()];
  const delays: number[] = [];
  for (let change = 0; change < CHANGES; change++) {
    const shown = pages.map(waitForNextCount);
    await Promise.all(
      pages.map((page) => page.waitForFunction(() => document.body.dataset.watched === "yes")),
    );
    await signUp();
    // The shop has committed the change when it answers.
    const answeredAt = Date.now();
    for (const at of await Promise.all(shown)) delays.push(Math.max(0, at - answeredAt));
  }
  console.log(
    `${delays.length} changes shown after p50 ${median(delays)} ms, at most ${Math.max(...delays)} ms (aim: below 1000)`,
  );
} finally {
  await browser.close();
  await stopShop(shop);
}

async function openAdmin(): Promise<Page> {
  const page = await (await browser.newContext({ baseURL: shop.url })).newPage();
  await page.goto("/admin/login");
  await page.getByLabel("Email").fill("admin@example.com");
  await page.getByLabel("Password", { exact: true }).fill("a-password-for-the-bench");
  await page.getByRole("button", { name: "Sign in as Admin" }).click();
  await page.getByText("Live", { exact: true }).waitFor();
  return page;
}

/** @returns when the text of the tab changed, by the clock of this machine in milliseconds */
function waitForNextCount(page: Page): Promise<number> {
  return page.getByRole("tab", { name: TAB }).evaluate(
    (tab) =>
      new Promise<number>((resolve) => {
        const before = tab.textContent;
        const observer = new MutationObserver(() => {
          if (tab.textContent === before) return;
          observer.disconnect();
          document.body.dataset.watched = "no";
          resolve(Date.now());
        });
        observer.observe(tab, { subtree: true, childList: true, characterData: true });
        document.body.dataset.watched = "yes";
      }),
  );
}

async function signUp(): Promise<void> {
  const headers = { "content-type": "application/json", origin: shop.url };
  const body = JSON.stringify({ email: `${randomUUID()}@example.com`, password: "kettle-on-the-hob" });
  const response = await fetch(`${shop.url}/api/auth/sign-up/email`, { method: "POST", headers, body });
  if (!response.ok) throw new Error(`The sign-up was answered ${response.status}.`);
}
