import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../", import.meta.url));

export interface ShopProcess {
  url: string;
  child: ChildProcess;
  /** Milliseconds from spawn to the first good answer of /readyz. */
  startedInMs: number;
  output(): string;
  /** Of everything it said so far. */
  outputBytes(): number;
}

/** A data folder that the database's own account can reach when all runs as root. */
export function newDataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), "daypass-bench-"));
  chmodSync(folder, 0o755);
  return folder;
}

/** Starts the shop as `npm start` does and waits until it is ready. @throws Error with its output when it is not */
export async function startShop(options: {
  dataDir: string;
  port: number;
  env?: Record<string, string>;
  cwd?: string;
  withinMs?: number;
}): Promise<ShopProcess> {
  const began = performance.now();
  const child = spawn(process.execPath, ["bin/daypass.mjs", "start"], {
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
      // A shop that is killed stays dead until the bench starts it again.
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
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2000) }).catch(() => undefined);
    if (answer?.ok) {
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
export function postmastersOf(dataDir: string): number[] {
  const parents = new Map<number, number>();
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const args = readFileSync(`/proc/${entry}/cmdline`, "utf8").split("\0");
      if (!args[0]?.endsWith("postgres") || !args.includes("-D")) continue;
      if (!readlinkSync(`/proc/${entry}/cwd`).startsWith(dataDir)) continue;
      parents.set(Number(entry), parentOf(entry));
    } catch {
      // The process ended while we looked.
    }
  }
  // A backend that was forked just now still goes by its postmaster's name.
  return [...parents].filter(([, parent]) => !parents.has(parent)).map(([pid]) => pid);
}

/** The processes that a process has started and that still run. */
export function childrenOf(pid: number): number[] {
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

/** The old server's backends may answer for a moment longer, so the new one must be there first. */
export async function untilDatabaseIsBack(
  shop: ShopProcess,
  options: { dataDir: string; before: readonly number[] },
): Promise<void> {
  const until = performance.now() + 60_000;
  while (performance.now() < until) {
    if (shop.child.exitCode !== null) throw new Error(`the app ended: ${shop.output()}`);
    const answer = await fetch(`${shop.url}/readyz`, { signal: AbortSignal.timeout(2000) }).catch(
      () => undefined,
    );
    if (answer?.ok && postmastersOf(options.dataDir).some((pid) => !options.before.includes(pid))) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("the app did not get its database back");
}

function parentOf(pid: string): number {
  return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
}

/** Resident memory of a process and all below it, in MiB. */
export function residentMiB(pid: number): number {
  const children = new Map<number, number[]>();
  const sizes = new Map<number, number>();
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const status = readFileSync(`/proc/${entry}/smaps_rollup`, "utf8");
      // Proportional size: shared pages of Postgres' processes count once.
      sizes.set(Number(entry), Number(/^Pss:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024);
      const parent = parentOf(entry);
      children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
    } catch {
      // Not ours to read, or ended while we looked.
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
