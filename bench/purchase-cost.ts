// What one purchase costs in the cluster of deploy/cluster: CPU time by program, statements, transactions, bytes of WAL, at one,
// two and three processes of the shop; then what is waited for when all buyers want one tool, and one coupon. What the idle shop
// uses is measured before each run and left out. Median of the runs. Needs the packages that bench/cluster.ts needs.
// node bin/daypass.mjs exec bench/purchase-cost.ts [purchases per run] [runs]
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { uuidv7 } from "uuidv7";
import { z } from "zod";
import { buy, noRefusals, startClusteredShop } from "./support/clustered-shop.ts";
import { readCpuTimes } from "./support/cpu-time.ts";
import { LightHttp } from "./support/light-http.ts";
import { until } from "./support/postgres-cluster.ts";
import { listChildren, median } from "./support/shop-process.ts";

const PURCHASES = Number(process.argv[2] ?? 400);
const RUNS = Number(process.argv[3] ?? 3);
const CONCURRENCY = 8;
const IDLE_MS = 8_000;
/** For each process: its code is compiled while it runs. */
const WARM_UP = 300;
const SAMPLE_MS = 20;
const COUPON = "HOT10";

/** Used since the start, by name. */
type Usage = Record<string, number>;

interface Load {
  slugs: readonly string[];
  coupon?: string;
}

const statsSchema = z.array(
  z.object({
    database: z.string(),
    total_xact_count: z.coerce.number(),
    total_query_count: z.coerce.number(),
  }),
);

const shop = await startClusteredShop(1);
const http = new LightHttp(CONCURRENCY * 2);
const connect = async (connectionString: string) => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return client;
};
const primary = await shop.postgres.whenRedundant();
const standby = primary === "node1" ? "node2" : "node1";
const database = await connect(shop.postgres.directUrl);
const pooler = await connect(shop.postgres.pooledUrl.replace(/daypass$/, "pgbouncer"));
try {
  const slugs = await shop.insertTools(20);
  const [one = ""] = await shop.insertTools(1);
  await insertCoupon(one);
  for (const count of [1, 2, 3]) {
    while (shop.shops.length < count) await shop.startShopAt(shop.shops.length);
    await untilServing(count);
    await measure({ slugs }, WARM_UP * count);
    await report(`${count} processes, 20 tools`, { slugs });
  }
  await report("3 processes, one tool", { slugs: [one] });
  await report("3 processes, one tool and one coupon", { slugs: [one], coupon: COUPON });
} finally {
  http.close();
  await Promise.all([database.end(), pooler.end()]);
  await shop.stop();
}

/** Every shop has answered the balancer, and listens. */
async function untilServing(count: number): Promise<void> {
  await until(`${count} shops`, async () => {
    const { rows } = await database.query<{ n: number }>(
      "select count(*)::int as n from pg_stat_activity where application_name = 'daypass live'",
    );
    return rows[0]?.n === count;
  });
  await delay(2_000);
}

async function insertCoupon(slug: string): Promise<void> {
  await database.query(
    "insert into coupon_codes (id, code, tool_id, discount_percentage) select $1, $2, id, 10 from tools where slug = $3",
    [uuidv7(), COUPON, slug],
  );
}

async function report(title: string, load: Load): Promise<void> {
  const runs: Usage[] = [];
  for (let run = 0; run < RUNS; run++) runs.push(await measure(load, PURCHASES));
  const keys = Object.keys(runs[0] ?? {});
  console.log(title);
  for (const key of keys)
    console.log(`  ${key}: ${median(runs.map((usage) => usage[key] ?? Number.NaN)).toFixed(2)}`);
}

/** @returns what each purchase used, and how long it took */
async function measure({ slugs, coupon }: Load, purchases: number): Promise<Usage> {
  const buyers = await shop.signInBuyers(http, purchases);
  const idleFrom = await readUsage();
  const idleBegan = performance.now();
  await delay(IDLE_MS);
  const idle = perUnit(idleFrom, await readUsage(), performance.now() - idleBegan);
  const before = await readUsage();
  const waits = sampleWaits();
  const began = performance.now();
  const refusals = noRefusals();
  let next = 0;
  const work = async () => {
    for (let n = next++; n < purchases; n = next++) {
      const [buyer, slug] = [buyers[n], slugs[n % slugs.length]];
      if (buyer && slug !== undefined)
        await buy(buyer, slug, { refusals, confirms: true, ...(coupon !== undefined && { coupon }) });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  const ms = performance.now() - began;
  const waited = await waits.stop();
  // Postgres writes its statistics within a second.
  await delay(1_000);
  const used = perUnit(before, await readUsage(), purchases);
  if (refusals.faults.length + refusals.tryAgain + refusals.cut > 0)
    throw new Error(`buyers were refused: ${JSON.stringify(refusals)}`);
  const perPurchase = Object.entries(used).map(([name, value]) => {
    return [name, value - ((idle[name] ?? 0) * (ms + 1_000)) / purchases];
  });
  return { ...Object.fromEntries(perPurchase), ...waited, "purchases/s": purchases / (ms / 1000) };
}

function perUnit(before: Usage, after: Usage, units: number): Usage {
  const used = ([name, value]: [string, number]) => [name, (value - (before[name] ?? 0)) / units];
  return Object.fromEntries(Object.entries(after).map(used));
}

async function readUsage(): Promise<Usage> {
  const { pooler: pgbouncer, haproxy, postmasterOf } = shop.postgres;
  const server = (postmaster: number) => [postmaster, ...listChildren(postmaster)];
  const cpu = readCpuTimes({
    "CPU ms shops": shop.shops.map(({ child }) => child.pid ?? 0),
    "CPU ms primary": server(postmasterOf(primary)),
    "CPU ms standby": server(postmasterOf(standby)),
    "CPU ms PgBouncer": [pgbouncer.pid],
    "CPU ms HAProxy": [haproxy.pid],
  });
  const stats = statsSchema.parse((await pooler.query("show stats")).rows);
  const ofShop = stats.find(({ database: name }) => name === "daypass");
  const { rows } = await database.query<{ bytes: string }>(
    "select (pg_current_wal_lsn() - '0/0')::text as bytes",
  );
  return {
    ...cpu,
    statements: ofShop?.total_query_count ?? 0,
    transactions: ofShop?.total_xact_count ?? 0,
    "WAL bytes": Number(rows[0]?.bytes),
  };
}

/** Looks regularly what the connections of the pooler wait for. @returns their mean number, by kind */
function sampleWaits(): { stop(): Promise<Usage> } {
  let [samples, locks, standbyWaits, running] = [0, 0, 0, true];
  const sampling = (async () => {
    while (running) {
      const { rows } = await database.query<{ locks: number; standby: number }>(
        `select count(*) filter (where wait_event_type = 'Lock')::int as locks,
           count(*) filter (where wait_event = 'SyncRep')::int as standby
         from pg_stat_activity where datname = 'daypass' and state = 'active'`,
      );
      samples++;
      locks += rows[0]?.locks ?? 0;
      standbyWaits += rows[0]?.standby ?? 0;
      await delay(SAMPLE_MS);
    }
  })();
  return {
    stop: async () => {
      running = false;
      await sampling;
      return { "waiting for a row": locks / samples, "waiting for the standby": standbyWaits / samples };
    },
  };
}
