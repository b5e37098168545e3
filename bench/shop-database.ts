import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { z } from "zod";

const record = z.object({ port: z.int(), shopPassword: z.string() });

/** A connection of our own to the embedded database; when it breaks, only what is asked through it fails. */
export async function connectToShop(dataDir: string): Promise<pg.Client> {
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
