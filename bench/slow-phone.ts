// The home page and a shop page for a visitor on a phone, on a line of 400 kbit/s with a processor slowed four times: bytes of
// JavaScript (gzip) until the network is idle, by part; first paint; the moment when the first price is visible, when
// the page answers its buttons, and when all its parts have been hydrated; the time that long tasks block the page; and
// what the first press on Get access costs. Median of 5.
// node bin/daypass.mjs exec bench/slow-phone.ts [address of another running shop, to be measured in turns …]
import { rmSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { type Browser, chromium, type Page } from "@playwright/test";
import { HYDRATED_MARK } from "../app/document/pre-hydration-events.ts";
import { ensureChromium } from "../bin/ensure-chromium.ts";
import { freePort } from "../tests/free-port.ts";
import { createDataDir, median, startShop, stopShop } from "./support/shop-process.ts";
import { slowDown, warmUp } from "./support/slow-phone.ts";

const TIMES = 5;
const PATHS = ["/", "/shop/canva"];
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

declare global {
  interface Window {
    /** When the first price was in the window, in milliseconds. */
    firstPrice?: number;
    allHydrated?: number;
  }
}

const dataDir = createDataDir();
const executablePath = await ensureChromium((line) => console.log(line));
const shop = await startShop({ dataDir, port: await freePort() });
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const addresses = [shop.url, ...process.argv.slice(2)];
try {
  for (const path of PATHS) {
    for (const address of addresses) {
      await reportBytes(browser, address + path);
      await warmUp(address + path);
    }
    const runs = new Map<string, Record<string, number>[]>(addresses.map((address) => [address, []]));
    for (let n = 0; n < TIMES; n++) {
      for (const [address, results] of runs) results.push(await openOnSlowPhone(browser, address + path));
    }
    for (const [address, results] of runs) {
      console.log(address + path);
      for (const name of Object.keys(results[0] ?? {})) {
        const values = results.map((result) => Math.round(result[name] ?? 0));
        console.log(`  ${name}: ${median(values)} (${values.join(", ")})`);
      }
    }
  }
  console.log("aims: 136 KB; first price visible 1000 ms; buttons answer 3500 ms");
} finally {
  await browser.close();
  await stopShop(shop);
  rmSync(dataDir, { recursive: true, force: true });
}

async function reportBytes(from: Browser, url: string): Promise<void> {
  const context = await from.newContext(PHONE);
  const page = await context.newPage();
  const sizes: Promise<readonly [name: string, size: number]>[] = [];
  page.on("response", (response) => {
    const { pathname } = new URL(response.url());
    if (!pathname.endsWith(".js")) return;
    const name = /([a-z.-]+?)-[\w-]{8}\.js$/.exec(pathname)?.[1] ?? pathname;
    sizes.push(response.body().then((body) => [name, gzipSync(body, { level: 9 }).length] as const));
  });
  await page.goto(url, { waitUntil: "networkidle" });
  const parts = (await Promise.all(sizes)).toSorted(([, one], [, other]) => other - one);
  const sum = parts.reduce((total, [, size]) => total + size, 0);
  console.log(`${url}: JavaScript until the network is idle: ${sum / 1000} KB (gzip)`);
  console.log(`  ${parts.map(([name, size]) => `${name} ${size / 1000}`).join(", ")}`);
  await context.close();
}

async function openOnSlowPhone(from: Browser, url: string): Promise<Record<string, number>> {
  const context = await from.newContext(PHONE);
  const page = await context.newPage();
  const devTools = await context.newCDPSession(page);
  const traffic = await slowDown(devTools);
  await page.addInitScript(watchStart);
  await page.goto(url, { waitUntil: "load" });
  await page.waitForFunction(() => window.allHydrated !== undefined, undefined, { polling: 100 });
  const start = await page.evaluate((mark) => {
    const startOf = (name: string) => performance.getEntriesByName(name)[0]?.startTime ?? 0;
    return {
      "first paint (ms)": startOf("first-contentful-paint"),
      "first price visible (ms)": window.firstPrice ?? 0,
      "buttons answer (ms)": startOf(mark),
      "all parts hydrated (ms)": window.allHydrated ?? 0,
    };
  }, HYDRATED_MARK);
  const blocking = await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        new PerformanceObserver((list) =>
          resolve(list.getEntries().reduce((sum, { duration }) => sum + duration - 50, 0)),
        ).observe({ type: "longtask", buffered: true });
        setTimeout(() => resolve(0), 1000);
      }),
  );
  const press = await pressFirstButton(page, traffic);
  await context.close();
  return { ...start, "blocking time (ms)": blocking, ...press };
}

/** What the first press loads, and how long it takes to the dialog. */
async function pressFirstButton(page: Page, traffic: { bytes: number }): Promise<Record<string, number>> {
  const before = traffic.bytes;
  const pressed = await page.evaluate(() => performance.now());
  await page.getByRole("button", { name: "Get access" }).first().tap();
  await page.getByRole("dialog").waitFor();
  const shown = await page.evaluate(() => performance.now());
  return { "first press (ms)": shown - pressed, "first press (bytes)": traffic.bytes - before };
}

/** Runs in the page: looks at each frame until the price is visible and every button has its handlers. */
function watchStart(): void {
  const isVisible = (element: Element) => {
    const { top, bottom, width } = element.getBoundingClientRect();
    return width > 0 && top >= 0 && bottom <= innerHeight;
  };
  const hasPrice = () => {
    const found = document.evaluate("//main//*[contains(text(), '₹')]", document, null, 7);
    for (let at = 0; at < found.snapshotLength; at++) {
      const element = found.snapshotItem(at);
      if (element instanceof Element && isVisible(element)) return true;
    }
    return false;
  };
  /** React keeps what it knows of an element in properties of it. */
  const isHydrated = (element: Element) => Object.keys(element).length > 0;
  const look = () => {
    const now = performance.now();
    if (window.firstPrice === undefined && hasPrice()) setTimeout(() => (window.firstPrice = now));
    const buttons = [...document.querySelectorAll("main button:enabled, footer button")];
    if (document.readyState === "complete" && buttons.length > 0 && buttons.every(isHydrated))
      window.allHydrated = now;
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}
