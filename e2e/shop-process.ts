import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const READY_WITHIN_MS = 180_000;
const STOPPED_WITHIN_MS = 30_000;

export interface ShopProcess {
  url: string;
  /** Everything it said so far, its log included. */
  output(): string;
  /** Resolves with the exit code and the signal of what was started, when it ends. */
  ended: Promise<unknown[]>;
  stop(): Promise<void>;
}

/** A new folder for a shop's data. */
export function makeDataDir(): string {
  const dataDir = mkdtempSync(join(tmpdir(), "daypass-e2e-"));
  // Started as root, the database runs as another user, who has to get in.
  chmodSync(dataDir, 0o755);
  return dataDir;
}

/** Starts the built shop with a database of its own, and waits until it is ready. Rejects with all it said otherwise. */
export async function startShopProcess(options: {
  dataDir: string;
  port: number;
  /** Beside the settings that all journeys share. */
  settings: Record<string, string>;
}): Promise<ShopProcess> {
  const { dataDir, port } = options;
  const shop = spawn(process.execPath, ["bin/daypass.mjs", "start"], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: String(port),
      DATA_DIR: dataDir,
      DEMO: "1",
      // A shop that ends by itself is a failure of the journey.
      NO_RESTART: "1",
      // All the journeys' people share one address.
      LIMITS_PER_ADDRESS: "0",
      ...options.settings,
    },
  });
  const ended = once(shop, "exit");
  let output = "";
  for (const stream of [shop.stdout, shop.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
  // A runner that dies early must not leave a shop behind.
  const takeAlong = () => shop.kill("SIGTERM");
  process.once("exit", takeAlong);
  const stop = async () => {
    await stopShop(shop);
    process.removeListener("exit", takeAlong);
  };
  const url = `http://localhost:${port}`;
  try {
    await untilReady(url, shop);
  } catch (error) {
    await stop();
    throw new Error(`The shop did not start.\n${output}`, { cause: error });
  }
  return { url, ended, stop, output: () => output };
}

async function untilReady(url: string, shop: ChildProcess): Promise<void> {
  const until = Date.now() + READY_WITHIN_MS;
  while (Date.now() < until && shop.exitCode === null) {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(shop.exitCode === null ? "It is not ready." : `It ended with code ${shop.exitCode}.`);
}

async function stopShop(shop: ChildProcess): Promise<void> {
  if (shop.exitCode !== null || shop.signalCode !== null) return;
  const ended = once(shop, "exit");
  shop.kill("SIGTERM");
  const patience = setTimeout(() => shop.kill("SIGKILL"), STOPPED_WITHIN_MS);
  await ended;
  clearTimeout(patience);
}
