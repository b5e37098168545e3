// The effect of one abusing client on all other clients: one line per attack, each on a new shop with 50 tools.
// node bin/daypass.mjs exec bench/attacks.ts [folder of another checkout, built] [names of attacks]
import { kill } from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import {
  disconnectDuringResponse,
  floodPages,
  floodWebhook,
  forEachWithConcurrency,
  pipelineRequests,
  stallFromManyAddresses,
  type Target,
  visit,
} from "../tests/abuse/attacks.ts";
import { growCatalogue } from "../tests/abuse/large-catalogue.ts";
import { countAcceptedConnections } from "../tests/abuse/shop-metrics.ts";
import { pauseProcesses } from "../tests/database/pause-postgres.ts";
import { freePort } from "../tests/free-port.ts";
import { connectToShop } from "./support/shop-database.ts";
import {
  createDataDir,
  listChildren,
  listPostmasters,
  median,
  ROOT,
  readResidentMiB,
  type ShopProcess,
  startShop,
  stopShop,
} from "./support/shop-process.ts";

const TOOLS = 50;
const TIMEOUT_MS = 60_000;
const LOAD_MS = 10_000;

interface Attacked {
  shop: ShopProcess;
  dataDir: string;
  target: Target;
  pid: number;
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
const isLive = async ({ shop }: Attacked) =>
  (await fetch(`${shop.url}/healthz`, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => null))?.ok ??
  false;

/** Requests an address repeatedly while `work` runs. @returns the time of each response; failed ones count in full */
async function requestDuring(url: string, work: Promise<unknown>, pauseMs = 50): Promise<number[]> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  const times: number[] = [];
  while (!isDone || times.length === 0) {
    const began = performance.now();
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(url, { signal, headers: { "accept-encoding": "gzip" } }).catch(() => null);
    await response?.arrayBuffer().catch(() => undefined);
    times.push(performance.now() - began);
    if (response === null) await delay(pauseMs);
    await delay(pauseMs);
  }
  await done;
  return times;
}

/** Ten visits, each on a new connection. */
async function visitTimes(target: Target, path: string): Promise<string> {
  const visits: { ms: number; status: number | null }[] = [];
  for (let n = 0; n < 10; n++)
    visits.push(await visit(target, path).catch(() => ({ ms: TIMEOUT_MS, status: null })));
  const times = visits.map(({ ms }) => ms);
  const failed = visits.filter(({ status }) => status !== 200).length;
  return `${path}: median ${seconds(median(times))}, longest ${formatLongest(times)}, ${failed} not answered`;
}

const formatLongest = (times: number[]) => seconds(Math.max(...times));

