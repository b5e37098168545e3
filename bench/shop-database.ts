import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { z } from "zod";

const record = z.object({ port: z.int(), shopPassword: z.string() });

/** A database that is starting refuses connections with the first code; before that nothing listens. */
const STARTING = new Set(["57P03", "ECONNREFUSED"]);
const READY_WITHIN_MS = 60_000;

/** A separate connection to the embedded database, which may be starting at this moment. */
export async function connectToShop(dataDir: string): Promise<pg.Client> {
  const until = performance.now() + READY_WITHIN_MS;
  for (;;) {
    try {
      return await connect(dataDir);
    } catch (error) {
      const starting = error instanceof Error && "code" in error && STARTING.has(String(error.code));
      if (!starting || performance.now() > until) throw error;
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
