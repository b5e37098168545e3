// Response time of webhooks while 50 buyers buy without pause, over HTTP, on the built shop: p99 under a second.
// Compared with the same webhooks without load; median of 5 runs.
// node bin/daypass.mjs exec bench/webhook-latency.ts [seconds per run]

import { insertTools } from "./support/in-process-shop.ts";
import { LightHttp } from "./support/light-http.ts";
import { startCluster } from "./support/shop-cluster.ts";
import { median, quantile } from "./support/shop-process.ts";
import { signInBuyers } from "./support/signed-in-buyer.ts";

const SECONDS = Number(process.argv[2] ?? 15);
const RUNS = 5;
const BUYERS = 50;
const PURCHASES_WITHOUT_LOAD = 30;
const TOOLS = 20;
const MAX_PER_SECOND = 250;

interface Run {
  purchases: number;
  webhooks: number;
  /** Deliveries without a 2xx within 5 seconds. */
  notAccepted: number;
  p50: number;
  p99: number;
  withoutLoadP99: number;
}

const cluster = await startCluster(1);
const http = new LightHttp(BUYERS * 2);
try {
  const { webhooks } = cluster.gateway.control;
  const slugs = await insertTools(cluster.database, TOOLS);
  let readEvents = 0;
  /** Responses since the last call. Events are repeated until accepted, so each may have several. */
  const takeNewResponses = async () => {
    const events = await webhooks.events();
    const responses = events.slice(readEvents).flatMap((event) => event.responses);
    readEvents = events.length;
    return responses;
  };
  const runs: Run[] = [];
  // The first run warms up the process and does not count.
  for (let run = 0; run <= RUNS; run++) {
    await webhooks.configure({ mode: "hold" });
    await buyFor(0, PURCHASES_WITHOUT_LOAD);
    await waitUntilProcessed();
    await webhooks.deliver({ parallel: 2 });
    const withoutLoadResponses = await takeNewResponses();
    await webhooks.configure({ mode: "at-once" });
    const purchases = await buyFor(SECONDS, BUYERS);
    await webhooks.untilIdle();
    const responses = await takeNewResponses();
    await waitUntilProcessed();
    const ms = responses.map((one) => one.ms);
    const measured = {
      purchases,
      webhooks: responses.length,
      notAccepted: responses.filter(({ status }) => status === null || status < 200 || status > 299).length,
      p50: quantile(ms, 0.5),
      p99: quantile(ms, 0.99),
      withoutLoadP99: quantile(
        withoutLoadResponses.map((one) => one.ms),
        0.99,
      ),
    };
    if (run === 0) continue;
    runs.push(measured);
    console.log(
      `run ${run}: ${(purchases / SECONDS).toFixed(0)} purchases/s, ${measured.webhooks} webhooks (${measured.notAccepted} not accepted), ` +
        `p50 ${measured.p50.toFixed(0)} ms, p99 ${measured.p99.toFixed(0)} ms; without load p99 ${measured.withoutLoadP99.toFixed(0)} ms`,
    );
  }
  const p99 = median(runs.map((run) => run.p99));
  const ratio = median(runs.map((run) => run.p99 / run.withoutLoadP99));
  console.log(
    `median: webhooks p99 ${p99.toFixed(0)} ms (aim: under 1000), ${ratio.toFixed(1)} times without load`,
  );
  if (runs.some((run) => run.notAccepted > 0)) process.exitCode = 1;

  /** Buys without pause with this number of buyers in parallel, each time a new one. @returns the number of purchases */
  async function buyFor(seconds: number, concurrency: number): Promise<number> {
    const buyers = await signInBuyers(cluster, http, Math.max(concurrency, seconds * MAX_PER_SECOND));
    const end = performance.now() + seconds * 1000;
    let next = 0;
    let bought = 0;
    const loop = async () => {
      do {
        const n = next++;
        const buyer = buyers[n];
        if (!buyer) throw new Error("too few buyers were prepared");
        const response = await buyer.start(slugs[n % slugs.length] ?? "");
        if (!response.order)
          throw new Error(`a checkout was refused with ${response.status} ${response.result}`);
        const { result } = await buyer.confirm(await buyer.pay(response.order.gatewayOrderId));
        if (result !== "success") throw new Error(`a purchase ended as ${result}`);
        bought++;
      } while (performance.now() < end);
    };
    await Promise.all(Array.from({ length: concurrency }, loop));
    return bought;
  }

  async function waitUntilProcessed(): Promise<void> {
    const left = "select count(*)::int as n from gateway_events where handled_at is null";
    while ((await cluster.database.query<{ n: number }>(left)).rows[0]?.n !== 0) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
} finally {
  http.close();
  await cluster.close();
}
