// Imports a large old shop into a new one by the command: time, memory, and what is there afterwards; then a second run, which
// must change nothing; then runs that are killed at moments spread over the import, after which one more run must give the same
// rows. node bin/daypass.mjs exec bench/import.ts [users] [purchases] [kills]
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runOwnerCommand } from "./support/owner-command.ts";
import { connectToShop } from "./support/shop-database.ts";
import { createDataDir, ROOT } from "./support/shop-process.ts";

const USERS = Number(process.argv[2] ?? 100_000);
const PURCHASES = Number(process.argv[3] ?? 500_000);
const KILLS = Number(process.argv[4] ?? 0);
const TOOLS = 40;
const DAY = 86_400_000;
const NOW = Date.now();

async function write(path: string, count: number, line: (at: number) => object): Promise<void> {
  const file = createWriteStream(path);
  for (let at = 0; at < count; at++)
    if (!file.write(`${JSON.stringify(line(at))}\n`)) await once(file, "drain");
  file.end();
  await once(file, "finish");
}

async function writeExport(folder: string): Promise<void> {
  const tools = Array.from({ length: TOOLS }, (_, at) => ({
    id: `tool-${at}`,
    name: `Tool ${at}`,
    description: "A tool",
    price: 100 + at,
    availableStock: 50,
    isActive: true,
    validity: 30,
  }));
  writeFileSync(join(folder, "tools.json"), JSON.stringify(tools));
  await write(join(folder, "Users.ndjson"), USERS, (at) => ({
    id: `uid-${at}`,
    email: `buyer-${at}@example.com`,
    displayName: `Buyer ${at}`,
    signupDate: { _seconds: Math.floor((NOW - (at % 700) * DAY) / 1000), _nanoseconds: 0 },
    isActive: true,
    provider: "email",
  }));
  await write(join(folder, "user_purchases.ndjson"), PURCHASES, (at) => {
    const bought = NOW - ((at * 7) % 600) * DAY;
    return {
      id: `purchase-${at}`,
      userId: `uid-${at % USERS}`,
      userEmail: `buyer-${at % USERS}@example.com`,
      toolName: `Tool ${(at * 13) % TOOLS}`,
      amount: 10_000,
      validity: 30,
      status: at % 10 === 0 ? "failed" : "completed",
      createdAt: new Date(bought).toISOString(),
      expiresAt: new Date(bought + 30 * DAY).toISOString(),
      razorpay_payment_id: `pay_${at}`,
    };
  });
}

const runImport = (folder: string, dataDir: string, killAfterMs?: number) =>
  runOwnerCommand("import", [folder], {
    env: { DATA_DIR: dataDir },
    ...(killAfterMs !== undefined && { killAfterMs }),
  });

async function startDatabaseAndCount(dataDir: string): Promise<Record<string, string>> {
  const shop = spawn(process.execPath, ["bin/daypass.mjs", "start"], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      DATA_DIR: dataDir,
      PORT: "39871",
      NO_RESTART: "1",
    },
  });
  for await (const chunk of shop.stdout) if (String(chunk).includes("Daypass is ready")) break;
  const client = await connectToShop(dataDir);
  const { rows } = await client.query(`select
    (select count(*) from users) as users, (select count(*) from tools) as tools,
    (select count(*) from user_purchases) as purchases, (select sum(amount) from user_purchases) as paise,
    (select count(*) from user_purchases where ended_reason = 'superseded') as superseded,
    (select count(*) from imported_documents) as documents,
    (select md5(string_agg(tool_name || user_email || status || expires_at::text, ',' order by user_email, tool_name, created_at, expires_at))
     from user_purchases where expires_at is not null) as passes,
    pg_size_pretty(pg_database_size(current_database())) as size`);
  await client.end();
  const ended = once(shop, "exit");
  shop.kill("SIGTERM");
  await ended;
  return rows[0];
}

const folder = mkdtempSync(join(tmpdir(), "old-shop-"));
const dataDirs: string[] = [];
const newDataDir = () => {
  const dataDir = createDataDir();
  dataDirs.push(dataDir);
  return dataDir;
};
try {
  await writeExport(folder);
  const dataDir = newDataDir();
  const first = await runImport(folder, dataDir);
  console.log(
    `${USERS} users, ${PURCHASES} purchases: ${first.seconds.toFixed(1)} s, at most ${first.peakMb} MB`,
  );
  const expected = await startDatabaseAndCount(dataDir);
  console.log(JSON.stringify(expected));
  const second = await runImport(folder, dataDir);
  const after = await startDatabaseAndCount(dataDir);
  const { size: _, ...rows } = after;
  const isSame = Object.entries(rows).every(([name, value]) => expected[name] === value);
  console.log(
    `again: ${second.seconds.toFixed(1)} s, ${isSame ? "nothing changed" : `CHANGED ${JSON.stringify(after)}`}`,
  );
  for (let kill = 1; kill <= KILLS; kill++) {
    const killed = newDataDir();
    const at = (first.seconds * 1000 * kill) / (KILLS + 1);
    await runImport(folder, killed, at);
    await runImport(folder, killed);
    const { size: _size, ...result } = await startDatabaseAndCount(killed);
    const problems = Object.entries(result).filter(([name, value]) => expected[name] !== value);
    console.log(
      `killed after ${(at / 1000).toFixed(1)} s and run again: ${problems.length === 0 ? "the same rows" : `DIFFERS ${JSON.stringify(problems)}`}`,
    );
    if (problems.length > 0) process.exitCode = 1;
    rmSync(killed, { recursive: true, force: true });
  }
  if (!isSame) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
  for (const dataDir of dataDirs) rmSync(dataDir, { recursive: true, force: true });
}
