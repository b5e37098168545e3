import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { z } from "zod";

const record = z.object({ port: z.int(), shopPassword: z.string() });

/** Error codes while the database starts: it refuses connections, and before that nothing listens. */
const STARTING_CODES = new Set(["57P03", "ECONNREFUSED"]);
const READY_TIMEOUT_MS = 60_000;

/** Connects to the embedded database and waits while it starts. A broken connection fails only its own queries. */
export async function connectToShop(dataDir: string): Promise<pg.Client> {
  const until = performance.now() + READY_TIMEOUT_MS;
  for (;;) {
    try {
      return await connect(dataDir);
    } catch (error) {
      const isStarting = error instanceof Error && "code" in error && STARTING_CODES.has(String(error.code));
      if (!isStarting || performance.now() > until) throw error;
      await delay(100);
    }
  }
}

async function connect(dataDir: string): Promise<pg.Client> {
  const { port, shopPassword } = record.parse(
    JSON.parse(readFileSync(join(dataDir, "pg/18/daypass.json"), "utf8")),
  );
  const client = new pg.Client({
    host: "127.0.0.1",
    port,
    user: "daypass",
    password: shopPassword,
    database: "daypass",
  });
  client.on("error", () => undefined);
  await client.connect();
  return client;
}
