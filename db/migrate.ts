import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import pg from "pg";

/** Any constant shared by all processes of the shop. */
const SETUP_LOCK = 7_261_001;

/** Where the SQL files are, seen from this file in the sources or from the bundle made of it. */
function migrationsFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "db/migrations"))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error("db/migrations is missing");
    folder = parent;
  }
  return join(folder, "db/migrations");
}

/**
 * Brings a database to the newest schema, then runs `afterwards` (seeding, the first admin). Safe to call from several
 * processes at once: an advisory lock lets one do it while the others wait.
 */
export async function migrateDatabase(url: string, afterwards?: () => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: "daypass setup" });
  // A connection that breaks makes the next query fail; without a listener it would end the process.
  client.on("error", () => undefined);
  await client.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [SETUP_LOCK]);
    await migrate(drizzle(client), { migrationsFolder: migrationsFolder() });
    await afterwards?.();
  } finally {
    await client.end();
  }
}
