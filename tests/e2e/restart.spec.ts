import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { findLockHolder } from "#server/embedded-postgres/lock-file.ts";
import { databaseProcessesIn, isRunning } from "#server/embedded-postgres/processes.ts";
import { freePort } from "../free-port.ts";
import { clusterFolder } from "./shop-database.ts";
import { ADMIN_PASSWORD, makeDataDir, type ShopProcess, startShopProcess } from "./shop-process.ts";

const cleanUps: (() => unknown)[] = [];
test.afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function start(settings: Record<string, string>): Promise<{ shop: ShopProcess; dataDir: string }> {
  const dataDir = makeDataDir();
  cleanUps.push(() => rmSync(dataDir, { recursive: true, force: true }));
  const options = { dataDir, port: await freePort(), settings: { ADMIN_PASSWORD, ...settings } };
  const shop = await startShopProcess(options);
  cleanUps.push(() => shop.stop());
  return { shop, dataDir };
}

/** The process that serves the shop and owns its database; 0 when there is none. */
const servingProcess = (dataDir: string) => findLockHolder(join(dataDir, "pg"))?.pid ?? 0;

test("the supervisor restarts a killed shop and stops it cleanly", async () => {
  const { shop, dataDir } = await start({ NO_RESTART: "0" });
  const killed = servingProcess(dataDir);
  process.kill(killed, "SIGKILL");
  await expect
    .poll(() => [0, killed].includes(servingProcess(dataDir)), {
      timeout: 60_000,
      message: "another process",
    })
    .toBe(false);
  const home = () => fetch(shop.url).then(({ status }) => status, String);
  await expect.poll(home, { timeout: 60_000 }).toBe(200);

  const another = startShopProcess({ dataDir, port: await freePort(), settings: { NO_RESTART: "0" } });
  await expect(another).rejects.toThrow(`is in use by process ${servingProcess(dataDir)} since`);

  const last = servingProcess(dataDir);
  const folder = clusterFolder(dataDir);
  await shop.stop();
  expect(await shop.ended).toEqual([0, null]);
  expect(isRunning(last)).toBe(false);
  expect(databaseProcessesIn(folder)).toEqual([]);
});

test("with NO_RESTART=1 a killed shop is not restarted", async () => {
  const { shop, dataDir } = await start({ NO_RESTART: "1" });
  process.kill(servingProcess(dataDir), "SIGKILL");
  expect(await shop.ended).toEqual([null, "SIGKILL"]);
  // The next start stops the orphaned database.
  const again = await startShopProcess({ dataDir, port: await freePort(), settings: { NO_RESTART: "1" } });
  await again.stop();
  expect(databaseProcessesIn(clusterFolder(dataDir))).toEqual([]);
});
