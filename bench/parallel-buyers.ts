// 500 buyers in parallel for a tool with a stock of 5, over HTTP, on the built shop: exactly 5 passes, no errors, and
// fast refusals. With 1 process and with 3 processes on one Postgres; median of 5 runs each.
// node bin/daypass.mjs exec bench/parallel-buyers.ts [buyers] [runs] [processes]

import { type CpuTimes, formatCpuTimes, startCpuMeasurement } from "./support/cpu-time.ts";
import { insertTools } from "./support/in-process-shop.ts";
import { LightHttp } from "./support/light-http.ts";
import { type ShopCluster, startCluster } from "./support/shop-cluster.ts";
import { median, quantile } from "./support/shop-process.ts";
import { type BuyerResponse, type SignedInBuyer, signInBuyers } from "./support/signed-in-buyer.ts";

const BUYERS = Number(process.argv[2] ?? 500);
const STOCK = 5;
const RUNS = Number(process.argv[3] ?? 5);
const SOLD_OUT = 409;

interface Run {
  passes: number;
  /** Unexpected responses, each with its status. */
  errors: string[];
  /** Milliseconds until each refusal of a late buyer. */
  refusals: number[];
  /** Milliseconds of the same number of requests to /healthz, sent the same way. */
  baseline: number[];
  /** CPU time per buyer. */
  cpuMs: CpuTimes;
}

for (const processes of process.argv[4] ? [Number(process.argv[4])] : [1, 3]) {
  const cluster = await startCluster(processes);
  try {
    const runs: Run[] = [];
    // The first run warms up the processes and does not count.
    for (let run = 0; run <= RUNS; run++) {
      const measured = await runOnce(cluster);
      if (run > 0) runs.push(measured);
    }
    report(processes, runs);
  } finally {
    await cluster.close();
  }
}

async function runOnce(cluster: ShopCluster): Promise<Run> {
  const http = new LightHttp(BUYERS);
  try {
    const [slug = ""] = await insertTools(cluster.database, 1, STOCK);
    const buyers = await signInBuyers(cluster, http, BUYERS);
    const requestHealth = (n: number) => http.get(`${cluster.shops[n % cluster.shops.length]?.url}/healthz`);
    const all = <Result>(send: (n: number) => Promise<Result>) => Promise.all(buyers.map((_, n) => send(n)));
    // Opens the connections.
    await all(requestHealth);
    const baseline = await all(requestHealth);
    const endMeasurement = await startCpuMeasurement(cluster.database, {
      shop: cluster.shops.map(({ child }) => child.pid ?? 0),
      buyers: [process.pid],
    });
    const responses = await all((n) => buy(buyers[n], slug));
    const cpuMs = endMeasurement(BUYERS);
    const { rows } = await cluster.database.query<{ n: number }>(
      `select count(*)::int as n from user_purchases p join tools t on t.id = p.tool_id
       where t.slug = $1 and p.status = 'completed'`,
      [slug],
    );
    return {
      passes: rows[0]?.n ?? 0,
      errors: responses
        .filter(({ status, result }) => status !== SOLD_OUT && result !== "success")
        .map(({ status, result }) => `${status} ${result.replace(/ Code: .*/, "")}`),
      refusals: responses.filter(({ status }) => status === SOLD_OUT).map(({ ms }) => ms),
      baseline: baseline.map(({ ms }) => ms),
      cpuMs,
    };
  } finally {
    http.close();
  }
}

async function buy(buyer: SignedInBuyer | undefined, slug: string): Promise<BuyerResponse> {
  if (!buyer) throw new Error("too few buyers");
  const response = await buyer.start(slug);
  if (!response.order) return response;
  return buyer.confirm(await buyer.pay(response.order.orderId));
}

function report(processes: number, runs: readonly Run[]): void {
  for (const { passes, errors, refusals, baseline, cpuMs } of runs) {
    console.log(
      `${processes} process(es): ${passes} passes, ${refusals.length} refused, ${errors.length} unexpected responses; refusals p50 ` +
        `${quantile(refusals, 0.5).toFixed(0)} ms, p99 ${quantile(refusals, 0.99).toFixed(0)} ms; /healthz p99 ` +
        `${quantile(baseline, 0.99).toFixed(0)} ms; ${formatCpuTimes(cpuMs)}`,
    );
    for (const error of new Set(errors)) console.log(`  unexpected response: ${error}`);
  }
  const p99 = median(runs.map(({ refusals }) => quantile(refusals, 0.99)));
  const ratio = median(runs.map((run) => quantile(run.refusals, 0.99) / quantile(run.baseline, 0.99)));
  console.log(
    `${processes} process(es), median of ${runs.length}: refusals p99 ${p99.toFixed(0)} ms (aim: under 2000), ` +
      `${ratio.toFixed(1)} times /healthz`,
  );
  if (runs.some(({ passes, errors }) => passes !== STOCK || errors.length > 0)) process.exitCode = 1;
}
