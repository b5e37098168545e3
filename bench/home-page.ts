// The home page of a visitor: compressed size of JavaScript and CSS. Lighthouse's four mobile scores of the home page and of
// the page of a tool (median of 5 each). With 50 tools: the bytes of both pages by part, and of the wire up to the end of the
// first screen of a phone.
// Lighthouse is downloaded for the run (npm exec). node bin/daypass.mjs exec bench/home-page.ts [bytes: without Lighthouse]

import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "@playwright/test";
import { z } from "zod";
import { ensureChromium } from "../bin/ensure-chromium.ts";
import { freePort } from "../tests/free-port.ts";
import { fillWithTools } from "./support/fifty-tools.ts";
import { measureParts } from "./support/page-parts.ts";
import { connectToShop } from "./support/shop-database.ts";
import { createDataDir, median, startShop, stopShop } from "./support/shop-process.ts";

const TIMES = 5;
const report = z.object({
  categories: z.record(z.string(), z.object({ score: z.number() })),
  audits: z.record(z.string(), z.object({ numericValue: z.number().optional() })),
});

const PATHS = ["/", "/shop/canva"];

const executablePath = await ensureChromium((line) => console.log(line));
const dataDir = createDataDir();
const shop = await startShop({ dataDir, port: await freePort() });
try {
  const html = await (await fetch(shop.url)).text();
  const files = [...new Set(html.match(/\/assets\/[\w.-]+\.(?:js|css)/g) ?? [])];
  const bytes = { js: 0, css: 0 };
  for (const file of files) {
    const size = execFileSync("curl", ["-s", "-H", "accept-encoding: br, gzip", `${shop.url}${file}`]).length;
    bytes[file.endsWith(".css") ? "css" : "js"] += size;
  }
  const kb = (n: number) => `${(n / 1024).toFixed(1)} KB`;
  console.log(
    `home page, compressed: JavaScript ${kb(bytes.js)}, CSS ${kb(bytes.css)}, in ${files.length} files`,
  );

  for (const path of process.argv[2] === "bytes" ? [] : PATHS) {
    console.log(path);
    for (const [name, values] of measurePage(`${shop.url}${path}`))
      console.log(`  ${name}: ${median(values)} (${values.join(", ")})`);
  }

  const database = await connectToShop(dataDir);
  await fillWithTools(database);
  await database.end();
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  for (const path of PATHS) {
    console.log(`${path} with 50 tools, in bytes`);
    const parts = await measureParts(browser, `${shop.url}${path}`);
    for (const [name, size] of Object.entries(parts)) console.log(`  ${name}: ${size}`);
  }
  await browser.close();
  console.log("aims: html 130 KB; styles 20 KB; the first screen within the first 14 KB");
} finally {
  await stopShop(shop);
}

function measurePage(url: string): Map<string, number[]> {
  const scores = new Map<string, number[]>();
  const recordScore = (name: string, value: number) => scores.set(name, [...(scores.get(name) ?? []), value]);
  for (let i = 0; i < TIMES; i++) {
    const file = join(tmpdir(), `daypass-lighthouse-${process.pid}.json`);
    execFileSync(
      "npm",
      [
        "exec",
        "--yes",
        "--package=lighthouse@13.5.0",
        "--",
        "lighthouse",
        url,
        "--quiet",
        "--output=json",
        `--output-path=${file}`,
        "--chrome-flags=--headless --no-sandbox --disable-gpu --disable-background-networking",
      ],
      { stdio: "inherit", env: { ...process.env, CHROME_PATH: executablePath } },
    );
    const { categories, audits } = report.parse(JSON.parse(readFileSync(file, "utf8")));
    rmSync(file);
    for (const [name, { score }] of Object.entries(categories)) recordScore(name, Math.round(score * 100));
    for (const name of ["first-contentful-paint", "largest-contentful-paint", "total-blocking-time"]) {
      const value = audits[name]?.numericValue;
      if (value !== undefined) recordScore(`${name} (ms)`, Math.round(value));
    }
  }
  return scores;
}
