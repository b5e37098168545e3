import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const READY_TIMEOUT_MS = 180_000;
const STOP_TIMEOUT_MS = 30_000;

/** The admin's password in all tests. */
export const ADMIN_PASSWORD = "a-password-for-journeys";

export interface ShopProcess {
  url: string;
  /** Output so far, log included. */
  output(): string;
  /** Resolves with exit code and signal when the process ends. */
  ended: Promise<unknown[]>;
  signal(name: NodeJS.Signals): void;
  stop(): Promise<void>;
}

/** A new folder for a shop's data. */
export function makeDataDir(): string {
  const dataDir = mkdtempSync(join(tmpdir(), "daypass-e2e-"));
  // As root, the database runs as another user, who needs access.
  chmodSync(dataDir, 0o755);
  return dataDir;
}

/** Starts the built shop with its own database and waits until it is ready. @throws Error with its output */
export async function startShopProcess(options: {
  dataDir: string;
  port: number;
  /** dev: the development server, which serves the sources. */
  command?: "start" | "dev";
  /** The folder of the shop; this repository without it. */
  root?: string;
  /** Added to the settings that all tests share. */
  settings: Record<string, string>;
}): Promise<ShopProcess> {
  const { dataDir, port } = options;
  const shop = spawn(process.execPath, ["bin/daypass.mjs", options.command ?? "start"], {
    cwd: options.root ?? ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: String(port),
      DATA_DIR: dataDir,
      DEMO: "1",
      // A test fails when its shop ends by itself.
      NO_RESTART: "1",
      // All test users share one address.
      LIMITS_PER_ADDRESS: "0",
      ...options.settings,
    },
  });
  const ended = once(shop, "exit");
  let output = "";
  for (const stream of [shop.stdout, shop.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
  // When the runner ends early, the shop ends too.
  const killWithParent = () => shop.kill("SIGTERM");
  process.once("exit", killWithParent);
  const stop = async () => {
    await stopShop(shop);
    process.removeListener("exit", killWithParent);
  };
  const url = `http://localhost:${port}`;
  try {
    await waitUntilReady(url, shop);
  } catch (error) {
    await stop();
    throw new Error(`The shop did not start.\n${output}`, { cause: error });
  }
  return { url, ended, stop, output: () => output, signal: (name) => shop.kill(name) };
}

async function waitUntilReady(url: string, shop: ChildProcess): Promise<void> {
  const until = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < until && shop.exitCode === null) {
    const response = await fetch(`${url}/readyz`).catch(() => undefined);
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(shop.exitCode === null ? "It is not ready." : `It ended with code ${shop.exitCode}.`);
}

async function stopShop(shop: ChildProcess): Promise<void> {
  if (shop.exitCode !== null || shop.signalCode !== null) return;
  const ended = once(shop, "exit");
  shop.kill("SIGTERM");
  const killTimer = setTimeout(() => shop.kill("SIGKILL"), STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(killTimer);
}
