import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "@playwright/test";
import pg from "pg";
import { CuttingProxy } from "../cutting-proxy.ts";
import { startThrowawayPostgres, type TestServer } from "../database/throwaway-postgres.ts";
import { freePort } from "../free-port.ts";
import { ADMIN_PASSWORD, makeDataDir } from "./shop-process.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const MOMENTS = 10;
const WAITS = { timeout: 120_000, intervals: [100] };

test.describe.configure({ mode: "serial", timeout: 300_000 });

/** A shop's folder with its own database on the server, behind a proxy of its own. */
interface Site {
  dataDir: string;
  proxy: CuttingProxy;
  /** Starts the shop when the one of before has ended. @param fault at which message the database fails, and how */
  start: (settings?: Record<string, string>, fault?: [at: number, how: "cut" | "hold"]) => Promise<Start>;
  close: () => Promise<void>;
}
type Start = Awaited<ReturnType<typeof startShop>>;

let server: TestServer;
/** The site that is set up. Nothing runs on it, so that it can be copied. */
let original: Site;
/** How many messages a start sends to the database. */
let messagesOfStart = 0;

test.beforeAll(async () => {
  server = await startThrowawayPostgres();
  original = await openSite("starts");
  // The first start makes the tables, and a later one needs fewer messages.
  for (const _ of ["first", "second"]) {
    original.proxy.messages = 0;
    const shop = await original.start({ NO_RESTART: "1" });
    await expect.poll(shop.readiness, WAITS).toBe(200);
    messagesOfStart = original.proxy.messages;
    await shop.end();
  }
});
test.afterAll(async () => {
  await original?.close();
  await server?.stop();
});

/** @param copied a site whose database and keys it gets */
async function openSite(database: string, copied?: Site): Promise<Site> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query(`create database ${database} ${copied ? "template starts" : ""}`);
  await client.end();
  const dataDir = makeDataDir();
  if (copied) cpSync(copied.dataDir, dataDir, { recursive: true });
  const url = new URL(server.url);
  url.pathname = `/${database}`;
  const proxy = await CuttingProxy.start(url.href);
  let latest: Start | undefined;
  return {
    dataDir,
    proxy,
    async start(settings = {}, fault) {
      proxy.repair();
      await latest?.end();
      if (fault) proxy.failAt(...fault);
      latest = await startShop({ DATA_DIR: dataDir, DATABASE_URL: proxy.url, ...settings });
      return latest;
    },
    async close() {
      proxy.repair();
      await latest?.end();
      await proxy.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Starts the built shop, and does not wait. */
async function startShop(settings: Record<string, string>) {
  const port = await freePort();
  const child: ChildProcess = spawn(process.execPath, ["bin/daypass.mjs", "start"], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: String(port),
      ADMIN_PASSWORD,
      ...settings,
    },
  });
  const exited = once(child, "exit");
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (text) => (output += String(text)));
  return {
    child,
    exited,
    output: () => output,
    readiness: () => fetch(`http://localhost:${port}/readyz`).then(({ status }) => status, String),
    /** Ends it with SIGTERM. @returns exit code and signal */
    end: () => {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
      return exited;
    },
  };
}

async function refusesWrongUser({ proxy, start }: Site): Promise<void> {
  const url = new URL(proxy.url);
  url.username = "nobody";
  const shop = await start({ DATABASE_URL: url.href });
  expect(await shop.exited).toEqual([1, null]);
  expect(shop.output()).toContain(`DATABASE_URL (${url.host}) cannot be reached: `);
  expect(shop.output()).not.toContain("restartInMs");
}

async function waitsForDatabase({ proxy, start }: Site): Promise<void> {
  const shop = await start({}, [1, "cut"]);
  await expect.poll(() => shop.output().split("restartInMs").length, WAITS).toBeGreaterThan(2);
  expect(shop.output()).toContain(`DATABASE_URL (${new URL(proxy.url).host}) cannot be reached: `);
  proxy.repair();
  await expect.poll(shop.readiness, WAITS).toBe(200);
  expect(await shop.end()).toEqual([0, null]);
}

/** The message at which a moment is; the moments are spread over the whole start. */
const messageOf = (moment: number) => Math.max(1, Math.floor((messagesOfStart * moment) / MOMENTS));

async function endsForRepetition({ proxy, start }: Site, moment: number): Promise<void> {
  const shop = await start({ NO_RESTART: "1" }, [messageOf(moment), "cut"]);
  const { child, output } = shop;
  // Either the process has ended, or the shop was complete and waits for its database.
  await expect
    .poll(() => child.exitCode ?? output().includes("the database is unavailable"), WAITS)
    .toBeTruthy();
  expect(proxy.hasFailed).toBe(true);
  if (child.exitCode !== null) return expect(child.exitCode).toBe(75);
  proxy.repair();
  await expect.poll(shop.readiness, WAITS).toBe(200);
  expect(await shop.end()).toEqual([0, null]);
}

async function isRepeated({ proxy, start }: Site, moment: number): Promise<void> {
  const shop = await start({}, [messageOf(moment), "cut"]);
  // Either the process has ended, or the shop was complete and waits for its database.
  await expect
    .poll(() => /will be restarted|the database is unavailable/.test(shop.output()), WAITS)
    .toBe(true);
  expect(proxy.hasFailed).toBe(true);
  proxy.repair();
  await expect.poll(shop.readiness, WAITS).toBe(200);
  expect(await shop.end()).toEqual([0, null]);
}

async function endsOnSignal({ proxy, start }: Site, moment: number): Promise<void> {
  const shop = await start({ NO_RESTART: "1" }, [messageOf(moment), "hold"]);
  await expect.poll(() => proxy.hasFailed, WAITS).toBe(true);
  const [code, signal] = await shop.end();
  expect({ code, signal }).toEqual({ code: 0, signal: null });
}

/** Several starts at the same time, because a start mostly waits. Each line runs one after the other. */
const LINES: [title: string, run: (site: Site, moment: number) => Promise<void>, moments: number[]][][] = [
  [
    [
      "a start with a user that the database refuses ends with code 1 and is not repeated",
      refusesWrongUser,
      [0],
    ],
    ["a start whose database is not up yet says so and is repeated until it is", waitsForDatabase, [0]],
    ["SIGTERM ends a start whose database is silent", endsOnSignal, [5, 10]],
  ],
  // The supervisor's part takes most of the time, so a few moments show it.
  [["a start that loses its database ends and is repeated until it succeeds", isRepeated, [5, 10]]],
  [["a start that loses its database ends with the code for a repetition", endsForRepetition, [1, 2, 3, 4]]],
  [["a start that loses its database ends with the code for a repetition", endsForRepetition, [6, 7, 8, 9]]],
];

test("a start without its database, at any moment, ends or waits as it should", async () => {
  const runLine = async (line: (typeof LINES)[number], at: number) => {
    const site = await openSite(`starts_${at}`, original);
    try {
      for (const [title, run, moments] of line) {
        for (const moment of moments)
          await test.step(`${title}: moment ${moment} of ${MOMENTS}`, () => run(site, moment));
      }
    } finally {
      await site.close();
    }
  };
  const ends = await Promise.allSettled(LINES.map(runLine));
  expect(ends.flatMap((end) => (end.status === "rejected" ? [String(end.reason)] : []))).toEqual([]);
});
