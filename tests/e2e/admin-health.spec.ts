import { execFile } from "node:child_process";
import { once } from "node:events";
import { chmodSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect } from "@playwright/test";
import type { HealthLine } from "#core/health/health-check.ts";
import { findBinaries } from "#server/embedded-postgres/binaries.ts";
import { clusterHome } from "#server/embedded-postgres/locate-cluster.ts";
import { findPostmaster } from "#server/embedded-postgres/postmaster.ts";
import { freePort } from "../free-port.ts";
import { expectAccessible } from "./accessibility.ts";
import { becomeAdmin, signInAsAdmin } from "./admin-page.ts";
import { test } from "./fixtures.ts";
import { ShopPage } from "./shop-page.ts";
import { ADMIN_PASSWORD, makeDataDir, startShopProcess } from "./shop-process.ts";
import { signInAsNewUser } from "./test-users.ts";

/** The checks of a run, and the pause before it. */
const RUN_MS = 30_000;

/** Runs `npm run doctor -- --json` with the settings of the shop. */
function doctor(settings: Record<string, string>): Promise<{ code: number; checks: HealthLine[] }> {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, DEMO: "1", LOG_LEVEL: "silent", ...settings };
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      ["bin/daypass.mjs", "doctor", "--json"],
      { env, timeout: 120_000 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : error.code;
        if (typeof code !== "number") return reject(error);
        try {
          resolve({ code, checks: JSON.parse(stdout).checks });
        } catch {
          reject(new Error(`the command has printed no report: ${stdout}${stderr}`));
        }
      },
    );
  });
}

test("the admin and the command see what is wrong with the running shop, and that it is mended", async ({
  shop,
  page,
  sharedShopUrl,
}) => {
  test.setTimeout(240_000);
  const dataDir = process.env.E2E_DATA_DIR ?? "";
  const keys = join(dataDir, "keys");
  const settings = { DATA_DIR: dataDir, PORT: new URL(sharedShopUrl).port };
  const wrong = page.getByRole("region", { name: "What to do" }).getByRole("listitem");
  const folders = wrong.filter({ hasText: "Folder permissions" });

  chmodSync(keys, 0o755);
  try {
    await test.step("the page shows the failure first, with the command that mends it", async () => {
      await becomeAdmin(page);
      await shop.open("/admin");
      await page.getByRole("link", { name: "Health" }).click();
      await expect(shop.heading("Health")).toBeVisible();
      // Another journey may have looked at the page before.
      await page.getByRole("button", { name: "Check Again" }).click();
      await expect(folders).toContainText(`chmod 700 ${keys}`, { timeout: RUN_MS });
      await expect(wrong.first()).toContainText("Folder permissions");
      await expect(folders).toContainText("Failed");
      await expect(wrong.filter({ hasText: "Mail server" })).toContainText("Warning");
      const fine = page.getByRole("region", { name: "Fine" }).getByRole("listitem");
      await expect(fine.filter({ hasText: "Public address" })).toContainText(sharedShopUrl);
      await expect(fine.filter({ hasText: "Jobs" })).toContainText("on time");
      await expect(page.getByText("The shop sees your own request as coming from 127.0.0.1")).toBeVisible();
      await expectAccessible(page, "admin health");
    });

    await test.step("the command says the same beside the running shop, and ends with code 1", async () => {
      const { code, checks } = await doctor(settings);
      const failed = checks.filter(({ state }) => state === "failed");
      expect(failed).toEqual([expect.objectContaining({ id: "folders", command: `chmod 700 ${keys}` })]);
      expect(code).toBe(1);
      for (const id of ["database", "keys", "port", "origin", "proxy", "jobs"])
        expect(checks.find((check) => check.id === id)?.state, id).toBe("ok");
    });
  } finally {
    chmodSync(keys, 0o700);
  }

  await test.step("once it is mended, the page and the command say so, on a phone too", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    const again = page.getByRole("button", { name: "Check Again" });
    await again.click();
    await expect(page.getByRole("button", { name: "Checking…" })).toBeFocused();
    await expect(page.getByRole("status").filter({ hasText: "One thing needs attention" })).toBeVisible({
      timeout: RUN_MS,
    });
    await expect(folders).toHaveCount(0);
    await expect(again).toBeFocused();
    expect((await doctor(settings)).code).toBe(0);
  });
});

test("a visitor and a buyer get no report", async ({ shop, page, openOtherBrowser }) => {
  await shop.open("/admin/health");
  await expect(shop.heading("Admin Panel")).toBeVisible();
  const buyer = await openOtherBrowser();
  await signInAsNewUser(buyer.page);
  const answer = await buyer.page.goto("/admin/health");
  expect(answer?.status()).toBe(403);
  await expect(buyer.heading("Admin Panel")).toBeVisible();
  for (const reader of [page, buyer.page]) expect(await reader.content()).not.toContain("Folder permissions");
  const post = await buyer.page.request.post("/admin/health", { form: { intent: "check-again" } });
  expect(post.status()).toBeGreaterThanOrEqual(400);
});

test("while a mail server is silent the page says that it is checking, and other pages open", async ({
  browser,
}) => {
  // It starts a shop of its own.
  test.setTimeout(240_000);
  const silent = createServer();
  silent.listen(0, "127.0.0.1");
  await once(silent, "listening");
  const address = silent.address();
  const mailPort = typeof address === "object" && address ? address.port : 0;
  const dataDir = makeDataDir();
  const process = await startShopProcess({
    dataDir,
    port: await freePort(),
    settings: { ADMIN_PASSWORD, SMTP_URL: `smtp://shop:secret-of-the-mailbox@127.0.0.1:${mailPort}` },
  });
  const context = await browser.newContext({ baseURL: process.url, viewport: { width: 1280, height: 900 } });
  try {
    const page = await context.newPage();
    const shop = new ShopPage(page);
    await signInAsAdmin(shop);
    await shop.open("/admin/health");
    const status = page.getByRole("status").filter({ hasText: "Checking your shop…" });
    await expect(status).toBeVisible();
    if (globalThis.process.env.E2E_SHOTS)
      await page.screenshot({ path: join(globalThis.process.env.E2E_SHOTS, "admin-health-loading.png") });
    await page.getByRole("link", { name: "Settings" }).click();
    await expect(shop.heading("Settings")).toBeVisible();
    await page.getByRole("link", { name: "Health" }).click();
    const mail = page.getByRole("region", { name: "What to do" }).getByRole("listitem");
    await expect(mail.filter({ hasText: "Mail server" })).toContainText(
      `127.0.0.1:${mailPort} cannot be used`,
      {
        timeout: RUN_MS,
      },
    );
    await expect(status).toHaveCount(0);
    expect(await page.content()).not.toContain("secret-of-the-mailbox");

    await test.step("without a running shop the command starts its database, and stops it again", async () => {
      await process.stop();
      const { code, checks } = await doctor({ DATA_DIR: dataDir, PORT: new URL(process.url).port });
      const stateOf = (id: string) => checks.find((check) => check.id === id)?.state;
      expect(checks.filter(({ state }) => state === "failed")).toEqual([]);
      expect(code).toBe(0);
      for (const id of ["database", "schema", "keys", "jobs", "refunds"]) expect(stateOf(id), id).toBe("ok");
      expect([stateOf("port"), stateOf("origin")]).toEqual(["warning", "skipped"]);
      expect(findPostmaster(join(clusterHome(dataDir) ?? "", String(findBinaries().major)))).toBeUndefined();
    });
  } finally {
    await context.close();
    await process.stop();
    silent.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
