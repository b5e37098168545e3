import { execFile } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "@playwright/test";
import { strToU8, zipSync } from "fflate";
import { FILES, TOTALS } from "../fixtures/old-shop/expected.ts";
import { freePort } from "../free-port.ts";
import { expectAccessible } from "./accessibility.ts";
import { purchaseRow, signInAsAdmin } from "./admin-page.ts";
import { test } from "./fixtures.ts";
import { query } from "./shop-database.ts";
import { ShopPage } from "./shop-page.ts";
import { ADMIN_PASSWORD, makeDataDir, startShopProcess } from "./shop-process.ts";

const FOLDER = fileURLToPath(new URL("../fixtures/old-shop", import.meta.url));
/** The messy export of an old shop. */
const EXPORT = zipSync(
  Object.fromEntries(readdirSync(FOLDER).map((name) => [name, readFileSync(join(FOLDER, name))])),
);
const UNSAFE = zipSync({ "../tools.json": strToU8("[]") });
const COMMAND_MS = 90_000;

/** Runs `npm run import` beside the shop of this folder. @returns what it printed */
async function runImport(dataDir: string, ...args: readonly string[]): Promise<string> {
  const { PATH, HOME } = process.env;
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ["bin/daypass.mjs", "import", ...args],
    { env: { PATH, HOME, DATA_DIR: dataDir, DEMO: "1" }, timeout: COMMAND_MS },
  );
  return stdout + stderr;
}

test("an owner imports an old shop by the command that Settings names, while the shop runs", async ({
  browser,
}) => {
  // It starts a shop of its own, and several processes beside it.
  test.setTimeout(400_000);
  const dataDir = makeDataDir();
  const shopProcess = await startShopProcess({
    dataDir,
    port: await freePort(),
    settings: { ADMIN_PASSWORD },
  });
  const context = await browser.newContext({
    baseURL: shopProcess.url,
    viewport: { width: 1280, height: 900 },
  });
  const read = (text: string) => query(text, [], dataDir);
  const countUsers = () => read("select count(*)::int as count from users");
  const zip = join(dataDir, "old-shop.zip");
  writeFileSync(zip, EXPORT);
  const reports = () => readdirSync(join(dataDir, "imports"));
  try {
    const page = await context.newPage();
    const shop = new ShopPage(page);
    await signInAsAdmin(shop);

    await test.step("Settings names the command", async () => {
      await shop.open("/admin/settings");
      const moveIn = page.getByRole("region", { name: "Move in" });
      await expect(moveIn.getByText("npm run import -- FOLDER_OR_ZIP --dry-run")).toBeVisible();
      await expectAccessible(page, "admin move in", "section[aria-labelledby=move-in-title]");
    });

    await test.step("a zip with an unsafe path is refused with a sentence", async () => {
      const unsafe = join(dataDir, "unsafe.zip");
      writeFileSync(unsafe, UNSAFE);
      await expect(runImport(dataDir, unsafe, "--dry-run")).rejects.toThrow(
        'The zip has a file with an unsafe path: "../tools.json".',
      );
    });

    await test.step("the dry run says what the export would become, and changes nothing", async () => {
      const printed = await runImport(dataDir, zip, "--dry-run");
      expect(printed).toContain("Dry run: nothing is imported.");
      expect(printed).toContain("What needs a person:");
      expect(printed).toContain(`tools: ${FILES.Tools?.documents} read`);
      expect(await countUsers()).toEqual([{ count: 1 }]);
      const [name = ""] = reports().filter((report) => report.endsWith(".txt"));
      const report = readFileSync(join(dataDir, "imports", name), "utf8");
      expect(report).toContain("What was repaired:");
      expect(report).toContain("asha.rao@example.com");
      expect(report.split("\n").length).toBeGreaterThan(150);
    });

    await test.step("the import leaves nothing but its reports", async () => {
      const printed = await runImport(dataDir, zip, "--remove-demo-tools");
      expect(printed).toContain("Importing.");
      expect(printed).toContain("Not on sale, because a pass would open nothing:");
      expect(reports().filter((name) => !/\.(?:txt|csv)$/.test(name))).toEqual([]);
      expect(await countUsers()).toEqual([{ count: TOTALS.accounts }]);
    });

    await test.step("people and purchases are in their tabs", async () => {
      await page.getByRole("tab", { name: /^Users Management/ }).click();
      await page.getByRole("searchbox", { name: "Search users by email or name" }).fill("asha.rao");
      await expect(page.getByRole("table", { name: "Users" }).getByText("Asha Rao")).toBeVisible();
      await page.getByRole("tab", { name: /^User Purchases/ }).click();
      // The id that the purchase had in the old shop.
      await page
        .getByRole("searchbox", { name: "Search by email, tool, ID, phone, UTR, UPI or amount" })
        .fill("up-0002");
      const found = purchaseRow(page, "asha.rao@example.com", "ChatGPT Pro");
      await expect(found).toHaveCount(1);
      await expect(found.getByText("Imported", { exact: true })).toBeVisible();
    });
  } finally {
    await context.close();
    await shopProcess.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
