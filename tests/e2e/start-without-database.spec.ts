import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "@playwright/test";
import pg from "pg";
import { CuttingProxy } from "../cutting-proxy.ts";
import { startThrowawayPostgres, type TestServer } from "../database/throwaway-postgres.ts";
import { freePort } from "../free-port.ts";
import { ADMIN_PASSWORD, makeDataDir } from "./shop-process.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const MOMENTS = 10;
const WAITS = { timeout: 60_000, intervals: [100] };

const dataDir = makeDataDir();
let server: TestServer;
let proxy: CuttingProxy;
/** How many messages a start sends to the database. */
let messagesOfStart = 0;
let shop: ReturnType<typeof startShop> extends Promise<infer Started> ? Started : never;

test.describe.configure({ mode: "serial" });
test.beforeAll(async () => {
  test.setTimeout(180_000);
  server = await startThrowawayPostgres();
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query("create database starts");
  await client.end();
  const url = new URL(server.url);
  url.pathname = "/starts";
  proxy = await CuttingProxy.start(url.href);
  // The first start makes the tables, and a later start needs fewer messages.
  for (const _ of ["first", "second"]) {
    proxy.messages = 0;
    shop = await startShop({ NO_RESTART: "1" });
    await expect.poll(shop.readiness, WAITS).toBe(200);
    messagesOfStart = proxy.messages;
    await shop.end();
  }
});
test.afterEach(async () => {
  proxy.repair();
  await shop.end();
});
test.afterAll(async () => {
  await proxy?.stop();
  await server?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Starts the built shop on the database behind the proxy, and does not wait. */
async function startShop(settings: Record<string, string> = {}) {
  const port = await freePort();
  const child: ChildProcess = spawn(process.execPath, ["bin/daypass.mjs", "start"], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: String(port),
      DATA_DIR: dataDir,
      DATABASE_URL: proxy.url,
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

test("a start with a user that the database refuses ends with code 1 and is not repeated", async () => {
  const url = new URL(proxy.url);
  url.username = "nobody";
  shop = await startShop({ DATABASE_URL: url.href });
  expect(await shop.exited).toEqual([1, null]);
  expect(shop.output()).toContain(`DATABASE_URL (${url.host}) cannot be reached: `);
  expect(shop.output()).not.toContain("restartInMs");
});

test("a start whose database is not up yet says so and is repeated until it is", async () => {
  test.setTimeout(180_000);
  proxy.failAt(1, "cut");
  shop = await startShop();
  await expect.poll(() => shop.output().split("restartInMs").length, WAITS).toBeGreaterThan(2);
  expect(shop.output()).toContain(`DATABASE_URL (${new URL(proxy.url).host}) cannot be reached: `);
  proxy.repair();
  await expect.poll(shop.readiness, WAITS).toBe(200);
  expect(await shop.end()).toEqual([0, null]);
});

const MOMENT_NUMBERS = Array.from({ length: MOMENTS }, (_, at) => at + 1);
/** The message at which a moment is; the moments are spread over the whole start. */
const messageOf = (moment: number) => Math.max(1, Math.floor((messagesOfStart * moment) / MOMENTS));

for (const moment of MOMENT_NUMBERS) {
  if (moment % 5 !== 0) {
    test(`a start that loses its database ends with the code for a repetition: moment ${moment} of ${MOMENTS}`, async () => {
      test.setTimeout(180_000);
      proxy.failAt(messageOf(moment), "cut");
      shop = await startShop({ NO_RESTART: "1" });
      const { child, output } = shop;
      // Either the process has ended, or the shop was complete and waits for its database.
      await expect
        .poll(() => child.exitCode ?? output().includes("the database is unavailable"), WAITS)
        .toBeTruthy();
      expect(proxy.hasFailed).toBe(true);
      proxy.repair();
      // A start says that the database is unavailable before it ends, too.
      const outcome = async () => child.exitCode ?? (await shop.readiness());
      await expect.poll(async () => [75, 200].includes(Number(await outcome())), WAITS).toBe(true);
      if (child.exitCode === null) expect(await shop.end()).toEqual([0, null]);
    });
    continue;
  }

  // The supervisor's part takes most of the time, so a few moments show it.
  test(`a start that loses its database ends and is repeated until it succeeds: moment ${moment} of ${MOMENTS}`, async () => {
    test.setTimeout(180_000);
    proxy.failAt(messageOf(moment), "cut");
    shop = await startShop();
    // Either the process has ended, or the shop was complete and waits for its database.
    await expect
      .poll(() => /will be restarted|the database is unavailable/.test(shop.output()), WAITS)
      .toBe(true);
    expect(proxy.hasFailed).toBe(true);
    proxy.repair();
    await expect.poll(shop.readiness, WAITS).toBe(200);
    expect(await shop.end()).toEqual([0, null]);
  });

  test(`SIGTERM ends a start whose database is silent: moment ${moment} of ${MOMENTS}`, async () => {
    test.setTimeout(180_000);
    proxy.failAt(messageOf(moment), "hold");
    shop = await startShop({ NO_RESTART: "1" });
    await expect.poll(() => proxy.hasFailed, WAITS).toBe(true);
    const [code, signal] = await shop.end();
    expect({ code, signal }).toEqual({ code: 0, signal: null });
  });
}
