// Purchases per second with 8 buyers in parallel: start a checkout, pay at the gateway (in its own process), confirm,
// pass. Compared with the same SQL run by a bare script on the same Postgres, in alternating runs (median of 5 each):
// once with unprepared statements, and once with prepared statements, which the shop uses.
// node bin/daypass.mjs exec bench/purchase-throughput.ts [seconds per run] [runs]
import pg from "pg";
import { z } from "zod";
import { confirmCheckout } from "#core/checkout/checkout-status.server.ts";
import { startCheckout } from "#core/checkout/start-checkout.server.ts";
import { migrateDatabase } from "#db/migrate.ts";
import { startThrowawayPostgres } from "../tests/database/throwaway-postgres.ts";
import { profile } from "./support/cpu-profile.ts";
import { type CpuTimes, formatCpuTimes, startCpuMeasurement } from "./support/cpu-time.ts";
import { startGateway, stopGateway } from "./support/gateway-process.ts";
import {
  type BenchBuyer,
  composeInProcessShop,
  insertBuyers,
  insertTools,
} from "./support/in-process-shop.ts";
import { LightHttp } from "./support/light-http.ts";
import { compileScript, recordStatements, type Statement } from "./support/purchase-statements.ts";
import { median, quantile } from "./support/shop-process.ts";

const SECONDS = Number(process.argv[2] ?? 8);
const RUNS = Number(process.argv[3] ?? 5);
const CONCURRENCY = 8;
const TOOLS = 20;
const WARM_UP_SECONDS = 3;
const MAX_PER_SECOND = 1200;

interface Measured {
  perSecond: number;
  p50: number;
  p99: number;
  /** CPU milliseconds per purchase, by group of processes. */
  cpuMs: CpuTimes;
}

const signedPaymentSchema = z.object({ razorpay_payment_id: z.string(), razorpay_signature: z.string() });

const server = await startThrowawayPostgres();
const gateway = await startGateway();
const http = new LightHttp(CONCURRENCY);
const setupClient = new pg.Client({ connectionString: server.url });
const scriptClients = Array.from(
  { length: CONCURRENCY },
  () => new pg.Client({ connectionString: server.url }),
);
await migrateDatabase(server.url);
await Promise.all([setupClient, ...scriptClients].map((client) => client.connect()));
const shop = composeInProcessShop(server.url, gateway);
try {
  const slugs = await insertTools(setupClient, TOOLS);
  await measure(WARM_UP_SECONDS, (buyer, n) => buy(buyer, pickSlug(slugs, n)));
  const script = await recordScript(slugs[0] ?? "");
  const replay = (isPrepared: boolean) => async (buyer: BenchBuyer, n: number, worker: number) => {
    const client = scriptClients[worker];
    for (const [step, { text, values }] of script(buyer, pickSlug(slugs, n)).entries()) {
      const name = isPrepared && values.length > 0 ? `step${step}` : undefined;
      await client?.query({ text, values, rowMode: "array", ...(name && { name }) });
    }
  };
  await measure(WARM_UP_SECONDS, replay(false));
  await measure(WARM_UP_SECONDS, replay(true));

  const rounds: { unprepared: Measured; prepared: Measured; shop: Measured }[] = [];
  for (let run = 1; run <= RUNS; run++) {
    const round = {
      unprepared: await measure(SECONDS, replay(false)),
      prepared: await measure(SECONDS, replay(true)),
      shop: await measure(SECONDS, (buyer, n) => buy(buyer, pickSlug(slugs, n))),
    };
    rounds.push(round);
    for (const [name, measured] of Object.entries(round))
      console.log(`run ${run}: ${name} ${format(measured)}`);
  }
  const medianOf = (of: (round: (typeof rounds)[number]) => number) => median(rounds.map(of));
  const [perSecond, p99] = [medianOf(({ shop }) => shop.perSecond), medianOf(({ shop }) => shop.p99)];
  console.log(`median: shop ${perSecond.toFixed(0)} purchases/s, p99 ${p99.toFixed(0)} ms`);
  console.log("(aim: at least 185/s and p99 at most 80 ms where the bare script reaches 460/s)");
  for (const name of ["unprepared", "prepared"] as const) {
    const limit = medianOf((round) => round[name].perSecond);
    const ratio = medianOf((round) => round.shop.perSecond / round[name].perSecond);
    // Other load on the machine affects CPU time less than wall time.
    const byTime = medianOf((round) => sum(round[name].cpuMs) / sum(round.shop.cpuMs));
    console.log(`median: ${name} ${limit.toFixed(0)}/s, ratio ${ratio.toFixed(2)} (aim: at least 0.40)`);
    console.log(`  by CPU time of all processes: ${byTime.toFixed(2)}`);
  }

  const { places, functions } = await profile(() =>
    measure(SECONDS, (buyer, n) => buy(buyer, pickSlug(slugs, n))),
  );
  const share = ([name, part]: [string, number]) => `${(part * 100).toFixed(1).padStart(5)} %  ${name}`;
  console.log("\nCPU time of the shop's process by place:");
  for (const place of places) console.log(share(place));
  console.log("\nby function:");
  for (const one of functions) console.log(share(one));
} finally {
  http.close();
  await shop.close();
  await Promise.all([setupClient, ...scriptClients].map((client) => client.end()));
  await stopGateway(gateway);
  await server.stop();
}

