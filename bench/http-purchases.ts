// Purchases per second with 8 buyers in parallel over HTTP, on the built shop with its embedded database and the
// sandbox gateway in the same process: start, pay, confirm, pass, and the sandbox's webhooks. Median of 5 runs, with
// the CPU time of the shop. `--profile DIR` writes a CPU profile of the process into DIR.
// node bin/daypass.mjs exec bench/http-purchases.ts [seconds per run] [runs] [--profile DIR]
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { freePort } from "../tools/testing/free-port.ts";
import { readCpuTimes } from "./support/cpu-time.ts";
import { insertTools } from "./support/in-process-shop.ts";
import { LightHttp } from "./support/light-http.ts";
import { connectToShop } from "./support/shop-database.ts";
import {
  createDataDir,
  listChildren,
  median,
  quantile,
  startShop,
  stopShop,
} from "./support/shop-process.ts";
import { insertSessions, SignedInBuyer } from "./support/signed-in-buyer.ts";

const SECONDS = Number(process.argv[2] ?? 8);
const RUNS = Number(process.argv[3] ?? 5);
const profileDir = process.argv[4] === "--profile" ? process.argv[5] : undefined;
const CONCURRENCY = 8;
const TOOLS = 20;
const MAX_PER_SECOND = 400;

interface Run {
  perSecond: number;
  p50: number;
  p99: number;
  /** CPU milliseconds of the shop's own process for each purchase. */
  cpuMs: number;
}

const dataDir = createDataDir();
const authSecret = randomBytes(32).toString("hex");
const profiling = profileDir ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profileDir}` } : {};
const shop = await startShop({
  dataDir,
  port: await freePort(),
  env: { AUTH_SECRET: authSecret, ...profiling },
});
const database = await connectToShop(dataDir);
const http = new LightHttp(CONCURRENCY);
try {
  const slugs = await insertTools(database, TOOLS);
  const shopPids = listChildren(shop.child.pid ?? 0).concat(shop.child.pid ?? 0);
  await buyFor(3);
  const runs: Run[] = [];
  for (let run = 1; run <= RUNS; run++) {
    const measured = await buyFor(SECONDS);
    runs.push(measured);
    console.log(`run ${run}: ${format(measured)}`);
  }
  const medianOf = (of: (run: Run) => number) => median(runs.map(of));
  console.log(
    `median: ${format({
      perSecond: medianOf((run) => run.perSecond),
      p50: medianOf((run) => run.p50),
      p99: medianOf((run) => run.p99),
      cpuMs: medianOf((run) => run.cpuMs),
    })} (aim: at least 130/s)`,
  );

  async function buyFor(seconds: number): Promise<Run> {
    const sendPayment = (orderId: string) =>
      http.post(`${shop.url}/sandbox-gateway/checkout/pay`, JSON.stringify({ order_id: orderId }), {
        origin: shop.url,
        "content-type": "application/json",
      });
    const sessions = await insertSessions(database, authSecret, seconds * MAX_PER_SECOND);
    const buyers = sessions.map(
      (session) => new SignedInBuyer({ ...session, http, shopUrl: shop.url, origin: shop.url, sendPayment }),
    );
    const before = readCpuTimes({ shop: shopPids });
    const ms: number[] = [];
    const began = performance.now();
    const end = began + seconds * 1000;
    let next = 0;
    const loop = async () => {
      while (performance.now() < end) {
        const n = next++;
        const buyer = buyers[n];
        if (!buyer) throw new Error("too few buyers were prepared");
        const since = performance.now();
        const { order, status, result } = await buyer.start(slugs[n % slugs.length] ?? "");
        if (!order) throw new Error(`a checkout was refused with ${status} ${result}`);
        const confirmed = await buyer.confirm(await buyer.pay(order.orderId));
        if (confirmed.result !== "success") throw new Error(`a purchase ended as ${confirmed.result}`);
        ms.push(performance.now() - since);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, loop));
    const tookSeconds = (performance.now() - began) / 1000;
    const after = readCpuTimes({ shop: shopPids });
    return {
      perSecond: ms.length / tookSeconds,
      p50: quantile(ms, 0.5),
      p99: quantile(ms, 0.99),
      cpuMs: ((after.shop ?? 0) - (before.shop ?? 0)) / ms.length,
    };
  }
} finally {
  http.close();
  await database.end();
  await stopShop(shop);
  rmSync(dataDir, { recursive: true, force: true });
}

function format({ perSecond, p50, p99, cpuMs }: Run): string {
  return `${perSecond.toFixed(0)}/s, p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, CPU ms each: shop ${cpuMs.toFixed(2)}`;
}
