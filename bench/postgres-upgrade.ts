// Makes a shop whose embedded database is PostgreSQL 17, as an earlier version of the shop would have made it, and starts it with
// the present one: once undisturbed, then killed at moments spread over the upgrade and started again. Every row must be there.
// node bin/daypass.mjs exec bench/postgres-upgrade.ts [kills]
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { migrateDatabase } from "#db/migrate.ts";
import { fetchBinaries, findOlderCluster } from "#server/embedded-postgres/older-cluster.ts";
import { startEmbeddedPostgres } from "#server/embedded-postgres/start-embedded-postgres.ts";
import { seed, sizesOf } from "./seed-million.ts";
import { connectToShop } from "./support/shop-database.ts";
import { createDataDir, startShop, stopShop } from "./support/shop-process.ts";

const KILLS = Number(process.argv[2] ?? 10);
const PORT = 39_873;
const COUNTS = `select (select count(*) from users)::int as users, (select count(*) from user_purchases)::int as purchases,
  (select md5(string_agg(t::text, ',' order by id)) from user_purchases t) as passes,
  (select count(*) from payment_attempts)::int as payments`;

async function makeOlderShop(): Promise<string> {
  const dataDir = createDataDir();
  mkdirSync(join(dataDir, "pg"), { recursive: true, mode: 0o755 });
  const binaries = await fetchBinaries(17, join(dataDir, "pg"));
  const database = await startEmbeddedPostgres({
    dataDir,
    log: console.log,
    onFatal: console.error,
    binaries,
  });
  await migrateDatabase(database.url);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await seed(client, sizesOf(20_000));
  await client.end();
  await database.stop();
  return dataDir;
}

async function readCounts(dataDir: string): Promise<string> {
  const client = await connectToShop(dataDir);
  const { rows } = await client.query(`select current_setting('server_version_num')::int / 10000 as major`);
  const counts = await client.query(COUNTS);
  await client.end();
  return JSON.stringify({ ...rows[0], ...counts.rows[0] });
}

const original = await makeOlderShop();
const folders = [original];
const copyShop = () => {
  const dataDir = createDataDir();
  folders.push(dataDir);
  // The database's user owns its files.
  execFileSync("cp", ["-a", `${original}/.`, dataDir]);
  return dataDir;
};
try {
  console.log(`made: PostgreSQL ${findOlderCluster(original)?.major}`);
  const began = performance.now();
  const shop = await startShop({ dataDir: original, port: PORT, env: { DEMO: "0" }, withinMs: 300_000 });
  const seconds = (performance.now() - began) / 1000;
  const expected = await readCounts(original);
  await stopShop(shop);
  console.log(`upgraded and started in ${seconds.toFixed(1)} s: ${expected}`);
  if (!existsSync(join(original, "pg/17/PG_VERSION"))) throw new Error("the older folder is gone");
  rmSync(join(original, "pg/18"), { recursive: true });
  for (let kill = 1; kill <= KILLS; kill++) {
    const dataDir = copyShop();
    const atMs = (seconds * 1000 * kill) / (KILLS + 1);
    const starting = startShop({ dataDir, port: PORT, env: { DEMO: "0" }, withinMs: atMs }).catch(() => null);
    await Promise.race([starting.then((one) => one && stopShop(one, "SIGKILL")), delay(atMs + 2_000)]);
    const again = await startShop({ dataDir, port: PORT, env: { DEMO: "0" }, withinMs: 300_000 });
    const found = await readCounts(dataDir);
    await stopShop(again);
    const isSame = found === expected;
    if (!isSame) process.exitCode = 1;
    console.log(
      `killed after ${(atMs / 1000).toFixed(1)} s and started again: ${isSame ? "the same rows" : `DIFFERS ${found}`}`,
    );
    rmSync(dataDir, { recursive: true, force: true });
  }
} finally {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
