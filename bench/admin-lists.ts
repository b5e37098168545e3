// Time of every list, search, filter, last page and card of the admin at several numbers of purchases, with a tenth as
// many users: p50 and p95 at concurrency 4, warm, median of 5 runs. The plans go to a file.
// node bin/daypass.mjs exec bench/admin-lists.ts [sizes, such as 10000,100000,1000000] [file for the plans] [only]
import { appendFileSync, writeFileSync } from "node:fs";
import pg from "pg";
import { uuidv7 } from "uuidv7";
import { systemClock } from "#core/time.ts";
import { migrateDatabase } from "#db/migrate.ts";
import { startThrowawayPostgres } from "../tests/database/throwaway-postgres.ts";
import { openTestShop } from "../tests/fixtures/open-test-shop.ts";
import { seed, sizesOf } from "./seed-million.ts";
import { reads } from "./support/admin-list-reads.ts";
import { recordStatements } from "./support/purchase-statements.ts";
import { median, quantile } from "./support/shop-process.ts";

const SIZES = (process.argv[2] ?? "10000,100000,1000000").split(",").map(Number);
const PLANS_FILE = process.argv[3];
const ONLY = process.argv[4];
const CONCURRENCY = 4;
const RUNS = 5;
const CALLS = 40;
const AIM_MS = 300;

const server = await startThrowawayPostgres();
if (PLANS_FILE) writeFileSync(PLANS_FILE, "");
const results = new Map<string, string[]>();
try {
  for (const size of SIZES) await measureSize(size);
} finally {
  await server.stop();
}
for (const [name, cells] of results) console.log(`${name.padEnd(44)} ${cells.join("   ")}`);

async function measureSize(size: number): Promise<void> {
  const name = `rows_${size}`;
  const setup = new pg.Client({ connectionString: server.url });
  setup.on("error", () => undefined);
  await setup.connect();
  await setup.query(`create database ${name}`);
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  await migrateDatabase(url.href);
  const client = new pg.Client({ connectionString: url.href });
  client.on("error", () => undefined);
  await client.connect();
  const since = performance.now();
  await seed(client, sizesOf(size));
  console.log(`${size}: seeded in ${((performance.now() - since) / 1000).toFixed(0)} s`);
  const drop = () => setup.query(`drop database ${name} with (force)`);
  const shop = openTestShop(
    { url: url.href, drop: async () => void (await drop()) },
    { clock: systemClock, connections: 10 },
  );
  const ctx = shop.contextFor({
    kind: "admin",
    userId: uuidv7(),
    email: "owner@shop.example",
    sessionId: uuidv7(),
  });
  // Statements with names are not recorded.
  const database = { url: url.href, drop: async () => undefined };
  const unnamed = openTestShop(database, { clock: systemClock, connections: 2 });
  const unnamedCtx = unnamed.contextFor(ctx.actor);
  try {
    for (const [what, read] of Object.entries(reads)) {
      if (ONLY && !what.includes(ONLY)) continue;
      const { p50, p95 } = await measure(() => read(ctx));
      const cell = `${size}: p50 ${p50.toFixed(1)}, p95 ${p95.toFixed(1)}${p95 > AIM_MS ? " OVER" : ""}`;
      console.log(`${what.padEnd(44)} ${cell}`);
      results.set(what, [...(results.get(what) ?? []), cell]);
      if (PLANS_FILE) await writePlans(client, `${size}: ${what}`, () => read(unnamedCtx));
    }
  } finally {
    await client.end();
    await unnamed.close();
    await shop.close();
    await setup.end();
  }
}

async function measure(read: () => Promise<unknown>): Promise<{ p50: number; p95: number }> {
  for (let n = 0; n < 6; n++) await read();
  const runs: { p50: number; p95: number }[] = [];
  for (let run = 0; run < RUNS; run++) {
    const ms: number[] = [];
    const worker = async () => {
      for (let n = 0; n < CALLS / CONCURRENCY; n++) {
        const since = performance.now();
        await read();
        ms.push(performance.now() - since);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
    runs.push({ p50: quantile(ms, 0.5), p95: quantile(ms, 0.95) });
  }
  return { p50: median(runs.map(({ p50 }) => p50)), p95: median(runs.map(({ p95 }) => p95)) };
}

/** Explains every statement that `read` sends. */
async function writePlans(client: pg.Client, title: string, read: () => Promise<unknown>): Promise<void> {
  const recording = recordStatements();
  await read();
  const statements = recording.recorded().filter(({ text }) => /^\s*(?:select|with)\b/i.test(text));
  recording.stop();
  appendFileSync(PLANS_FILE ?? "", `\n=== ${title}\n`);
  for (const { text, values } of statements) {
    const { rows } = await client.query<{ "QUERY PLAN": string }>({
      text: `explain (analyze, buffers) ${text}`,
      values,
    });
    appendFileSync(
      PLANS_FILE ?? "",
      `\n${text.trim()}\n${rows.map((row) => row["QUERY PLAN"]).join("\n")}\n`,
    );
  }
}
