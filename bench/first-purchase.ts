// The first purchase of a new buyer on a phone: a line of 400 kbit/s with 300 ms to the shop, and a processor slowed four times.
// Says how long the buyer waits at each step from the home page to the code, with requests, bytes and layout shifts. The first press
// comes at the moment when the page answers it, or once the page is idle; then a signed-in buyer presses another tool. Median of 5.
// node bin/daypass.mjs exec bench/first-purchase.ts [address of another running shop, to be measured in turns …]
import { rmSync } from "node:fs";
import { type Browser, chromium, type Page } from "@playwright/test";
import { HYDRATED_MARK } from "../app/document/pre-hydration-events.ts";
import { ensureChromium } from "../bin/ensure-chromium.ts";
import { freePort } from "../tests/free-port.ts";
import { createDataDir, median, startShop, stopShop } from "./support/shop-process.ts";
import { slowDown, warmUp } from "./support/slow-phone.ts";

const TIMES = 5;
const PHONE = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };
const MOMENTS = ["early", "idle"] as const;

declare global {
  interface Window {
    /** When the sheet, the fields of the account and Pay could be used since the last press of a card, in milliseconds. */
    seen?: { pressed: number; sheet?: number; fields?: number; pay?: number };
    shift?: number;
  }
}

const dataDir = createDataDir();
const executablePath = await ensureChromium((line) => console.log(line));
const shop = await startShop({ dataDir, port: await freePort() });
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const addresses = [shop.url, ...process.argv.slice(2)];
try {
  for (const address of addresses) await warmUp(`${address}/`);
  for (const moment of MOMENTS) {
    const runs = new Map<string, Record<string, number>[]>(addresses.map((address) => [address, []]));
    for (let n = 0; n < TIMES; n++) {
      for (const [address, results] of runs) results.push(await buy(browser, address, moment));
    }
    for (const [address, results] of runs) {
      console.log(`${address}, first press ${moment}`);
      for (const name of Object.keys(results[0] ?? {})) {
        const values = results.map((result) => Math.round((result[name] ?? 0) * 1000) / 1000);
        console.log(`  ${name}: ${median(values)} (${values.join(", ")})`);
      }
    }
  }
  console.log("aims: sheet 300 ms; fields, Pay 1200 ms; waits 15 000 ms in all; layout shift 0.05");
} finally {
  await browser.close();
  await stopShop(shop);
  rmSync(dataDir, { recursive: true, force: true });
}

async function buy(
  from: Browser,
  address: string,
  moment: (typeof MOMENTS)[number],
): Promise<Record<string, number>> {
  const context = await from.newContext(PHONE);
  await context.addInitScript(watchSheet);
  const page = await context.newPage();
  const devTools = await context.newCDPSession(page);
  const traffic = await slowDown(devTools, 300);
  const steps: Record<string, number> = {};
  const dialog = page.getByRole("dialog");
  const step = async (name: string, wait: () => Promise<unknown>) => {
    const began = performance.now();
    await wait();
    steps[name] = performance.now() - began;
  };
  await step("page answers (ms)", async () => {
    await page.goto(address, { waitUntil: "commit" });
    await page.waitForFunction((mark) => performance.getEntriesByName(mark).length > 0, HYDRATED_MARK);
  });
  if (moment === "idle") await page.waitForLoadState("networkidle");
  const atStart = { ...traffic };
  await press(page, "Canva", "fields");
  const visitor = await page.evaluate(() => window.seen);
  steps["press to sheet (ms)"] = since(visitor?.pressed, visitor?.sheet);
  steps["press to fields (ms)"] = since(visitor?.pressed, visitor?.fields);
  steps["press (requests)"] = traffic.requests - atStart.requests;
  steps["press (bytes)"] = traffic.bytes - atStart.bytes;
  await dialog.getByLabel("Email", { exact: true }).fill(`slow-${crypto.randomUUID()}@example.com`);
  await dialog.getByLabel("Password", { exact: true }).fill("blue-river-42");
  const pay = dialog.getByRole("button", { name: "Pay ₹49" });
  await step("account to Pay (ms)", async () => {
    await dialog.getByRole("button", { name: "Create an Account" }).tap();
    await page.waitForFunction(() => window.seen?.pay !== undefined);
  });
  const gateway = page.frameLocator('iframe[title="Test payment"]');
  await step("Pay to the window (ms)", async () => {
    await pay.tap();
    // It shows its buttons before its script hears them, and takes the focus then.
    await gateway.locator(":focus").waitFor();
  });
  await step("paid to the pass (ms)", async () => {
    await gateway.getByRole("button", { name: "Pay", exact: true }).tap();
    await page.getByText("Your access is ready.").first().waitFor();
  });
  const show = page.getByRole("button", { name: "Show code" }).first();
  await step("pass to its page (ms)", async () => {
    await page.getByRole("link", { name: "Open Canva" }).tap();
    await page.waitForURL("**/tools/canva");
    await show.or(page.getByText("hides in")).first().waitFor();
  });
  const waits = Object.entries(steps).filter(
    ([name]) => name.endsWith("(ms)") && name !== "press to sheet (ms)",
  );
  steps["waits in all (ms)"] = waits.reduce((sum, [, ms]) => sum + ms, 0);
  steps["requests in all"] = traffic.requests;
  steps["bytes in all"] = traffic.bytes;
  steps["layout shift"] = await page.evaluate(() => window.shift ?? 0);

  await page.goto(address, { waitUntil: "commit" });
  await page.waitForFunction((mark) => performance.getEntriesByName(mark).length > 0, HYDRATED_MARK);
  if (moment === "idle") await page.waitForLoadState("load");
  await press(page, "QuillBot", "pay");
  const buyer = await page.evaluate(() => window.seen);
  steps["signed in: press to sheet (ms)"] = since(buyer?.pressed, buyer?.sheet);
  steps["signed in: press to Pay (ms)"] = since(buyer?.pressed, buyer?.pay);
  await context.close();
  return steps;
}

function since(from = 0, to = 0): number {
  return to - from;
}

async function press(page: Page, tool: string, until: "fields" | "pay"): Promise<void> {
  await page
    .getByRole("button", { name: `Get access to ${tool}`, exact: true })
    .first()
    .tap();
  await page.waitForFunction((name) => window.seen?.[name] !== undefined, until);
}

/** Runs in the page: looks at each frame what of the sheet can be used since the last press. */
function watchSheet(): void {
  if (window !== window.top) return;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if ("value" in entry && !("hadRecentInput" in entry && entry.hadRecentInput))
        window.shift = (window.shift ?? 0) + Number(entry.value);
    }
  }).observe({ type: "layout-shift", buffered: true });
  addEventListener(
    "click",
    ({ target, timeStamp }) => {
      const isSheet = target instanceof Element && target.closest("dialog, [role=dialog]") !== null;
      if (!isSheet) window.seen = { pressed: timeStamp };
    },
    { capture: true },
  );
  const look = () => {
    requestAnimationFrame(look);
    const { seen } = window;
    const sheet = document.querySelector("dialog[open], [role=dialog]");
    if (!seen || !sheet || seen.pay !== undefined) return;
    const now = performance.now();
    seen.sheet ??= now;
    if (sheet.querySelector("input[type=email]:enabled")) seen.fields ??= now;
    const isPay = ({ textContent, ariaDisabled }: Element) =>
      textContent.startsWith("Pay ₹") && ariaDisabled !== "true";
    if ([...sheet.querySelectorAll("button:enabled")].some(isPay)) seen.pay = now;
  };
  requestAnimationFrame(look);
}
