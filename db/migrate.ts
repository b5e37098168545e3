import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { sql } from "drizzle-orm";
import { readMigrationFiles } from "drizzle-orm/migrator";
import type pg from "pg";
import { type Executor, withClient } from "./database.ts";
import { causedByUnavailableDatabase } from "./database-unavailable.ts";

/** The advisory lock of the set-up: any number that all processes of the shop share. */
const SETUP_LOCK = 7_261_001;

/**
 * While a migration waits for a lock on a table, nobody else can use the table. So it waits for a short time only, and tries
 * again after a pause: for one minute altogether.
 */
const LOCK_TIMES = { timeoutMs: 5_000, pauseMs: 1_000, attempts: 10 };
const LOCK_NOT_AVAILABLE = "55P03";

/** The schema could not be changed, and is as it was. The message tells the owner what to do. */
export class MigrationError extends Error {
  override name = "MigrationError";
}

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

interface MigrationOptions {
  /** Runs under the same lock: seeding, the first admin. */
  afterwards?: () => Promise<void>;
  /** Called before each further attempt: another program holds a lock that a migration needs. */
  onWait?: () => void;
  lockTimes?: typeof LOCK_TIMES;
}

/**
 * Migrates a database to the newest schema, in one transaction. Several processes may call this at once: because of an
 * advisory lock, one of them works while the others wait.
 *
 * @throws OldDatabaseError when a version before 0.1.0 made the database; MigrationError when a migration fails. Nothing is
 *   changed then.
 */
export async function migrateDatabase(url: string, options: MigrationOptions = {}): Promise<void> {
  await withSetupLock(url, async (client) => {
    await refuseOlder(client, migrationTimes()[0] ?? 0);
    await migrateWithinLockTimes(client, options);
    await options.afterwards?.();
  });
}

async function migrateWithinLockTimes(
  client: pg.Client,
  { onWait, lockTimes = LOCK_TIMES }: MigrationOptions,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.query("begin");
      await client.query("select set_config('lock_timeout', $1, true)", [`${lockTimes.timeoutMs}ms`]);
      await applyMigrations(client);
      await client.query("commit");
      return;
    } catch (error) {
      if (causedByUnavailableDatabase(error)) throw error;
      await client.query("rollback");
      if (codeOf(error) !== LOCK_NOT_AVAILABLE) throw failedBecause(error);
      if (attempt === lockTimes.attempts) throw lockedBy(error);
    }
    onWait?.();
    await delay(lockTimes.pauseMs);
  }
}

const codeOf = (error: unknown) => (error instanceof Error && "code" in error ? error.code : undefined);

function failedBecause(error: unknown): MigrationError {
  const reason = error instanceof Error ? error.message : String(error);
  return new MigrationError(
    `The database could not be changed for this version (${reason}). It is as it was. To run the version before this one again, use npm run upgrade -- --back.`,
    { cause: error },
  );
}

function lockedBy(error: unknown): MigrationError {
  return new MigrationError(
    "The database could not be changed for this version, because another program holds a lock on a table. It is as it was. End that program, such as a backup or an open transaction, then start the shop again.",
    { cause: error },
  );
}

/** Runs `work` on a connection of its own while no other process sets this database up. */
export function withSetupLock<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  return withClient(url, "daypass setup", async (client) => {
    await client.query("select pg_advisory_lock($1)", [SETUP_LOCK]);
    return work(client);
  });
}

/** @param firstAt time of the first migration. It equals the last migration of version 0.1.0, which made the same schema. */
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

const readMigrations = () => readMigrationFiles({ migrationsFolder: findMigrationsFolder() });

/** Times of all migrations, in milliseconds and in order. */
export function migrationTimes(): number[] {
  return readMigrations().map(({ folderMillis }) => folderMillis);
}

/** Time of the newest migration, in milliseconds: the version of the schema. */
export function lastMigration(): number {
  return migrationTimes().at(-1) ?? 0;
}

/**
 * How the schema of a database compares to the schema of this version of the shop. `empty`: no shop has used the database.
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
  const [at, last] = [Number(applied.rows[0]?.at), lastMigration()];
  if (at === 0) return "empty";
  if (at === last) return "current";
  return at < last ? "behind" : "ahead";
}

/**
 * Applies the migrations that are missing, in the open transaction of `client`, and records them as the library does. The
 * migrator of the library is not used, because it begins and commits a transaction of its own.
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
  for (const { folderMillis, hash, sql } of readMigrations()) {
    if (folderMillis <= Number(last.rows[0]?.at) || folderMillis > upTo) continue;
    for (const statement of sql) await client.query(statement);
    await client.query("insert into drizzle.__drizzle_migrations (hash, created_at) values ($1, $2)", [
      hash,
      folderMillis,
    ]);
  }
}