const ATTACKS: Record<string, (attacked: Attacked) => Promise<string>> = {
  async "disconnect during compression"(attacked) {
    let attempts = 0;
    for (const encoding of ["gzip", "deflate", "br"]) {
      for (let round = 0; round < 20 && (await isLive(attacked)); round++) {
        attempts += await disconnectDuringResponse(attacked.target, { path: "/", encoding, times: 20 });
      }
    }
    return (await isLive(attacked))
      ? `still runs after ${attempts} disconnects`
      : `ended after at most ${attempts} disconnects`;
  },

  async "pipelined, 20 x 1,000"({ shop, target, pid }) {
    const before = readResidentMiB(pid);
    let peak = before;
    const watch = setInterval(() => (peak = Math.max(peak, readResidentMiB(pid))), 500);
    const attack = pipelineRequests(target, { connections: 20, requests: 1_000, path: "/", read: true });
    const times = await requestDuring(
      `${shop.url}/healthz`,
      attack.catch(() => undefined),
    );
    clearInterval(watch);
    return `/healthz without a response for ${formatLongest(times)}, memory ${before} -> ${peak} MiB`;
  },

  async "clients that never read, 50 x 100"({ target, pid }) {
    const before = readResidentMiB(pid);
    const clients = await pipelineRequests(target, {
      connections: 50,
      requests: 100,
      path: "/",
      read: false,
    });
    await delay(20_000);
    const during = readResidentMiB(pid);
    const connectionsBefore = countAcceptedConnections(target);
    await delay(70_000);
    const connectionsLater = countAcceptedConnections(target);
    const after = readResidentMiB(pid);
    for (const client of clients) client.reset();
    return `memory ${before} -> ${during} MiB; connections ${connectionsBefore}, after 90 s ${connectionsLater}, memory then ${after} MiB`;
  },

  async "one form of 1 MB, then four in parallel"({ shop }) {
    const body = "a&".repeat(500_000);
    const post = () =>
      fetch(`${shop.url}/auth/sign-in`, {
        method: "POST",
        body,
        headers: { "content-type": "application/x-www-form-urlencoded" },
      }).catch(() => undefined);
    const one = await requestDuring(`${shop.url}/healthz`, post(), 5);
    const four = await requestDuring(`${shop.url}/healthz`, Promise.all([1, 2, 3, 4].map(post)), 5);
    return `/healthz without a response for ${formatLongest(one)}; ${formatLongest(four)}`;
  },

  async "sign-ins, 50 in parallel"({ shop }) {
    const html = await (await fetch(shop.url)).text();
    const script = /\/assets\/framework[\w.-]+\.js/.exec(html)?.[0] ?? "";
    const until = performance.now() + LOAD_MS;
    const statuses = new Map<number, number>();
    const attack = forEachWithConcurrency(Array.from({ length: 50 }), 50, async (_, index) => {
      for (let n = 0; performance.now() < until; n++) {
        const response = await fetch(`${shop.url}/api/auth/sign-in/email`, {
          method: "POST",
          body: JSON.stringify({ email: `nobody-${index}-${n}@example.com`, password: "a wrong password" }),
          headers: { "content-type": "application/json" },
        });
        await response.arrayBuffer();
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      }
    });
    const times = await requestDuring(`${shop.url}${script}`, attack);
    return `script: median ${seconds(median(times))}, longest ${formatLongest(times)}; sign-ins by status ${JSON.stringify([...statuses])}`;
  },

  async "forged webhooks, 50 connections"({ shop, target }) {
    const withoutLoad = await requestDuring(shop.url, delay(3_000));
    const flood = (bodyBytes: number) =>
      floodWebhook(target, { connections: 50, bodyBytes, signature: "0".repeat(64), forMs: LOAD_MS });
    const before = shop.outputBytes();
    const small = await requestDuring(shop.url, flood(200));
    const logged = shop.outputBytes() - before;
    const large = await requestDuring(shop.url, flood(990_000));
    const belowLimit = await requestDuring(shop.url, flood(250_000));
    const of = (times: number[]) => seconds(median(times));
    return `home page: median without load ${of(withoutLoad)}, small bodies ${of(small)}, 990 KB ${of(large)}, 250 KB ${of(belowLimit)}; log ${((logged / 1024 / 1024) * (60_000 / LOAD_MS)).toFixed(1)} MiB a minute`;
  },

  async "half-sent requests, 450 from each of nine addresses"({ target }) {
    const clients = await stallFromManyAddresses(target);
    return `${await visitTimes(target, "/")}; ${clients.filter(({ isClosed }) => isClosed).length} of ${clients.length} closed`;
  },

  async "pages, 150 connections"({ target }) {
    const end = new AbortController();
    const flood = floodPages({ ...target, from: "127.0.0.2" }, 150, end.signal);
    await delay(2_000);
    const times = [await visitTimes(target, "/shop/canva?not-stored"), await visitTimes(target, "/healthz")];
    end.abort();
    await flood;
    return times.join("; ");
  },

  async "database stopped"({ shop, dataDir }) {
    const pids = listPostmasters(dataDir).flatMap((pid) => [pid, ...listChildren(pid)]);
    const resume = pauseProcesses(pids);
    const timed = async (path: string) => {
      const began = performance.now();
      const response = await fetch(shop.url + path, { signal: AbortSignal.timeout(45_000) }).catch(
        () => null,
      );
      return `${path} ${response?.status ?? "no response"} after ${seconds(performance.now() - began)}`;
    };
    const during = await Promise.all([
      timed("/"),
      timed("/readyz"),
      timed("/checkout/offer?tool=chatgpt-pro"),
    ]);
    resume();
    const began = performance.now();
    let back = false;
    while (!back && performance.now() - began < TIMEOUT_MS) {
      back = (await fetch(shop.url, { signal: AbortSignal.timeout(5_000) }).catch(() => null))?.ok ?? false;
      await delay(50);
    }
    return `${during.join(", ")}; a page ${back ? seconds(performance.now() - began) : "never"} after it continued`;
  },
};

/** With them the attackers' addresses differ from the visitor's. */
const SETTINGS: Record<string, Record<string, string>> = {
  "half-sent requests, 450 from each of nine addresses": { LIMITS_PER_ADDRESS: "1" },
  "pages, 150 connections": { LIMITS_PER_ADDRESS: "1" },
};

const [folder = ROOT, ...names] = process.argv.slice(2);
for (const [name, attack] of Object.entries(ATTACKS)) {
  if (names.length > 0 && !names.some((wanted) => name.includes(wanted))) continue;
  const dataDir = createDataDir();
  const port = await freePort();
  const env = { LOG_LEVEL: "info", NO_RESTART: "1", ...SETTINGS[name] };
  const shop = await startShop({ dataDir, port, cwd: folder, env });
  try {
    const database = await connectToShop(dataDir);
    await growCatalogue((text, values) => database.query(text, [...values]), TOOLS);
    await database.end();
    console.log(`${name}: ${await attack({ shop, dataDir, target: { port }, pid: shop.child.pid ?? 0 })}`);
  } catch (error) {
    console.log(`${name}: ${String(error)}`);
  } finally {
    await stopShop(shop, "SIGKILL");
    for (const pid of listPostmasters(dataDir)) kill(pid, "SIGKILL");
  }
}
