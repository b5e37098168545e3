// The home page of a visitor on a phone: bytes of JavaScript (gzip) until the network is idle, and on a line of 400 kbit/s with
// a processor slowed four times the first paint, the moment when the page answers its buttons, and the same for its cards
// and footer. Median of 5.
// node bin/daypass.mjs exec bench/slow-phone.ts
import { rmSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { type Browser, chromium } from "@playwright/test";
import { HYDRATION_MARKS } from "../app/ui/hydration.ts";
import { ensureChromium } from "../tools/ensure-chromium.ts";
import { freePort } from "../tools/testing/free-port.ts";
import { createDataDir, median, startShop, stopShop } from "./support/shop-process.ts";

const TIMES = 5;
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const BYTES_PER_SECOND = 400_000 / 8;

const dataDir = createDataDir();
const executablePath = await ensureChromium((line) => console.log(line));
const shop = await startShop({ dataDir, port: await freePort() });
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
try {
  console.log(`JavaScript until the network is idle: ${(await countScriptBytes(browser)) / 1000} KB (gzip)`);
  const runs: Awaited<ReturnType<typeof openOnSlowPhone>>[] = [];
  for (let n = 0; n < TIMES; n++) runs.push(await openOnSlowPhone(browser));
  for (const name of ["firstPaint", "pageHydrated", "allPartsHydrated"] as const) {
    const values = runs.map((run) => Math.round(run[name]));
    console.log(`${name}: ${median(values)} ms (${values.join(", ")})`);
  }
  console.log("aims: 130 KB, first paint 1200 ms, all parts hydrated 3000 ms");
} finally {
  await browser.close();
  await stopShop(shop);
  rmSync(dataDir, { recursive: true, force: true });
}

async function countScriptBytes(from: Browser): Promise<number> {
  const context = await from.newContext(PHONE);
  const page = await context.newPage();
  const sizes: Promise<number>[] = [];
  page.on("response", (response) => {
    if (new URL(response.url()).pathname.endsWith(".js"))
      sizes.push(response.body().then((body) => gzipSync(body, { level: 9 }).length));
  });
  await page.goto(shop.url, { waitUntil: "networkidle" });
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  await context.close();
  return bytes;
}

async function openOnSlowPhone(from: Browser) {
  const context = await from.newContext(PHONE);
  const page = await context.newPage();
  const devTools = await context.newCDPSession(page);
  await devTools.send("Network.enable");
  await devTools.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 0,
    downloadThroughput: BYTES_PER_SECOND,
    uploadThroughput: BYTES_PER_SECOND,
  });
  await devTools.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  await page.goto(shop.url, { waitUntil: "load" });
  await page.waitForFunction(
    (mark) => performance.getEntriesByName(mark).length > 0,
    HYDRATION_MARKS.allParts,
  );
  const measured = await page.evaluate((marks) => {
    const startOf = (name: string) => performance.getEntriesByName(name)[0]?.startTime ?? 0;
    return {
      firstPaint: startOf("first-contentful-paint"),
      pageHydrated: startOf(marks.page),
      allPartsHydrated: startOf(marks.allParts),
    };
  }, HYDRATION_MARKS);
  await context.close();
  return measured;
}
