// Three built shops behind HAProxy, PgBouncer in transaction mode, and two PostgreSQL servers under Patroni with a synchronous
// standby, as deploy/cluster sets them up, all on this machine. Sells through them while a shop, the pooler, the primary, its
// node, the standby and the primary's Patroni are killed and the primary is switched over. For each event prints for how long
// buyers were told to try again, and compares the gateway's book with the shop's: 0 lost, 0 doubled, 0 oversold. Needs the Debian
// packages etcd-server, patroni, haproxy, pgbouncer and postgresql-15.
// node bin/daypass.mjs exec bench/cluster.ts [rounds] [event …]
import { setTimeout as delay } from "node:timers/promises";
import {
  buy,
  type ClusteredShop,
  noRefusals,
  type Refusals,
  startClusteredShop,
} from "./support/clustered-shop.ts";
import { compareBooks } from "./support/compare-books.ts";
import { LightHttp } from "./support/light-http.ts";
import { type NodeName, until } from "./support/postgres-cluster.ts";
import { stopShop } from "./support/shop-process.ts";

const ROUNDS = Number(process.argv[2] ?? 1);
const CHOSEN = process.argv.slice(3);
const WORKERS = 8;
/** Each worker starts a purchase this often, so that the machine is busy and not full. */
const PAUSE_MS = 200;
const BUYERS_PER_EVENT = 4_000;
const TOOLS = 20;
const PLENTY = 1_000_000;
/** Sold out in the middle of an event. */
const SCARCE = 60;
const CALM_MS = 5_000;
/** After the last refusal the shop sells for so long before the event counts as over. */
const SELLS_AGAIN_MS = 8_000;
/** A node comes back after the other one has taken over. */
const NODE_AWAY_MS = 40_000;
const EVENT_TIMEOUT_MS = 120_000;
const SETTLE_MS = 120_000;

interface Event {
  /** The number of seconds in which buyers may be told to try again. */
  limitSeconds: number;
  /** Resolves when everything runs that the event has ended, apart from the standby. */
  happen(shop: ClusteredShop, primary: NodeName): Promise<void>;
}

const EVENTS: Record<string, Event> = {
  shop: {
    limitSeconds: 5,
    async happen({ shops, startShopAt }) {
      const [victim] = shops;
      if (victim) await stopShop(victim, "SIGKILL");
      await delay(1_000);
      await startShopAt(0);
    },
  },
  pooler: {
    limitSeconds: 10,
    async happen({ postgres: { pooler } }) {
      await pooler.end("SIGKILL");
      await delay(1_000);
      pooler.start();
    },
  },
  switchover: {
    limitSeconds: 15,
    happen: ({ postgres }, primary) => postgres.switchOver(primary),
  },
  postgres: {
    limitSeconds: 15,
    async happen({ postgres }, primary) {
      process.kill(postgres.postmasterOf(primary), "SIGKILL");
    },
  },
  node: {
    limitSeconds: 45,
    async happen({ postgres }, primary) {
      const postmaster = postgres.postmasterOf(primary);
      await postgres.patroni[primary].end("SIGKILL");
      process.kill(postmaster, "SIGKILL");
      await delay(NODE_AWAY_MS);
      postgres.patroni[primary].start();
    },
  },
  // Commits wait for it until Patroni lets the primary go on alone.
  standby: {
    limitSeconds: 15,
    async happen({ postgres }, primary) {
      const standby = primary === "node1" ? "node2" : "node1";
      const postmaster = postgres.postmasterOf(standby);
      await postgres.patroni[standby].end("SIGKILL");
      process.kill(postmaster, "SIGKILL");
      await delay(NODE_AWAY_MS);
      postgres.patroni[standby].start();
    },
  },
  // The former primary keeps running: only HAProxy keeps the shops from writing to it.
  patroni: {
    limitSeconds: 45,
    async happen({ postgres }, primary) {
      await postgres.patroni[primary].end("SIGKILL");
      await delay(NODE_AWAY_MS);
      postgres.patroni[primary].start();
    },
  },
};

const names = CHOSEN.length > 0 ? CHOSEN : Object.keys(EVENTS);
const shop = await startClusteredShop();
const http = new LightHttp(WORKERS * 4);
const stocks = new Map<string, number>();
let failures = 0;
try {
  const slugs = await insertTools(TOOLS, PLENTY);
  for (let round = 1; round <= ROUNDS; round++)
    for (const name of names) {
      const event = EVENTS[name];
      if (event === undefined) throw new Error(`the events are ${Object.keys(EVENTS).join(", ")}`);
      await runEvent(name, event, slugs);
    }
} finally {
  http.close();
  await shop.stop();
}
console.log(failures === 0 ? "every event kept its limits" : `${failures} limits were broken`);
if (failures > 0) process.exitCode = 1;

