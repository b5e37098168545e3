import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import pg from "pg";
import { markConnectionError } from "./database-unavailable.ts";

/** The advisory lock of the set-up: any number that all processes of the shop share. */
const SETUP_LOCK = 7_261_001;

/** Finds the SQL files, both from this source file and from the bundle. */
function findMigrationsFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "db/migrations"))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error("db/migrations is missing");
    folder = parent;
  }
  return join(folder, "db/migrations");
}

/**
 * Migrates a database to the newest schema, then runs `afterwards` (seeding, the first admin). Several processes may
 * call this at once: because of an advisory lock, one of them works while the others wait.
 */
export async function migrateDatabase(url: string, afterwards?: () => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: "daypass setup" });
  // Without a listener, a broken connection would end the process. The next query fails in any case.
  client.on("error", markConnectionError);
  await client.connect().catch((error: unknown) => {
    markConnectionError(error);
    throw error;
  });
  try {
    await client.query("select pg_advisory_lock($1)", [SETUP_LOCK]);
    await migrate(drizzle(client), { migrationsFolder: findMigrationsFolder() });
    await afterwards?.();
  } finally {
    await client.end();
  }
}
