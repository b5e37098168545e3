import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { mayRestart } from "./supervise.mjs";

const SUPERVISE = new URL("./supervise.mjs", import.meta.url).href;
const RUNTIME = new URL("./node-runtime.mjs", import.meta.url).href;
const QUICK = { firstPauseMs: 50, longestPauseMs: 400, stableMs: 60_000 };

/** Programs in place of the shop. Each prints its process id once its supervisor knows its status. */
const SHOPS = {
  lasting: `setInterval(() => {}, 1000);
    process.on("SIGTERM", () => { console.log("told to stop"); process.exit(0); });
    (await import(${JSON.stringify(RUNTIME)})).endWithParent();
    process.send("ready", () => console.log("pid " + process.pid));`,
  crashing: `process.send("ready", () => process.exit(1));`,
  withoutDatabase: `process.exit(75);`,
  startingThenMisconfigured: `import { existsSync, writeFileSync } from "node:fs";
    if (existsSync(process.env.MARK)) process.exit(1);
    writeFileSync(process.env.MARK, "");
    process.exit(75);`,
  replacedOnce: `import { existsSync, writeFileSync } from "node:fs";
    if (existsSync(process.env.MARK)) process.send("ready", () => console.log("the other version"));
    else { writeFileSync(process.env.MARK, ""); process.exit(76); }
    setInterval(() => {}, 1000);`,
  misconfigured: `console.log("pid " + process.pid); console.error("PORT must be a port number."); process.exit(1);`,
};

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill("SIGKILL");
});

/** Runs a supervisor with one of these programs in a process of its own. */
function start(shop: keyof typeof SHOPS, times = QUICK, settings: Record<string, string> = {}) {
  const args = JSON.stringify(["--input-type=module", "-e", SHOPS[shop]]);
  const supervisor = `const { supervise } = await import(${JSON.stringify(SUPERVISE)});
    process.exit(await supervise(process.execPath, ${args}, ${JSON.stringify(times)}));`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", supervisor], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env.PATH, ...settings },
  });
  running.push(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
  const pids = () => [...output.matchAll(/^pid (\d+)$/gm)].map(([, pid]) => Number(pid));
  const pauses = () => [...output.matchAll(/"restartInMs":(\d+)/g)].map(([, ms]) => Number(ms));
  return { child, exited: once(child, "exit"), output: () => output, pids, pauses };
}

const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
const waits = { timeout: 15_000, interval: 20 };

test("a killed shop is restarted, and the log says why and when", async () => {
  const { child, exited, output, pids } = start("lasting");
  await vi.waitUntil(() => pids().length === 1, waits);
  process.kill(pids()[0] ?? 0, "SIGKILL");
  await vi.waitUntil(() => pids().length === 2, waits);
  const line = output()
    .split("\n")
    .find((one) => one.startsWith("{"));
  expect(JSON.parse(line ?? "")).toMatchObject({
    level: 50,
    reason: "it was ended by SIGKILL",
    restartInMs: 50,
  });
  child.kill("SIGTERM");
  expect(await exited).toEqual([0, null]);
  expect(output()).toContain("told to stop");
});

test("a shop that crashes again and again is restarted after pauses that double up to a limit", async () => {
  const { pauses } = start("crashing");
  await vi.waitUntil(() => pauses().length >= 6, waits);
  expect(pauses().slice(0, 6)).toEqual([50, 100, 200, 400, 400, 400]);
});

test("the pause before a restart is short again after the shop has run for a while", async () => {
  const { pauses } = start("crashing", { ...QUICK, stableMs: 0 });
  await vi.waitUntil(() => pauses().length >= 3, waits);
  expect(pauses().slice(0, 3)).toEqual([50, 50, 50]);
});

test("a shop that was never ready is not restarted", async () => {
  const { exited, output, pids } = start("misconfigured");
  expect(await exited).toEqual([1, null]);
  expect(pids()).toHaveLength(1);
  expect(output()).toContain("PORT must be a port number.");
});

test("a shop that lost its database before it was ready is started again", async () => {
  const { pauses } = start("withoutDatabase");
  await vi.waitUntil(() => pauses().length >= 3, waits);
  expect(pauses().slice(0, 3)).toEqual([50, 100, 200]);
});

test("a start that is repeated ends for good when it then finds a wrong setting", async () => {
  const folder = mkdtempSync(join(tmpdir(), "supervise-"));
  const { exited, pauses } = start("startingThenMisconfigured", QUICK, { MARK: join(folder, "mark") });
  expect(await exited).toEqual([1, null]);
  expect(pauses()).toEqual([50]);
  rmSync(folder, { recursive: true });
});

test("a stop during the pause ends the supervisor at once with code 0", async () => {
  const { child, exited, pauses } = start("crashing", { ...QUICK, firstPauseMs: 60_000 });
  await vi.waitUntil(() => pauses().length === 1, waits);
  child.kill("SIGTERM");
  expect(await exited).toEqual([0, null]);
});

test("a shop whose supervisor is killed ends as well", async () => {
  const { child, pids } = start("lasting");
  await vi.waitUntil(() => pids().length === 1, waits);
  const [shop = 0] = pids();
  child.kill("SIGKILL");
  await vi.waitUntil(() => !isRunning(shop), waits);
});

test("NO_RESTART=1 turns restarts off", () => {
  expect([undefined, "", "0", "false"].map((value) => mayRestart(value))).toEqual([true, true, true, true]);
  expect(["1", "true"].map((value) => mayRestart(value))).toEqual([false, false]);
  expect(() => mayRestart("yes")).toThrow("NO_RESTART must be 1 or 0.");
});

test("a shop whose code was replaced is started again at once, although it was not ready", async () => {
  const folder = mkdtempSync(join(tmpdir(), "supervise-"));
  const { child, exited, output, pauses } = start(
    "replacedOnce",
    { ...QUICK, firstPauseMs: 60_000 },
    {
      MARK: join(folder, "mark"),
    },
  );
  await vi.waitUntil(() => output().includes("the other version"), waits);
  expect(pauses()).toEqual([]);
  child.kill("SIGTERM");
  await exited;
  rmSync(folder, { recursive: true });
});
