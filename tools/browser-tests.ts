/** Runs the browser tests of e2e/; further arguments are passed to Playwright. Needs a build. */
import { ensureChromium } from "./ensure-chromium.ts";
import { packageCommand, runNode } from "./run-command.ts";

try {
  const chromium = await ensureChromium((line) => console.log(line));
  process.exitCode = await runNode(
    packageCommand("@playwright/test", "playwright"),
    ["test", ...process.argv.slice(2)],
    { env: { CHROMIUM_PATH: chromium }, limitSeconds: 1800 },
  );
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
