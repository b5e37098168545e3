import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import pg from "pg";
import { onTestFinished, vi } from "vitest";
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from "./start-embedded-postgres.ts";

/** Registers a cleanup that runs after the test. The last one registered runs first. */
export function afterTest(cleanup: () => unknown): void {
  onTestFinished(async () => {
    await cleanup();
  });
}

export const patience = { timeout: 15_000, interval: 50 };

export function newDataDir(parentMode = 0o755): string {
  const parent = mkdtempSync(join(tmpdir(), "daypass-"));
  chmodSync(parent, parentMode);
  afterTest(() => rmSync(parent, { recursive: true, force: true }));
  return join(parent, "data");
}

export function clusterOf(dataDir: string): string {
  return join(dataDir, "pg", "18");
}

export async function start(
  dataDir: string,
  onFatal = vi.fn(),
  lines: string[] = [],
): Promise<EmbeddedPostgres> {
  return startWith({ dataDir, log: (line) => lines.push(line), onFatal });
}

export async function startWith(
  options: Pick<EmbeddedPostgresOptions, "dataDir"> & Partial<EmbeddedPostgresOptions>,
): Promise<EmbeddedPostgres> {
  const running = await startEmbeddedPostgres({ log: vi.fn(), onFatal: vi.fn(), ...options });
  afterTest(() => running.stop());
  return running;
}

export async function startFailure(dataDir: string): Promise<Error> {
  return start(dataDir).then(
    () => Promise.reject(new Error("it started")),
    (error: Error) => error,
  );
}

/** Starts a process of its own that uses DATA_DIR and can be killed. */
export async function startHolderProcess(dataDir: string): Promise<{ child: ChildProcess; url: string }> {
  const program = `
    const { startEmbeddedPostgres } = await import(${JSON.stringify(new URL("./start-embedded-postgres.ts", import.meta.url))});
    const stop = () => running.stop().then(() => process.exit(0));
    const running = await startEmbeddedPostgres({ dataDir: process.argv[1], log: () => {}, onFatal: console.error })
      .catch((error) => { console.log("refused " + error.message); process.exit(1); });
    process.on("SIGTERM", stop);
    console.log("url " + running.url);
    setInterval(() => {}, 1000);
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program, dataDir], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  afterTest(async () => {
    child.kill("SIGTERM");
    await exited;
  });
  for await (const line of createInterface(child.stdout)) {
    if (line.startsWith("url ")) return { child, url: line.slice(4) };
    if (line.startsWith("refused ")) throw new Error(line.slice(8));
  }
  throw new Error("the holder process ended without output");
}

export async function killAndWait(child: ChildProcess): Promise<void> {
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

export function superuserUrl(dataDir: string): string {
  const { superuserPassword, port } = JSON.parse(
    readFileSync(join(clusterOf(dataDir), "daypass.json"), "utf8"),
  );
  return `postgres://postgres:${superuserPassword}@127.0.0.1:${port}/postgres`;
}

export async function countLockHolders(dataDir: string): Promise<number> {
  const rows = await query(
    superuserUrl(dataDir),
    "select 1 from pg_locks where locktype = 'advisory' and granted",
  ).catch(() => []);
  return rows.length;
}

export async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client(url);
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
