/** Runs the browser tests of tests/e2e/; further arguments are passed to Playwright. Needs a build. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ensureChromium, ensureHeadlessShell } from "./ensure-chromium.ts";
import { packageCommand, ROOT, runNode } from "./run-command.ts";

try {
  const chromium = await ensureChromium(console.log);
  const shell = await ensureHeadlessShell(console.log);
  process.exitCode = await runNode(
    packageCommand("@playwright/test", "playwright"),
    ["test", ...process.argv.slice(2)],
    { env: { CHROMIUM_PATH: chromium, HEADLESS_SHELL_PATH: shell ?? chromium }, limitSeconds: 3600 },
  );
  if (process.exitCode !== 0) printFailedPages();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

/** Prints what the pages of failed tests showed, because a machine that only runs the tests keeps no files. */
function printFailedPages(): void {
  const MAX_PAGES = 5;
  const MAX_CHARACTERS = 4000;
  const directory = join(ROOT, "test-results/browser");
  for (const file of globSync("*/error-context.md", { cwd: directory }).slice(0, MAX_PAGES)) {
    const [, page = ""] = readFileSync(join(directory, file), "utf8").split("```yaml");
    console.log(`\n-- the page of ${file}\n${page.split("```")[0]?.slice(0, MAX_CHARACTERS)}`);
  }
}
