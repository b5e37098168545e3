// Ten minutes of clients from three addresses that disconnect, stall, flood and send malformed requests, while visitors
// from another address read the home page with 50 tools. Prints a line per minute, and memory, connections and faults
// at the end.
// node bin/daypass.mjs exec bench/mixed-load.ts [minutes]
import { fork } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import {
  disconnectAtEveryPoint,
  disconnectDuringResponse,
  floodWebhook,
  openStalledConnections,
  pipelineRequests,
  sendMalformed,
  type Target,
} from "../tests/abuse/attacks.ts";
import { endpoints } from "../tests/abuse/endpoints.ts";
import { growCatalogue } from "../tests/abuse/large-catalogue.ts";
import { malformedRequests } from "../tests/abuse/malformed-requests.ts";
import { heapAndBuffersMiB, readMetrics } from "../tests/abuse/shop-metrics.ts";
import { freePort } from "../tests/free-port.ts";
import { connectToShop } from "./support/shop-database.ts";
import {
  createDataDir,
  median,
  quantile,
  readResidentMiB,
  startShop,
  stopShop,
} from "./support/shop-process.ts";

const TOOLS = 50;
const TOKEN = "a-token-for-the-benches";
const VISITS_A_SECOND = 5;
const ATTACK = "attack";

const [first = "10", port = "", script = ""] = process.argv.slice(2);
if (first === ATTACK) await attackUntilKilled({ port: Number(port) }, script);
else await measure(Number(first));

/** Runs in its own process, which the parent ends, so that its work does not count as the shop's. */
async function attackUntilKilled(target: Target, scriptPath: string): Promise<void> {
  const known = endpoints(scriptPath);
  const wrong = "0".repeat(64);
  const from = (address: string) => ({ ...target, from: address });
  const loops = [
    async () => {
      await disconnectAtEveryPoint(from("127.0.0.2"), known);
      for (const encoding of ["gzip", "br", "identity"])
        await disconnectDuringResponse(from("127.0.0.2"), { path: "/", encoding, times: 200 });
    },
    async (round: number) => {
      const clients = await pipelineRequests(from("127.0.0.3"), {
        connections: 20,
        requests: 500,
        path: "/",
        read: true,
      });
      for (const client of clients) client.reset();
      const silent = await pipelineRequests(from("127.0.0.3"), {
        connections: 20,
        requests: 100,
        path: "/",
        read: false,
      });
      const stalled = await openStalledConnections(from("127.0.0.3"), 40);
      await sendMalformed(from("127.0.0.3"), malformedRequests(known, 500, round));
      await delay(5_000);
      for (const client of [...silent, ...stalled]) client.reset();
    },
    async () => {
      await floodWebhook(from("127.0.0.4"), {
        connections: 30,
        bodyBytes: 5_000,
        signature: wrong,
        forMs: 10_000,
      });
      await floodWebhook(from("127.0.0.4"), {
        connections: 10,
        bodyBytes: 250_000,
        signature: wrong,
        forMs: 5_000,
      });
    },
  ];
  await Promise.all(
    loops.map(async (attack) => {
      for (let round = 1; ; round++) await attack(round).catch(() => delay(100));
    }),
  );
}

async function measure(minutes: number): Promise<void> {
  const dataDir = createDataDir();
  const target = { port: await freePort() };
  const env = { METRICS_TOKEN: TOKEN, LIMITS_PER_ADDRESS: "1", NO_RESTART: "1", LOG_LEVEL: "error" };
  const shop = await startShop({ dataDir, port: target.port, env });
  const database = await connectToShop(dataDir);
  await growCatalogue((text, values) => database.query(text, [...values]), TOOLS);
  await database.end();
  const html = await (await fetch(shop.url)).text();
  const framework = /\/assets\/framework[\w.-]+\.js/.exec(html)?.[0] ?? "/";
  const withoutLoad = await visit(target, 30_000);
  const metrics = await readMetrics(shop.url, TOKEN);
  const pid = shop.child.pid ?? 0;
  console.log(
    `without load: ${describe(withoutLoad)}, held ${heapAndBuffersMiB(metrics).toFixed(0)} MiB, resident ${readResidentMiB(pid)} MiB`,
  );

  const attackers = fork(fileURLToPath(import.meta.url), [ATTACK, String(target.port), framework]);
  const all: number[] = [];
  try {
    for (let minute = 1; minute <= minutes; minute++) {
      const times = await visit(target, 60_000);
      all.push(...times);
      const now = await readMetrics(shop.url, TOKEN);
      const lag = Math.round((now.get("nodejs_eventloop_lag_max_seconds") ?? Number.NaN) * 1_000);
      console.log(
        `minute ${minute}: ${describe(times)}, event loop lag at most ${lag} ms, resident ${readResidentMiB(pid)} MiB`,
      );
    }
  } finally {
    attackers.kill("SIGKILL");
    await once(attackers, "exit").catch(() => undefined);
  }
  await delay(60_000);
  const after = await readMetrics(shop.url, TOKEN);
  console.log(`all: ${describe(all)}`);
  console.log(
    `a minute later: held ${heapAndBuffersMiB(after).toFixed(0)} MiB, resident ${readResidentMiB(pid)} MiB, ` +
      `busy connections ${after.get('daypass_database_connections{state="busy"}')}, ` +
      `contained faults ${after.get("daypass_contained_faults_total")}, logged faults: ${shop.output() || "none"}`,
  );
  await stopShop(shop);
}

function describe(times: number[]): string {
  const failed = times.filter((ms) => ms === Number.POSITIVE_INFINITY).length;
  const inMs = { median: median(times), p99: quantile(times, 0.99), longest: Math.max(...times) };
  const figures = Object.entries(inMs).map(([name, ms]) => `${name} ${Math.round(ms)} ms`);
  return `${times.length} visits, ${figures.join(", ")}, failed ${failed}`;
}

/** Visits the home page at a steady rate. @returns milliseconds of each visit; a failed one is infinite */
async function visit({ port: at }: Target, forMs: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, localAddress: "127.0.0.9" });
  const visits: Promise<number>[] = [];
  const until = performance.now() + forMs;
  while (performance.now() < until) {
    visits.push(readHome(at, agent));
    await delay(1_000 / VISITS_A_SECOND);
  }
  const times = await Promise.all(visits);
  agent.destroy();
  return times;
}

function readHome(at: number, agent: Agent): Promise<number> {
  const began = performance.now();
  return new Promise((resolve) => {
    const failed = () => resolve(Number.POSITIVE_INFINITY);
    const headers = { "accept-encoding": "br" };
    request({ host: "127.0.0.1", port: at, path: "/", agent, headers, timeout: 30_000 }, (response) => {
      response.on("error", failed);
      response.resume();
      response.on("end", () => (response.statusCode === 200 ? resolve(performance.now() - began) : failed()));
    })
      .on("error", failed)
      .on("timeout", function (this: { destroy(): void }) {
        this.destroy();
      })
      .end();
  });
}
