import { defineConfig } from "@playwright/test";
import { findChromium, findHeadlessShell } from "./bin/ensure-chromium.ts";

// `npm run test:browser` installs a browser where there is none; a run from an editor uses the browser that is there.
const executablePath = process.env.HEADLESS_SHELL_PATH ?? findHeadlessShell() ?? findChromium();
const asRoot = process.getuid?.() === 0;
const args = [
  ...(asRoot ? ["--no-sandbox"] : []),
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // A page of a test ends before its scripts are worth optimizing. It takes a third less processor time for axe.
  "--js-flags=--no-maglev --no-turbofan",
];

/**
 * How the whole Chromium is started. The Chromium without windows has no extensions, and no process of its own for a frame that is
 * sandboxed.
 */
export function wholeBrowser() {
  const path = process.env.CHROMIUM_PATH ?? findChromium();
  return { args, ...(path ? { executablePath: path } : { channel: "chromium" }) };
}

export default defineConfig({
  testDir: "tests/e2e",
  outputDir: "test-results/browser",
  reporter: [["list"], ["json", { outputFile: "test-results/browser.json" }]],
  forbidOnly: true,
  fullyParallel: false,
  // Each worker has a shop with a database of its own.
  workers: 2,
  retries: 0,
  timeout: 120_000,
  expect: { timeout: 20_000 },
  projects: [
    {
      name: "chromium",
      use: {
        browserName: "chromium",
        actionTimeout: 20_000,
        navigationTimeout: 45_000,
        screenshot: "only-on-failure",
        // A trace makes every journey slower. `--trace retain-on-failure` turns it on.
        trace: "off",
        launchOptions: {
          ...(executablePath ? { executablePath } : {}),
          args,
        },
      },
    },
  ],
});
