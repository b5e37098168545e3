import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

export interface ShopProcess {
  url: string;
  child: ChildProcess;
  /** Milliseconds from spawn to the first 2xx of /readyz. */
  startedInMs: number;
  output(): string;
  /** Bytes of output so far. */
  outputBytes(): number;
}

/** A data folder that the database's account can also read when the shop runs as root. */
export function createDataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), "daypass-bench-"));
  chmodSync(folder, 0o755);
  return folder;
}

/** Starts the shop as `npm start` does and waits until it is ready. @throws Error with its output */
export async function startShop(options: {
  dataDir: string;
  port: number;
  env?: Record<string, string>;
  cwd?: string;
  withinMs?: number;
}): Promise<ShopProcess> {
  const began = performance.now();
  const child = spawn(process.execPath, ["--max-semi-space-size=16", "bin/daypass.mjs", "start"], {
    cwd: options.cwd ?? ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: String(options.port),
      DATA_DIR: options.dataDir,
      ADMIN_PASSWORD: "a-password-for-the-bench",
      LIMITS_PER_ADDRESS: "0",
      LOG_LEVEL: "warn",
      // A killed shop stays down until the benchmark starts it again.
      NO_RESTART: "1",
      ...options.env,
    },
  });
  let output = "";
  let outputBytes = 0;
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk) => {
      output = (output + String(chunk)).slice(-20_000);
      outputBytes += Buffer.byteLength(chunk);
    });
  }
  const url = `http://localhost:${options.port}`;
  const until = performance.now() + (options.withinMs ?? 60_000);
  while (performance.now() < until && child.exitCode === null && child.signalCode === null) {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2000) }).catch(
      () => undefined,
    );
    if (response?.ok) {
      return {
        url,
        child,
        startedInMs: performance.now() - began,
        output: () => output,
        outputBytes: () => outputBytes,
      };
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  child.kill("SIGKILL");
  throw new Error(`The shop did not start.\n${output}`);
}

export async function stopShop(shop: ShopProcess, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
  if (shop.child.exitCode !== null || shop.child.signalCode !== null) return;
  const ended = once(shop.child, "exit");
  shop.child.kill(signal);
  await ended;
}

/** Process ids of every Postgres postmaster whose data folder lies in `folder`. */
export function listPostmasters(dataDir: string): number[] {
  const parents = new Map<number, number>();
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const args = readFileSync(`/proc/${entry}/cmdline`, "utf8").split("\0");
      if (!args[0]?.endsWith("postgres") || !args.includes("-D")) continue;
      if (!readlinkSync(`/proc/${entry}/cwd`).startsWith(dataDir)) continue;
      parents.set(Number(entry), parentOf(entry));
    } catch {
      // The process ended meanwhile.
    }
  }
  // A newly forked backend still has the command line of its postmaster.
  return [...parents].filter(([, parent]) => !parents.has(parent)).map(([pid]) => pid);
}

/** Running child processes. */
export function listChildren(pid: number): number[] {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .filter((entry) => {
      try {
        return parentOf(entry) === pid;
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Waits for a new postmaster as well as readiness: backends of the old server may still answer for a moment. */
export async function waitForDatabaseRestart(
  shop: ShopProcess,
  options: { dataDir: string; before: readonly number[] },
): Promise<void> {
  const until = performance.now() + 60_000;
  while (performance.now() < until) {
    if (shop.child.exitCode !== null) throw new Error(`the app ended: ${shop.output()}`);
    const response = await fetch(`${shop.url}/readyz`, { signal: AbortSignal.timeout(2000) }).catch(
      () => undefined,
    );
    if (response?.ok && listPostmasters(options.dataDir).some((pid) => !options.before.includes(pid))) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("the app did not restart its database");
}

function parentOf(pid: string): number {
  return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
}

/** Resident memory of a process and its descendants, in MiB. */
export function readResidentMiB(pid: number): number {
  const children = new Map<number, number[]>();
  const sizes = new Map<number, number>();
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const status = readFileSync(`/proc/${entry}/smaps_rollup`, "utf8");
      // Proportional set size: shared pages of Postgres count once.
      sizes.set(Number(entry), Number(/^Pss:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024);
      const parent = parentOf(entry);
      children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
    } catch {
      // Not readable, or ended meanwhile.
    }
  }
  const sum = (id: number): number =>
    (sizes.get(id) ?? 0) + (children.get(id) ?? []).reduce((total, child) => total + sum(child), 0);
  return Math.round(sum(pid));
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** The value below which `share` (0 to 1) of the values lie. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
