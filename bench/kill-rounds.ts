// Rounds of SIGKILL to the app, the database or both during sandbox purchases. After each restart it checks that every
// captured payment in the sandbox's tables has exactly one pass or one refund, that nothing is oversold, and that no
// process is left over. node bin/daypass.mjs exec bench/kill-rounds.ts [rounds]

import { execFileSync } from "node:child_process";
import type pg from "pg";
import { freePort } from "../tests/free-port.ts";
import { Buyer } from "./support/shop-buyer.ts";
import { connectToShop } from "./support/shop-database.ts";
import {
  createDataDir,
  listPostmasters,
  type ShopProcess,
  startShop,
  stopShop,
  waitForDatabaseRestart,
} from "./support/shop-process.ts";

const ROUNDS = Number(process.argv[2] ?? 30);
const TARGETS = ["app", "database", "both"] as const;
const PARALLEL = 6;
const STOCK = 100_000;
const SETTLE_TIMEOUT_MS = 60_000;

/** Buys without pause until stopped. Errors caused by a kill are expected. */
async function buyRepeatedly(
  url: string,
  slugs: readonly string[],
  running: { on: boolean },
): Promise<number> {
  let bought = 0;
  while (running.on) {
    try {
      const buyer = new Buyer(url);
      await buyer.signUp();
      for (const slug of slugs) {
        const started = await buyer.start(slug);
        if ("refused" in started) continue;
        const signedPayment = await buyer.pay(started.orderId);
        // Some buyers never confirm.
        if (Math.random() < 0.3) continue;
        if ((await buyer.confirm(signedPayment)) === "success") bought++;
      }
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  return bought;
}

const UNSETTLED = `
  select count(*)::int as n from sandbox_payments s
  join payment_orders o on o.gateway_order_id = s.order_id
  join user_purchases p on p.id = o.purchase_id
  where s.status in ('captured', 'refunded')
    and (case when p.status = 'completed' and p.ended_at is null then 1 else 0 end)
      + (select count(*) from refunds r join payment_attempts a on a.id = r.attempt_id
         where a.gateway_payment_id = s.id) <> 1`;
const UNKNOWN_ORDERS = `
  select count(*)::int as n from sandbox_payments s
  where s.status in ('captured', 'refunded')
    and not exists (select 1 from payment_orders o where o.gateway_order_id = s.order_id)`;
const OVERSOLD = `
  select count(*)::int as n from tools t where t.available_stock <> ${STOCK} - (
    select count(*) from user_purchases p where p.tool_id = t.id and p.stock_state in ('held', 'used'))
    and t.available_stock <> 0 and not t.contact_only and t.price_paise > 0`;

async function count(client: pg.Client, query: string): Promise<number> {
  const { rows } = await client.query<{ n: number }>(query);
  return rows[0]?.n ?? Number.NaN;
}

/** Waits until every captured payment is settled. @returns milliseconds it took, or null after the timeout */
async function waitUntilSettled(client: pg.Client): Promise<number | null> {
  const began = performance.now();
  while (performance.now() - began < SETTLE_TIMEOUT_MS) {
    if ((await count(client, UNSETTLED)) + (await count(client, UNKNOWN_ORDERS)) === 0) {
      return performance.now() - began;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return null;
}

async function kill(shop: ShopProcess, dataDir: string, target: (typeof TARGETS)[number]): Promise<void> {
  const postmasters = listPostmasters(dataDir);
  if (target !== "app") for (const pid of postmasters) process.kill(pid, "SIGKILL");
  if (target !== "database") await stopShop(shop, "SIGKILL");
  else if (postmasters.length === 0) throw new Error("no database process was found to kill");
}

const dataDir = createDataDir();
const port = await freePort();
let shop = await startShop({ dataDir, port });
const setup = await connectToShop(dataDir);
await setup.query(`update tools set available_stock = ${STOCK} where not contact_only and price_paise > 0`);
const { rows } = await setup.query<{ slug: string }>(
  "select slug from tools where not contact_only and price_paise > 0 and is_active order by slug limit 5",
);
const slugs = rows.map(({ slug }) => slug);
await setup.end();

const totals = { bought: 0, unsettled: 0, oversold: 0, failedRestarts: 0, orphans: 0 };
const recoveryMs: number[] = [];
const settledMs: number[] = [];
for (let round = 1; round <= ROUNDS; round++) {
  const target = TARGETS[(round - 1) % TARGETS.length] ?? "app";
  const running = { on: true };
  const loops = Array.from({ length: PARALLEL }, () => buyRepeatedly(shop.url, slugs, running));
  await new Promise((resolve) => setTimeout(resolve, 1500 + Math.random() * 1500));
  const before = listPostmasters(dataDir);
  await kill(shop, dataDir, target);
  running.on = target === "database";
  const began = performance.now();
  try {
    if (target === "database") {
      // The app restarts its database; it must serve again without a restart of its own.
      await waitForDatabaseRestart(shop, { dataDir, before });
    } else shop = await startShop({ dataDir, port });
    recoveryMs.push(performance.now() - began);
  } catch (error) {
    totals.failedRestarts++;
    console.error(error);
    shop = await startShop({ dataDir, port });
  }
  running.on = false;
  totals.bought += (await Promise.all(loops)).reduce((sum, bought) => sum + bought, 0);
  if (listPostmasters(dataDir).length !== 1) totals.orphans++;
  const database = await connectToShop(dataDir);
  const settled = await waitUntilSettled(database);
  if (settled === null) totals.unsettled += await count(database, UNSETTLED);
  else settledMs.push(settled);
  totals.oversold += await count(database, OVERSOLD);
  await database.end();
  console.log(`round ${round} (${target}): bought so far ${totals.bought}`);
}
const database = await connectToShop(dataDir);
const captured = await count(
  database,
  "select count(*)::int as n from sandbox_payments where status in ('captured','refunded')",
);
const refunded = await count(database, "select count(*)::int as n from refunds");
await database.end();
await stopShop(shop);
const left = listPostmasters(dataDir).length;
if (left > 0) totals.orphans += left;
execFileSync("rm", ["-rf", dataDir]);
const ms = (values: number[]) => `max ${Math.max(...values).toFixed(0)} ms`;
console.log({ rounds: ROUNDS, captured, refunded, ...totals });
console.log(`up again after a kill: ${ms(recoveryMs)}; all payments settled after that: ${ms(settledMs)}`);
if (totals.unsettled + totals.oversold + totals.failedRestarts + totals.orphans > 0) process.exitCode = 1;