async function insertTools(count: number, stock: number): Promise<string[]> {
  const slugs = await shop.insertTools(count, stock);
  for (const slug of slugs) stocks.set(slug, stock);
  return slugs;
}

async function runEvent(name: string, event: Event, slugs: readonly string[]): Promise<void> {
  const primary = await shop.postgres.whenRedundant();
  const refusals = noRefusals();
  const [scarce = ""] = await insertTools(1, SCARCE);
  const sales = await startSales((n) => (n % 4 === 0 ? scarce : (slugs[n % TOOLS] ?? "")), refusals);
  await delay(CALM_MS);
  const happensAt = performance.now();
  const happening = event.happen(shop, primary);
  await Promise.all([happening, untilSellingAgain(refusals, happensAt)]);
  await sales.stop();
  const next = await shop.postgres.whenRedundant();
  await untilLiveUpdatesWork();
  const books = await untilBooksAgree();
  const { tryAgain, cut, faults, firstAt, lastAt, slowestMs } = refusals;
  const seconds = firstAt === null || lastAt === null ? 0 : (lastAt - firstAt) / 1000;
  const { counts } = sales;
  console.log(
    `${name}: primary ${primary} → ${next}; bought ${counts.bought}, sold out ${counts["sold out"]}; try again for ${seconds.toFixed(1)} s` +
      ` (limit ${event.limitSeconds}): ${tryAgain} × 503, ${cut} cut; otherwise failed ${faults.length}; slowest answer ${(slowestMs / 1000).toFixed(1)} s`,
  );
  console.log(
    `  books: ${books.captured} paid = ${books.passes} passes + ${books.refunds} refunds; lost ${books.lost}, doubled ${books.doubled}, oversold ${books.oversold}`,
  );
  for (const fault of [...new Set(faults)].slice(0, 5)) console.log(`  ${fault}`);
  const problems = books.lost + books.doubled + books.oversold + faults.length;
  if (problems > 0 || seconds > event.limitSeconds) failures++;
}

/** Buys without end until stopped; each purchase has a new buyer. */
async function startSales(slugOf: (n: number) => string, refusals: Refusals) {
  const buyers = await shop.signInBuyers(http, BUYERS_PER_EVENT);
  const counts = { bought: 0, "sold out": 0, failed: 0 };
  let isOver = false;
  let next = 0;
  const work = async () => {
    while (!isOver) {
      const n = next++;
      const buyer = buyers[n];
      if (!buyer) throw new Error("too few buyers were prepared");
      // Every fifth buyer closes the browser after paying.
      counts[await buy(buyer, slugOf(n), { refusals, confirms: n % 5 !== 0 })]++;
      await delay(PAUSE_MS);
    }
  };
  const workers = Promise.all(Array.from({ length: WORKERS }, work));
  // `stop` throws it.
  workers.catch(() => undefined);
  return {
    counts,
    stop: async () => {
      isOver = true;
      await workers;
    },
  };
}

/** Waits until nobody was refused for a while. An outage may begin some seconds after its cause. */
async function untilSellingAgain(refusals: Refusals, since: number): Promise<void> {
  await until(
    "a shop that sells again",
    async () => performance.now() - Math.max(since + SELLS_AGAIN_MS, refusals.lastAt ?? 0) > SELLS_AGAIN_MS,
    EVENT_TIMEOUT_MS,
  );
}

/** Every shop listens on the present primary. */
async function untilLiveUpdatesWork(): Promise<void> {
  await until("live updates of all shops", () =>
    shop.withDatabase(async (database) => {
      const { rows } = await database.query<{ n: number }>(
        "select count(*)::int as n from pg_stat_activity where application_name = 'daypass live'",
      );
      return rows[0]?.n === shop.shops.length;
    }),
  );
}

/** Payments that nobody confirmed are found by a webhook or by the shop's own question. */
async function untilBooksAgree() {
  const end = performance.now() + SETTLE_MS;
  for (;;) {
    const captured = await shop.gateway.control.capturedPayments();
    const books = await shop.withDatabase((database) => compareBooks(database, captured, stocks));
    if (books.lost + books.doubled + books.oversold === 0 || performance.now() > end)
      return { ...books, captured: captured.length };
    await delay(500);
  }
}
