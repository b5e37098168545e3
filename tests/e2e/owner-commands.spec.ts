import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "@playwright/test";
import { freePort } from "../free-port.ts";
import { ADMIN_PASSWORD, makeDataDir, startShopProcess } from "./shop-process.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

const dataDir = makeDataDir();
test.beforeAll(async () => {
  test.setTimeout(180_000);
  const shop = await startShopProcess({ dataDir, port: await freePort(), settings: { ADMIN_PASSWORD } });
  await shop.stop();
});
test.afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

/** Runs a command of the owner to its end, without a terminal. */
async function run(args: readonly string[], settings: Record<string, string> = {}) {
  const child = spawn(process.execPath, ["bin/daypass.mjs", ...args], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: String(await freePort()),
      DATA_DIR: dataDir,
      NO_RESTART: "1",
      ...settings,
    },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += String(text)));
  const [code] = await once(child, "close");
  return { code, output };
}

test("admin:reset with a mistyped address makes no second admin, unless a flag says so", async () => {
  test.setTimeout(180_000);
  const mistyped = { ADMIN_EMAIL: "admni@example.com" };
  const refused = await run(["admin-reset"], mistyped);
  expect(refused.code).toBe(1);
  expect(refused.output).toContain(
    "admni@example.com is not an admin of this shop. Its admins are: admin@example.com.",
  );
  expect(refused.output).toContain("--make-admin");
  expect(refused.output).not.toContain("New password");
  const agreed = await run(["admin-reset", "--make-admin"], mistyped);
  expect(agreed).toMatchObject({ code: 0, output: expect.stringContaining("New password") });
});

test("without its key files a shop does not start and writes none; a command gives the codes up", async () => {
  test.setTimeout(240_000);
  const keys = join(dataDir, "keys");
  rmSync(keys, { recursive: true });
  const refused = await run(["start"]);
  expect(refused.code).toBe(1);
  expect(refused.output).toContain("auth-secret is missing");
  expect(existsSync(keys)).toBe(false);
  const asked = await run(["keys-give-up"]);
  expect(asked.code).toBe(1);
  expect(asked.output).toContain("To agree without a terminal, add -- --yes");
  expect(existsSync(keys)).toBe(false);
  const given = await run(["keys-give-up", "--yes"]);
  expect(given).toMatchObject({ code: 0, output: expect.stringMatching(/Deleted: \d+ access codes/) });
  const shop = await startShopProcess({ dataDir, port: await freePort(), settings: { ADMIN_PASSWORD } });
  await shop.stop();
});
