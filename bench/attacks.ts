// What one abusing client does to everybody else: a row for each attack, each against a fresh shop with 50 tools.
// node bin/daypass.mjs exec bench/attacks.ts [folder of another checkout, built] [names of attacks]
import { kill } from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { acceptedConnections } from "../tools/abuse/accepted-connections.ts";
import {
  floodWebhook,
  forEachAtOnce,
  leaveWhileCompressed,
  pipeline,
  type Target,
} from "../tools/abuse/attacks.ts";
import { growCatalogue } from "../tools/abuse/large-catalogue.ts";
import { freePort } from "../tools/testing/free-port.ts";
import { connectToShop } from "./shop-database.ts";
import {
  childrenOf,
  median,
  newDataDir,
  postmastersOf,
  ROOT,
  residentMiB,
  type ShopProcess,
  startShop,
  stopShop,
} from "./shop-process.ts";

const TOOLS = 50;
const PATIENCE_MS = 60_000;
const LOAD_MS = 10_000;

interface Attacked {
  shop: ShopProcess;
  dataDir: string;
  target: Target;
  pid: number;
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
const isAlive = async ({ shop }: Attacked) =>
  (await fetch(`${shop.url}/healthz`, { signal: AbortSignal.timeout(PATIENCE_MS) }).catch(() => null))?.ok ??
  false;

/** Asks for an address again and again while `work` runs. @returns how long each answer took; failed ones count in full */
async function askDuring(url: string, work: Promise<unknown>, pauseMs = 50): Promise<number[]> {
  let over = false;
  const done = work.finally(() => {
    over = true;
  });
  const times: number[] = [];
  while (!over || times.length === 0) {
    const began = performance.now();
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const answer = await fetch(url, { signal, headers: { "accept-encoding": "gzip" } }).catch(() => null);
    await answer?.arrayBuffer().catch(() => undefined);
    times.push(performance.now() - began);
    if (answer === null) await delay(pauseMs);
    await delay(pauseMs);
  }
  await done;
  return times;
}

const longest = (times: number[]) => seconds(Math.max(...times));

const ATTACKS: Record<string, (attacked: Attacked) => Promise<string>> = {
  async "leave while compressed"(attacked) {
    let tried = 0;
    for (const encoding of ["gzip", "deflate", "br"]) {
      for (let round = 0; round < 20 && (await isAlive(attacked)); round++) {
        tried += await leaveWhileCompressed(attacked.target, { path: "/", encoding, times: 20 });
      }
    }
    return (await isAlive(attacked))
      ? `runs after ${tried} clients left`
      : `ended after at most ${tried} clients left`;
  },

  async "pipelined, 20 x 1,000"({ shop, target, pid }) {
    const before = residentMiB(pid);
    let peak = before;
    const watch = setInterval(() => (peak = Math.max(peak, residentMiB(pid))), 500);
    const attack = pipeline(target, { connections: 20, requests: 1_000, path: "/", read: true });
    const times = await askDuring(
      `${shop.url}/healthz`,
      attack.catch(() => undefined),
    );
    clearInterval(watch);
    return `/healthz silent for ${longest(times)}, memory ${before} -> ${peak} MiB`;
  },

  async "readers that never read, 50 x 100"({ target, pid }) {
    const before = residentMiB(pid);
    const clients = await pipeline(target, { connections: 50, requests: 100, path: "/", read: false });
    await delay(20_000);
    const during = residentMiB(pid);
    const open = acceptedConnections(target);
    await delay(70_000);
    const later = acceptedConnections(target);
    const after = residentMiB(pid);
    for (const client of clients) client.leave();
    return `memory ${before} -> ${during} MiB; connections ${open}, after 90 s ${later}, memory then ${after} MiB`;
  },

  async "one form of 1 MB, then four at once"({ shop }) {
    const body = "a&".repeat(500_000);
    const post = () =>
      fetch(`${shop.url}/auth/sign-in`, {
        method: "POST",
        body,
        headers: { "content-type": "application/x-www-form-urlencoded" },
      }).catch(() => undefined);
    const one = await askDuring(`${shop.url}/healthz`, post(), 5);
    const four = await askDuring(`${shop.url}/healthz`, Promise.all([1, 2, 3, 4].map(post)), 5);
    return `/healthz silent for ${longest(one)}; ${longest(four)}`;
  },

  async "sign-ins, 50 at once"({ shop }) {
    const html = await (await fetch(shop.url)).text();
    const script = /\/assets\/framework[\w.-]+\.js/.exec(html)?.[0] ?? "";
    const until = performance.now() + LOAD_MS;
    const statuses = new Map<number, number>();
    const attack = forEachAtOnce(Array.from({ length: 50 }), 50, async (_, index) => {
      for (let n = 0; performance.now() < until; n++) {
        const answer = await fetch(`${shop.url}/api/auth/sign-in/email`, {
          method: "POST",
          body: JSON.stringify({ email: `nobody-${index}-${n}@example.com`, password: "a wrong password" }),
          headers: { "content-type": "application/json" },
        });
        await answer.arrayBuffer();
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      }
    });
    const times = await askDuring(`${shop.url}${script}`, attack);
    return `script: median ${seconds(median(times))}, longest ${longest(times)}; sign-ins by status ${JSON.stringify([...statuses])}`;
  },

  async "forged webhooks, 50 connections"({ shop, target }) {
    const quiet = await askDuring(shop.url, delay(3_000));
    const flood = (bodyBytes: number) =>
      floodWebhook(target, { connections: 50, bodyBytes, signature: "0".repeat(64), forMs: LOAD_MS });
    const before = shop.outputBytes();
    const small = await askDuring(shop.url, flood(200));
    const logged = shop.outputBytes() - before;
    const large = await askDuring(shop.url, flood(990_000));
    const fitting = await askDuring(shop.url, flood(250_000));
    const of = (times: number[]) => seconds(median(times));
    return `home page: median quiet ${of(quiet)}, small bodies ${of(small)}, 990 KB ${of(large)}, 250 KB ${of(fitting)}; log ${((logged / 1024 / 1024) * (60_000 / LOAD_MS)).toFixed(1)} MiB a minute`;
  },

  async "database stopped"({ shop, dataDir }) {
    const pids = postmastersOf(dataDir).flatMap((pid) => [pid, ...childrenOf(pid)]);
    for (const pid of pids) kill(pid, "SIGSTOP");
    const timed = async (path: string) => {
      const began = performance.now();
      const answer = await fetch(shop.url + path, { signal: AbortSignal.timeout(45_000) }).catch(() => null);
      return `${path} ${answer?.status ?? "unanswered"} after ${seconds(performance.now() - began)}`;
    };
    const during = await Promise.all([
      timed("/"),
      timed("/readyz"),
      timed("/checkout/offer?tool=chatgpt-pro"),
    ]);
    for (const pid of pids) kill(pid, "SIGCONT");
    const began = performance.now();
    let back = false;
    while (!back && performance.now() - began < PATIENCE_MS) {
      back = (await fetch(shop.url, { signal: AbortSignal.timeout(5_000) }).catch(() => null))?.ok ?? false;
      await delay(50);
    }
    return `${during.join(", ")}; a page ${back ? seconds(performance.now() - began) : "never"} after it went on`;
  },
};

const [folder = ROOT, ...names] = process.argv.slice(2);
for (const [name, attack] of Object.entries(ATTACKS)) {
  if (names.length > 0 && !names.some((wanted) => name.includes(wanted))) continue;
  const dataDir = newDataDir();
  const port = await freePort();
  const env = { LOG_LEVEL: "info", NO_RESTART: "1" };
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
    for (const pid of postmastersOf(dataDir)) kill(pid, "SIGKILL");
  }
}
