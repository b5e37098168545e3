// 500 buyers at the same moment for a tool with 5 in stock, over HTTP, on the built product: exactly 5 passes, no error,
// and the others are told soon. On 1 process and on 3 that share a Postgres; median of 5 runs each.
// node bin/daypass.mjs exec bench/parallel-buyers.ts [buyers] [runs] [processes]
import { LightHttp } from "./light-http.ts";
import {
  cpuWords,
  type ProcessorTimes,
  perPiece,
  postgresProcesses,
  readProcessorTimes,
} from "./processor-time.ts";
import { type ShopCluster, startCluster } from "./shop-cluster.ts";
import { median, quantile } from "./shop-process.ts";
import { insertTools } from "./shop-verbs.ts";
import { type SignedInBuyer, signInBuyers, type Told } from "./signed-in-buyer.ts";

const BUYERS = Number(process.argv[2] ?? 500);
const STOCK = 5;
const RUNS = Number(process.argv[3] ?? 5);
const SOLD_OUT = 409;

interface Run {
  passes: number;
  /** Answers that should not be, each with its status. */
  errors: string[];
  /** Answers to the buyers who came too late, in milliseconds from the shot. */
  refusals: number[];
  /** The same number of requests for the cheapest page, sent the same way. */
  baseline: number[];
  /** Processor time a buyer, in milliseconds. */
  cpuMs: ProcessorTimes;
}

for (const processes of process.argv[4] ? [Number(process.argv[4])] : [1, 3]) {
  const cluster = await startCluster(processes);
  try {
    const runs: Run[] = [];
    // The first shot meets a process that has just started, so it does not count.
    for (let run = 0; run <= RUNS; run++) {
      const done = await shoot(cluster);
      if (run > 0) runs.push(done);
    }
    report(processes, runs);
  } finally {
    await cluster.close();
  }
}

async function shoot(cluster: ShopCluster): Promise<Run> {
  const http = new LightHttp(BUYERS);
  try {
    const [slug = ""] = await insertTools(cluster.books, 1, STOCK);
    const buyers = await signInBuyers(cluster, http, BUYERS);
    const knock = (n: number) => http.get(`${cluster.shops[n % cluster.shops.length]?.url}/healthz`);
    const all = <Result>(send: (n: number) => Promise<Result>) => Promise.all(buyers.map((_, n) => send(n)));
    // Opens the connections.
    await all(knock);
    const baseline = await all(knock);
    const groups = {
      shop: cluster.shops.map(({ child }) => child.pid ?? 0),
      postgres: await postgresProcesses(cluster.books),
      buyers: [process.pid],
    };
    const before = readProcessorTimes(groups);
    const answers = await all((n) => buy(buyers[n], slug));
    const cpuMs = perPiece(before, readProcessorTimes(groups), BUYERS);
    const { rows } = await cluster.books.query<{ n: number }>(
      `select count(*)::int as n from user_purchases p join tools t on t.id = p.tool_id
       where t.slug = $1 and p.status = 'completed'`,
      [slug],
    );
    return {
      passes: rows[0]?.n ?? 0,
      errors: answers
        .filter(({ status, said }) => status !== SOLD_OUT && said !== "success")
        .map(({ status, said }) => `${status} ${said.replace(/ Code: .*/, "")}`),
      refusals: answers.filter(({ status }) => status === SOLD_OUT).map(({ ms }) => ms),
      baseline: baseline.map(({ ms }) => ms),
      cpuMs,
    };
  } finally {
    http.close();
  }
}

async function buy(buyer: SignedInBuyer | undefined, slug: string): Promise<Told> {
  if (!buyer) throw new Error("too few buyers");
  const told = await buyer.start(slug);
  if (!told.order) return told;
  return buyer.confirm(await buyer.pay(told.order.orderId));
}

function report(processes: number, runs: readonly Run[]): void {
  for (const { passes, errors, refusals, baseline, cpuMs } of runs) {
    console.log(
      `${processes} process(es): ${passes} passes, ${refusals.length} refused, ${errors.length} other answers; refusals p50 ` +
        `${quantile(refusals, 0.5).toFixed(0)} ms, p99 ${quantile(refusals, 0.99).toFixed(0)} ms; /healthz p99 ` +
        `${quantile(baseline, 0.99).toFixed(0)} ms; ${cpuWords(cpuMs)}`,
    );
    for (const error of new Set(errors)) console.log(`  another answer: ${error}`);
  }
  const p99 = median(runs.map(({ refusals }) => quantile(refusals, 0.99)));
  const ratio = median(runs.map((run) => quantile(run.refusals, 0.99) / quantile(run.baseline, 0.99)));
  console.log(
    `${processes} process(es), median of ${runs.length}: refusals p99 ${p99.toFixed(0)} ms (aim: under 2000), ` +
      `${ratio.toFixed(1)} times /healthz`,
  );
  if (runs.some(({ passes, errors }) => passes !== STOCK || errors.length > 0)) process.exitCode = 1;
}
