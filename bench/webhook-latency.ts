// How soon webhooks are answered while 50 buyers buy without pause, over HTTP, on the built product: p99 under a second.
// Held against the same webhooks sent while nobody buys; median of 5 runs.
// node bin/daypass.mjs exec bench/webhook-latency.ts [seconds per run]
import { LightHttp } from "./light-http.ts";
import { startCluster } from "./shop-cluster.ts";
import { median, quantile } from "./shop-process.ts";
import { insertTools } from "./shop-verbs.ts";
import { signInBuyers } from "./signed-in-buyer.ts";

const SECONDS = Number(process.argv[2] ?? 15);
const RUNS = 5;
const BUYERS = 50;
const QUIET_PURCHASES = 30;
const TOOLS = 20;
const MOST_PER_SECOND = 250;

interface Run {
  purchases: number;
  webhooks: number;
  /** Answers other than 2xx, no answer within 5 seconds included. */
  notTaken: number;
  p50: number;
  p99: number;
  quietP99: number;
}

const cluster = await startCluster(1);
const http = new LightHttp(BUYERS * 2);
try {
  const { webhooks } = cluster.gateway.control;
  const slugs = await insertTools(cluster.books, TOOLS);
  let seen = 0;
  /** What was answered since the last look; sent again until taken, so each event may have several. */
  const newAnswers = async () => {
    const events = await webhooks.events();
    const answers = events.slice(seen).flatMap((event) => event.answers);
    seen = events.length;
    return answers;
  };
  const runs: Run[] = [];
  // The first run meets a process that has just started, so it does not count.
  for (let run = 0; run <= RUNS; run++) {
    await webhooks.configure({ mode: "hold" });
    await buyFor(0, QUIET_PURCHASES);
    await untilHandled();
    await webhooks.deliver({ parallel: 2 });
    const quiet = await newAnswers();
    await webhooks.configure({ mode: "at-once" });
    const purchases = await buyFor(SECONDS, BUYERS);
    await webhooks.settled();
    const answers = await newAnswers();
    await untilHandled();
    const ms = answers.map((answer) => answer.ms);
    const done = {
      purchases,
      webhooks: answers.length,
      notTaken: answers.filter(({ status }) => status === null || status < 200 || status > 299).length,
      p50: quantile(ms, 0.5),
      p99: quantile(ms, 0.99),
      quietP99: quantile(
        quiet.map((answer) => answer.ms),
        0.99,
      ),
    };
    if (run === 0) continue;
    runs.push(done);
    console.log(
      `run ${run}: ${(purchases / SECONDS).toFixed(0)} purchases/s, ${done.webhooks} webhooks (${done.notTaken} not taken), ` +
        `answered p50 ${done.p50.toFixed(0)} ms, p99 ${done.p99.toFixed(0)} ms; while nobody bought p99 ${done.quietP99.toFixed(0)} ms`,
    );
  }
  const p99 = median(runs.map((run) => run.p99));
  const ratio = median(runs.map((run) => run.p99 / run.quietP99));
  console.log(
    `median: webhooks answered p99 ${p99.toFixed(0)} ms (aim: under 1000), ${ratio.toFixed(1)} times a quiet shop`,
  );
  if (runs.some((run) => run.notTaken > 0)) process.exitCode = 1;

  /** Buys without pause, so many at once, each time as somebody new. @returns how many purchases there were */
  async function buyFor(seconds: number, atOnce: number): Promise<number> {
    const buyers = await signInBuyers(cluster, http, Math.max(atOnce, seconds * MOST_PER_SECOND));
    const end = performance.now() + seconds * 1000;
    let next = 0;
    let bought = 0;
    const loop = async () => {
      do {
        const n = next++;
        const buyer = buyers[n];
        if (!buyer) throw new Error("too few buyers were prepared");
        const told = await buyer.start(slugs[n % slugs.length] ?? "");
        if (!told.order) throw new Error(`a checkout was answered ${told.status} ${told.said}`);
        const { said } = await buyer.confirm(await buyer.pay(told.order.orderId));
        if (said !== "success") throw new Error(`a purchase ended as ${said}`);
        bought++;
      } while (performance.now() < end);
    };
    await Promise.all(Array.from({ length: atOnce }, loop));
    return bought;
  }

  async function untilHandled(): Promise<void> {
    const left = "select count(*)::int as n from gateway_events where handled_at is null";
    while ((await cluster.books.query<{ n: number }>(left)).rows[0]?.n !== 0) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
} finally {
  http.close();
  await cluster.close();
}
