import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const READY_WITHIN_MS = 180_000;
const STOPPED_WITHIN_MS = 30_000;

/** The admin's password in every journey. */
export const ADMIN_PASSWORD = "a-password-for-journeys";

/**
 * Starts the built shop with a database of its own and leaves its address in E2E_BASE_URL and its folder in E2E_DATA_DIR.
 * Where both are set already, that shop is used as it is.
 */
export default async function startShop(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.E2E_BASE_URL && process.env.E2E_DATA_DIR) return undefined;
  const dataDir = mkdtempSync(join(tmpdir(), "daypass-e2e-"));
  // Started as root, the database runs as another user, who has to get in.
  chmodSync(dataDir, 0o755);
  const port = await freePort();
  const shop = spawn(process.execPath, ["bin/daypass.mjs", "start"], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: String(port),
      DATA_DIR: dataDir,
      DEMO: "1",
      ADMIN_PASSWORD,
      // All the journeys' people share one address.
      LIMITS_PER_ADDRESS: "0",
    },
  });
  let output = "";
  for (const stream of [shop.stdout, shop.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
  const stop = async () => {
    await stopShop(shop);
    rmSync(dataDir, { recursive: true, force: true });
  };
  // A runner that dies early must not leave a shop behind.
  process.once("exit", () => shop.kill("SIGTERM"));
  const url = `http://localhost:${port}`;
  try {
    await untilReady(url, shop);
  } catch (error) {
    await stop();
    throw new Error(`The shop did not start.\n${output}`, { cause: error });
  }
  process.env.E2E_BASE_URL = url;
  process.env.E2E_DATA_DIR = dataDir;
  return stop;
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

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject).listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