async function buy(buyer: BenchBuyer, slug: string, inProcessShop = shop): Promise<void> {
  const started = await startCheckout(inProcessShop.contextOf(buyer), { slug });
  if (started.kind !== "pay") throw new Error("there was nothing to pay");
  const { gatewayOrderId } = started;
  const response = await http.post(`${gateway.url}/control/pay`, JSON.stringify([gatewayOrderId]), {});
  const signedPayment = signedPaymentSchema.parse(JSON.parse(response.text));
  const status = await confirmCheckout(inProcessShop.contextOf(buyer), {
    gatewayOrderId,
    gatewayPaymentId: signedPayment.razorpay_payment_id,
    signature: signedPayment.razorpay_signature,
  });
  if (status.state !== "success") throw new Error(`a purchase ended as ${status.state}`);
}

/** Records one purchase and prints its statements. @returns the purchase as SQL, for any buyer and tool */
async function recordScript(slug: string): Promise<(buyer: BenchBuyer, slug: string) => Statement[]> {
  const [warmUpBuyer, buyer] = await insertBuyers(setupClient, 2);
  if (!warmUpBuyer || !buyer) throw new Error("no buyers");
  const recording = recordStatements();
  const recordedShop = composeInProcessShop(server.url, gateway);
  // Opens the connection, which sends statements of its own.
  await buy(warmUpBuyer, slug, recordedShop);
  recording.clear();
  await buy(buyer, slug, recordedShop);
  const statements = recording.recorded();
  recording.stop();
  await recordedShop.close();
  const transactions = statements.filter(({ text }) => text === "begin").length;
  console.log(`one purchase: ${statements.length} statements, ${transactions} transactions`);
  for (const { text } of statements) console.log(`  ${text.replaceAll('"', "").slice(0, 110)}`);
  const { rows } = await setupClient.query<{ slug: string; id: string }>("select slug, id from tools");
  const ids = new Map(rows.map((tool) => [tool.slug, tool.id]));
  const facts = ({ userId, address }: BenchBuyer, of: string) => [userId, address, ids.get(of) ?? "", of];
  const compiled = compileScript(statements, facts(buyer, slug));
  return (other, otherSlug) => compiled(facts(other, otherSlug));
}

/** Runs `work` on all workers in parallel for this number of seconds, each time with a new buyer. */
async function measure(
  seconds: number,
  work: (buyer: BenchBuyer, n: number, worker: number) => Promise<void>,
): Promise<Measured> {
  const buyers = await insertBuyers(setupClient, seconds * MAX_PER_SECOND);
  const passesBefore = await countPasses();
  const endMeasurement = await startCpuMeasurement(setupClient, {
    node: [process.pid],
    gateway: [gateway.child.pid ?? 0],
  });
  const ms: number[] = [];
  const began = performance.now();
  const end = began + seconds * 1000;
  let next = 0;
  const loop = async (worker: number) => {
    while (performance.now() < end) {
      const n = next++;
      const buyer = buyers[n];
      if (!buyer) throw new Error("too few buyers were prepared");
      const since = performance.now();
      await work(buyer, n, worker);
      ms.push(performance.now() - since);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, (_, worker) => loop(worker)));
  const tookSeconds = (performance.now() - began) / 1000;
  const cpuMs = endMeasurement(ms.length);
  const passes = (await countPasses()) - passesBefore;
  if (passes !== ms.length) throw new Error(`${ms.length} purchases made ${passes} passes`);
  return { perSecond: ms.length / tookSeconds, p50: quantile(ms, 0.5), p99: quantile(ms, 0.99), cpuMs };
}

async function countPasses(): Promise<number> {
  const { rows } = await setupClient.query<{ n: number }>(
    "select count(*)::int as n from user_purchases where status = 'completed' and expires_at > now()",
  );
  return rows[0]?.n ?? 0;
}

function sum(cpuMs: CpuTimes): number {
  return Object.values(cpuMs).reduce((total, ms) => total + ms, 0);
}

function pickSlug(slugs: readonly string[], n: number): string {
  return slugs[n % slugs.length] ?? "";
}

function format({ perSecond, p50, p99, cpuMs }: Measured): string {
  return `${perSecond.toFixed(0)}/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${formatCpuTimes(cpuMs)}`;
}
