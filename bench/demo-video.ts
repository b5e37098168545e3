// Makes the video of the demo shop, public/demo-video.webm: a new buyer on a phone gets a pass and its code, in about 30 s
// without sound. It photographs a running demo shop with test payments, and needs ffmpeg.
// node bin/daypass.mjs exec bench/demo-video.ts http://localhost:3000

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Locator, type Page } from "@playwright/test";
import { ensureChromium } from "../bin/ensure-chromium.ts";

const ADDRESS = process.argv[2] ?? "http://localhost:3000";
const PHONE = { width: 360, height: 740 };
const PICTURE = { width: 400, height: 860 };
const FRAMES_PER_SECOND = 10;
const USER_AGENT =
  "Mozilla/5.0 (Linux; Android 14; Pixel 7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36";

const folder = mkdtempSync(join(tmpdir(), "daypass-video-"));
const browser = await chromium.launch({
  executablePath: await ensureChromium(console.log),
  args: ["--no-sandbox"],
});
const context = await browser.newContext({
  viewport: PHONE,
  deviceScaleFactor: 1.5,
  isMobile: true,
  hasTouch: true,
  userAgent: USER_AGENT,
});
const shop = await context.newPage();
const frame = await browser.newPage({ viewport: PICTURE, deviceScaleFactor: 1.25 });
await frame.setContent(`<!doctype html><body style="margin:0;background:#faf9f6;text-align:center">
  <p id="caption" style="margin:0;height:76px;display:grid;place-items:center;font:650 20px system-ui;color:#15171c"></p>
  <div style="position:relative;width:360px;margin:0 auto">
    <img id="screen" style="width:360px;height:740px;border-radius:26px;border:1px solid #8b8f99;display:block">
    <div id="finger" hidden style="position:absolute;width:44px;height:44px;border-radius:50%;background:#f4a92199;border:2px solid #15171c;box-sizing:border-box"></div>
  </div>`);

/** Each picture with the seconds for which it is shown. */
const pictures: { file: string; seconds: number }[] = [];
let caption = "";

async function show(seconds: number, finger?: { x: number; y: number }): Promise<void> {
  const screen = (await shop.screenshot()).toString("base64");
  await frame.evaluate(
    async ({ screen, caption, finger }) => {
      const find = <Element extends HTMLElement>(id: string) => document.getElementById(id) as Element;
      find("caption").textContent = caption;
      const dot = find("finger");
      dot.hidden = finger === undefined;
      dot.style.left = `${(finger?.x ?? 0) - 22}px`;
      dot.style.top = `${(finger?.y ?? 0) - 22}px`;
      const image = find<HTMLImageElement>("screen");
      image.src = `data:image/png;base64,${screen}`;
      await image.decode();
    },
    { screen, caption, finger },
  );
  const file = join(folder, `${pictures.length}.png`);
  await frame.screenshot({ path: file });
  pictures.push({ file, seconds });
}

async function press(control: Locator): Promise<void> {
  await control.scrollIntoViewIfNeeded();
  const box = await control.boundingBox();
  if (box) await show(0.7, { x: box.x + box.width / 2, y: box.y + box.height / 2 });
  await control.click();
}

async function type(field: Locator, text: string): Promise<void> {
  const pieces = 4;
  for (let piece = 1; piece <= pieces; piece++) {
    await field.fill(text.slice(0, Math.ceil((text.length * piece) / pieces)));
    await show(0.2);
  }
}

async function buyAPass(page: Page): Promise<void> {
  await page.goto(ADDRESS);
  await page.waitForFunction(() => window.preHydrationEvents?.interactive === true);
  caption = "1 · Choose your days";
  await show(2.5);
  const sheet = page.getByRole("dialog");
  await press(page.getByRole("button", { name: "Get pass for AI Humanizer" }));
  await sheet.getByLabel("Email", { exact: true }).waitFor();
  await show(2);
  await press(sheet.getByRole("radio", { name: /30 Days/ }));
  await show(1.2);
  await type(sheet.getByLabel("Email", { exact: true }), "asha@example.com");
  await type(sheet.getByLabel("Password", { exact: true }), "a-long-password");
  await press(sheet.getByRole("button", { name: "Create an Account" }));
  caption = "2 · Pay once, by UPI or card";
  const pay = sheet.getByRole("button", { name: /^Pay / });
  await pay.waitFor();
  await show(2);
  await press(pay);
  const bank = page.frameLocator("iframe").getByRole("button", { name: "Pay", exact: true });
  await bank.waitFor();
  await show(1.2);
  await press(bank);
  caption = "3 · Open it at once";
  await sheet.getByText("Payment received").waitFor();
  await show(2.5);
  const code = page.getByRole("button", { name: /^Show code/ }).first();
  await page.waitForURL(/\/tools\//);
  await code.waitFor();
  await show(1.5);
  await press(code);
  await page.getByRole("button", { name: /^Copy/ }).first().waitFor();
  await show(3);
  caption = "Your passes, and their time";
  await page.goto(`${ADDRESS}/dashboard`);
  await page.getByRole("heading", { name: "My Tools" }).waitFor();
  await show(3);
}

try {
  await buyAPass(shop);
  const list = pictures.flatMap(({ file, seconds }) => [`file '${file}'`, `duration ${seconds}`]);
  // The last picture counts only when it is named once more.
  writeFileSync(join(folder, "pictures.txt"), [...list, `file '${pictures.at(-1)?.file}'`].join("\n"));
  const input = ["-f", "concat", "-safe", "0", "-i", join(folder, "pictures.txt")];
  const output = [
    "-vf",
    `fps=${FRAMES_PER_SECOND},format=yuv420p`,
    "-c:v",
    "libvpx-vp9",
    "-crf",
    "38",
    "-b:v",
    "0",
  ];
  execFileSync("ffmpeg", ["-y", "-loglevel", "error", ...input, ...output, "public/demo-video.webm"]);
  console.log(`${pictures.reduce((sum, { seconds }) => sum + seconds, 0).toFixed(1)} s`);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
