import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { sql } from "drizzle-orm";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import type pg from "pg";
import { type Executor, withClient } from "./database.ts";

/** The advisory lock of the set-up: any number that all processes of the shop share. */
const SETUP_LOCK = 7_261_001;

/** An older version made the database. The message tells the owner what to do. */
export class OldDatabaseError extends Error {
  override name = "OldDatabaseError";
}

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
 *
 * @throws OldDatabaseError, and changes nothing, when a version before 0.1.0 made the database
 */
export async function migrateDatabase(url: string, afterwards?: () => Promise<void>): Promise<void> {
  await withSetupLock(url, async (client) => {
    const config = { migrationsFolder: findMigrationsFolder() };
    await refuseOlder(client, readMigrationFiles(config)[0]?.folderMillis ?? 0);
    await migrate(drizzle(client), config);
    await afterwards?.();
  });
}

/** Runs `work` on a connection of its own while no other process sets this database up. */
export function withSetupLock<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  return withClient(url, "daypass setup", async (client) => {
    await client.query("select pg_advisory_lock($1)", [SETUP_LOCK]);
    return work(client);
  });
}

/** @param firstAt time of the first migration. It is that of the last one of version 0.1.0, which made the same schema. */
async function refuseOlder(client: pg.Client, firstAt: number): Promise<void> {
  const { rows } = await client.query(
    "select to_regclass('drizzle.__drizzle_migrations') is not null as migrated",
  );
  if (rows[0]?.migrated !== true) return;
  const last = await client.query("select max(created_at)::text as at from drizzle.__drizzle_migrations");
  const at: unknown = last.rows[0]?.at;
  if (at === null || Number(at) >= firstAt) return;
  throw new OldDatabaseError(
    "The database was made by a version before 0.1.0. Start version 0.1.0 on it once, and then this one.",
  );
}

/** Time of the newest migration, in milliseconds: the version of the schema. */
export function lastMigration(): number {
  return readMigrationFiles({ migrationsFolder: findMigrationsFolder() }).at(-1)?.folderMillis ?? 0;
}

/**
 * How the schema of a database compares to that of this version of the shop. `empty`: no shop has used the database.
 * `ahead`: a newer version has. Changes nothing.
 */
export async function readSchemaState(executor: Executor): Promise<"empty" | "behind" | "current" | "ahead"> {
  const { rows } = await executor.execute(
    sql`select to_regclass('drizzle.__drizzle_migrations') is not null as migrated`,
  );
  if (rows[0]?.migrated !== true) return "empty";
  const applied = await executor.execute(
    sql`select coalesce(max(created_at), 0)::text as at from drizzle.__drizzle_migrations`,
  );
  const at = Number(applied.rows[0]?.at);
  if (at === 0) return "empty";
  if (at === lastMigration()) return "current";
  return at < lastMigration() ? "behind" : "ahead";
}

/**
 * Applies the migrations that are missing, in the open transaction of `client`: the migrator of the library would begin and
 * commit one of its own. It records them as the library does.
 *
 * @param upTo time of the last migration to apply, in milliseconds
 */
export async function applyMigrations(client: pg.ClientBase, upTo = lastMigration()): Promise<void> {
  await client.query("create schema if not exists drizzle");
  await client.query(
    "create table if not exists drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)",
  );
  const last = await client.query(
    "select coalesce(max(created_at), 0)::text as at from drizzle.__drizzle_migrations",
  );
  for (const { folderMillis, hash, sql } of readMigrationFiles({
    migrationsFolder: findMigrationsFolder(),
  })) {
    if (folderMillis <= Number(last.rows[0]?.at) || folderMillis > upTo) continue;
    for (const statement of sql) await client.query(statement);
    await client.query("insert into drizzle.__drizzle_migrations (hash, created_at) values ($1, $2)", [
      hash,
      folderMillis,
    ]);
  }
}
