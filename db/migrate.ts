import { fileURLToPath } from "node:url";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import pg from "pg";

/** Any constant shared by all processes of the shop; taken while migrating, seeding and making the first admin. */
export const SETUP_LOCK = 7_261_001;

/** Where the SQL files are: beside this file, or beside the working folder when this file is part of a bundle. */
export function migrationsFolder(): string {
  return import.meta.url.includes("/build/")
    ? fileURLToPath(new URL("../../db/migrations", import.meta.url))
    : fileURLToPath(new URL("./migrations", import.meta.url));
}

/**
 * Brings a database to the newest schema. Safe to call from several processes at once: an advisory lock lets one do it
 * while the others wait.
 */
export async function migrateDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: "daypass migrate" });
  await client.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [SETUP_LOCK]);
    await migrate(drizzle(client), { migrationsFolder: migrationsFolder() });
  } finally {
    await client.end();
  }
}
