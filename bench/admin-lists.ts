// Time of every list, search, filter, last page and card of the admin at several sizes: p50 and p95 at concurrency 4,
// warm, median of 5 runs. The plans go to a file.
// node bin/daypass.mjs exec bench/admin-lists.ts [sizes, such as 10000,100000,1000000] [file for the plans] [only]
import { appendFileSync, writeFileSync } from "node:fs";
import pg from "pg";
import { uuidv7 } from "uuidv7";
import { listAccessCodes } from "#core/access-codes/list-access-codes.server.ts";
import { listUsers } from "#core/accounts/list-users.server.ts";
import { listAuditEvents } from "#core/audit/list-audit-events.server.ts";
import { listToolsForAdmin } from "#core/catalog/list-tools-for-admin.server.ts";
import type { Context } from "#core/context.ts";
import { listCoupons } from "#core/coupons/list-coupons.server.ts";
import { listCredentials } from "#core/credentials/list-credentials.server.ts";
import type { ListInput } from "#core/paging.ts";
import { listPurchases } from "#core/purchases/list-purchases.server.ts";
import { readDashboardStatistics } from "#core/reports/read-dashboard-statistics.server.ts";
import { readOverview } from "#core/reports/read-overview.server.ts";
import { readTabCounts } from "#core/reports/read-tab-counts.server.ts";
import { systemClock } from "#core/time.ts";
import { migrateDatabase } from "#db/migrate.ts";
import { openTestShop } from "../tools/testing/open-test-shop.ts";
import { startThrowawayPostgres } from "../tools/testing/throwaway-postgres.ts";
import { recordStatements } from "./purchase-statements.ts";
import { seed, sizesOf } from "./seed-million.ts";
import { median, quantile } from "./shop-process.ts";

const SIZES = (process.argv[2] ?? "10000,100000,1000000").split(",").map(Number);
const PLANS_FILE = process.argv[3];
const ONLY = process.argv[4];
const CONCURRENCY = 4;
const RUNS = 5;
const CALLS = 40;
const AIM_MS = 150;

type Read = (ctx: Context) => Promise<unknown>;

const reads: Record<string, Read> = {};

function addLists(
  name: string,
  list: (ctx: Context, input: ListInput) => Promise<unknown>,
  inputs: Record<string, ListInput>,
) {
  for (const [what, input] of Object.entries(inputs)) reads[`${name}: ${what}`] = (ctx) => list(ctx, input);
}

addLists("users", listUsers, {
  "first page": {},
  "oldest first": { direction: "asc" },
  "last page": { page: "200" },
  "last sign-in": { sort: "lastLogin" },
  "last sign-in, last page": { sort: "lastLogin", direction: "asc", page: "200" },
  "by e-mail": { sort: "email", direction: "asc", page: "200" },
  Google: { provider: "google" },
  "Google, last page": { provider: "google", page: "200" },
  "Google by sign-in": { provider: "google", sort: "lastLogin", page: "100" },
  "search rare": { q: "buyer4711." },
  "search name": { q: "rao 17" },
  "search common": { q: "gmail" },
  "search common, last page": { q: "gmail", page: "20" },
  "search common, oldest first": { q: "buyer", direction: "asc" },
  "search some thousands": { q: "asha rao 1" },
  "search two letters": { q: "bu" },
  "search two letters, no hit": { q: "zq" },
  "search no hit": { q: "nobody@nowhere" },
  "search Google": { q: "asha", provider: "google", sort: "lastLogin" },
});
addLists("purchases", listPurchases, {
  "first page": {},
  "oldest first": { direction: "asc" },
  "last page": { page: "200" },
  "by expiry": { sort: "expiresAt" },
  "soonest expiry": { sort: "expiresAt", direction: "asc" },
  pending: { status: "pending" },
  "failed, last page": { status: "failed", page: "200" },
  completed: { status: "completed" },
  "completed, oldest first": { status: "completed", direction: "asc", page: "200" },
  past: { past: "1" },
  "past, last page": { past: "1", page: "200", direction: "asc" },
  "past, by expiry": { past: "1", sort: "expiresAt", page: "200" },
  "past, completed": { past: "1", status: "completed", page: "200" },
  "past, failed by expiry": { past: "1", status: "failed", sort: "expiresAt" },
  "search e-mail rare": { q: "buyer4711.", past: "1" },
  "search e-mail common": { q: "gmail" },
  "search e-mail common, oldest first": { q: "gmail", direction: "asc" },
  "search e-mail common, last page": { q: "gmail", page: "20" },
  "search tool": { q: "netflix" },
  "search one tool": { q: "canva 21" },
  "search one tool, oldest first": { q: "canva 21", direction: "asc" },
  "search one tool, past": { q: "canva 21", past: "1", direction: "asc" },
  "search two letters": { q: "bu" },
  "search no hit": { q: "nobody@nowhere" },
  "search id": { q: "019a0000" },
});
addLists("coupons", listCoupons, {
  "first page": {},
  "last page": { page: "200", direction: "asc" },
  "by code": { sort: "code", direction: "asc", page: "200" },
  "by expiry": { sort: "expiresAt" },
  "search rare": { q: "4711" },
  "search common": { q: "SAVE" },
  "search tool": { q: "canva" },
  "search two letters": { q: "sa" },
  "search no hit": { q: "nothing" },
});
addLists("tools", listToolsForAdmin, { "first page": {}, search: { q: "canva" } });
addLists("access codes", listAccessCodes, { "first page": {}, search: { q: "server" } });
addLists("credentials", listCredentials, { "first page": {} });
addLists("audit", listAuditEvents, {
  "first page": {},
  "last page": { page: "200" },
  admins: { actor: "admin" },
  "search action": { q: "revealed" },
  "search action of admins": { q: "tool.updated", actor: "admin" },
  "search e-mail": { q: "buyer4711." },
  "search no hit": { q: "nobody@nowhere" },
});
reads.cards = readDashboardStatistics;
reads["tab counts"] = readTabCounts;
reads.overview = readOverview;

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
    { clock: systemClock, namedStatements: true, connections: 10 },
  );
  const ctx = shop.contextFor({
    kind: "admin",
    userId: uuidv7(),
    email: "owner@shop.example",
    sessionId: uuidv7(),
  });
  try {
    for (const [what, read] of Object.entries(reads)) {
      if (ONLY && !what.includes(ONLY)) continue;
      const { p50, p95 } = await measure(() => read(ctx));
      const cell = `${size}: p50 ${p50.toFixed(1)}, p95 ${p95.toFixed(1)}${p95 > AIM_MS ? " OVER" : ""}`;
      console.log(`${what.padEnd(44)} ${cell}`);
      results.set(what, [...(results.get(what) ?? []), cell]);
      if (PLANS_FILE) await writePlans(client, `${size}: ${what}`, () => read(ctx));
    }
  } finally {
    await client.end();
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
