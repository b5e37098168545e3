// Backs up and restores a shop with many purchases: time, memory, size of the file, and how long purchases take meanwhile. The
// restored shop must have the same tables as the backup. Then backups and restores that are killed at moments spread over
// their time: a killed backup leaves no file, a killed restore no table, and both work when they are run again.
// node bin/daypass.mjs exec bench/backup.ts [purchases] [kills]
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { type BackupTable, openBackupFile } from "#adapters/backup/backup-file.ts";
import { startEmbeddedPostgres } from "#server/embedded-postgres/start-embedded-postgres.ts";
import { seed, sizesOf } from "./seed-million.ts";
import { type CommandRun, runOwnerCommand } from "./support/owner-command.ts";
import { Buyer } from "./support/shop-buyer.ts";
import { connectToShop } from "./support/shop-database.ts";
import { createDataDir, quantile, startShop, stopShop } from "./support/shop-process.ts";

const PURCHASES = Number(process.argv[2] ?? 500_000);
const KILLS = Number(process.argv[3] ?? 20);
const PASSPHRASE = "a passphrase for the bench";
const PORT = 39_872;
/** What a restore changes: sessions end, and the shop notes that it was restored. */
const CHANGED = ["sessions", "verifications", "device_tickets", "rate_limits", "settings", "job_runs"];

function run(
  task: "backup" | "restore",
  args: string[],
  dataDir: string,
  { encrypted = true, killAfterMs }: { encrypted?: boolean; killAfterMs?: number } = {},
): Promise<CommandRun> {
  const env = { DATA_DIR: dataDir, ...(encrypted && { BACKUP_PASSPHRASE: PASSPHRASE }) };
  return runOwnerCommand(task, args, { env, ...(killAfterMs !== undefined && { killAfterMs }) });
}

async function tablesOf(path: string, folder: string): Promise<Map<string, BackupTable>> {
  const backup = await openBackupFile(path, { passphrase: PASSPHRASE, folder });
  await backup.close();
  return new Map(backup.manifest.tables.map((table) => [table.name, table]));
}

/** The tables whose rows differ between two backups. */
async function differencesOf(one: string, other: string, folder: string): Promise<string[]> {
  const [first, second] = [await tablesOf(one, folder), await tablesOf(other, folder)];
  const names = new Set([...first.keys(), ...second.keys()]);
  return [...names].filter(
    (name) => !CHANGED.includes(name) && first.get(name)?.sha256 !== second.get(name)?.sha256,
  );
}

/** Milliseconds of each purchase, from the start of the checkout to the pass, until `isDone`. */
async function buy(url: string, slug: string, isDone: (count: number) => boolean): Promise<number[]> {
  const times: number[] = [];
  while (!isDone(times.length)) {
    const buyer = new Buyer(url);
    await buyer.signUp();
    const startedAt = performance.now();
    const started = await buyer.start(slug);
    if ("refused" in started) throw new Error(started.refused);
    const state = await buyer.confirm(await buyer.pay(started.orderId));
    if (state !== "success") throw new Error(state);
    times.push(performance.now() - startedAt);
  }
  return times;
}

const summary = (times: number[]) =>
  `p50 ${Math.round(quantile(times, 0.5))} ms, p95 ${Math.round(quantile(times, 0.95))} ms (${times.length})`;

async function countTables(dataDir: string): Promise<number> {
  const database = await startEmbeddedPostgres({ dataDir, log: () => undefined, onFatal: console.error });
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query(
    "select count(*)::int as count from pg_tables where schemaname in ('public', 'drizzle')",
  );
  await client.end();
  await database.stop();
  return rows[0].count;
}

const work = mkdtempSync(join(tmpdir(), "daypass-backups-"));
const dataDirs: string[] = [];
const newDataDir = () => {
  const dataDir = createDataDir();
  dataDirs.push(dataDir);
  return dataDir;
};
const fail = (problem: string) => {
  console.log(`FAILED: ${problem}`);
  process.exitCode = 1;
};

try {
  const dataDir = newDataDir();
  const shop = await startShop({ dataDir, port: PORT, env: { DEMO: "0" } });
  const client = await connectToShop(dataDir);
  await seed(client, sizesOf(PURCHASES));
  const { rows } = await client.query(
    "update tools set available_stock = 100000 where id = (select id from tools where is_active order by slug limit 1) returning slug",
  );
  const { slug } = rows[0];
  const alone = await buy(shop.url, slug, (count) => count >= 100);
  let isDone = false;
  const meanwhile = buy(shop.url, slug, () => isDone);
  const plain = await run("backup", [join(work, "plain.zip")], dataDir, { encrypted: false });
  const encrypted = await run("backup", [join(work, "while-selling.age")], dataDir);
  isDone = true;
  const during = await meanwhile;
  console.log(
    `${PURCHASES} purchases; a purchase alone: ${summary(alone)}; during backups: ${summary(during)}`,
  );
  const megabytes = (name: string) => (statSync(join(work, name)).size / 1e6).toFixed(1);
  console.log(
    `backup: ${plain.seconds.toFixed(1)} s, at most ${plain.peakMb} MB, file ${megabytes("plain.zip")} MB`,
  );
  console.log(`encrypted: ${encrypted.seconds.toFixed(1)} s, at most ${encrypted.peakMb} MB`);
  await client.end();
  await stopShop(shop);

  const path = join(work, "shop.age");
  const backup = await run("backup", [path], dataDir);
  const target = newDataDir();
  const restore = await run("restore", [path], target);
  console.log(`restore: ${restore.seconds.toFixed(1)} s, at most ${restore.peakMb} MB`);
  const again = join(work, "again.age");
  await run("backup", [again], target);
  const differences = await differencesOf(path, again, work);
  if (differences.length > 0) fail(`the restored shop differs in ${differences.join(", ")}`);
  else console.log("the restored shop has the same rows in every table");

  for (let kill = 1; kill <= KILLS; kill++) {
    const share = kill / (KILLS + 1);
    const killed = join(work, `killed-${kill}.age`);
    const run1 = await run("backup", [killed], dataDir, { killAfterMs: backup.seconds * 1000 * share });
    if (run1.code !== 0 && existsSync(killed)) fail(`a backup killed at ${share.toFixed(2)} left a file`);
    const empty = newDataDir();
    const run2 = await run("restore", [path], empty, { killAfterMs: restore.seconds * 1000 * share });
    const tables = await countTables(empty);
    const isWhole = run2.code === 0 || tables >= 30;
    if (!isWhole && tables > 0) fail(`a restore killed at ${share.toFixed(2)} left ${tables} tables`);
    if (!isWhole) await run("restore", [path], empty);
    const after = join(work, `after-${kill}.age`);
    await run("backup", [after], empty);
    const wrong = await differencesOf(path, after, work);
    if (wrong.length > 0) fail(`restored after a kill at ${share.toFixed(2)}, ${wrong.join(", ")} differ`);
    console.log(
      `killed at ${share.toFixed(2)}: the restore had ${isWhole ? "committed" : "left nothing"}, and the rows are the same`,
    );
    rmSync(after);
    rmSync(empty, { recursive: true, force: true });
  }
  const left = readdirSync(work).filter((name) => name.endsWith(".tmp"));
  if (left.length > 0) fail(`decrypted files were left: ${left.join(", ")}`);
} finally {
  for (const folder of [work, ...dataDirs]) rmSync(folder, { recursive: true, force: true });
}
