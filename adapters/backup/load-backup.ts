import { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import pg from "pg";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import { z } from "zod";
import { applyMigrations, lastMigration } from "#db/migrate.ts";
import { isInvalidDataError } from "#db/transaction.ts";
import {
  BackupError,
  type BackupFile,
  type BackupTable,
  countBytes,
  nameOfTableFile,
} from "./backup-file.ts";
import { columnList, identifier, listTables, prepareSession } from "./dump-database.ts";

/** What Postgres writes as a type: words, a length, brackets of an array. */
const TYPE = /^[\w "]+(?:\(\d+(?:,\d+)?\))?[\w "]*(?:\[\])*$/;

/**
 * Fills an empty database with a backup and brings it to the newest schema, in one transaction: everything, or nothing. Reads
 * each table again and compares it with the backup.
 *
 * @param options.afterwards runs at the end of the transaction
 * @throws BackupError when the database is not empty, a newer version of the shop made the backup, or the backup is damaged
 */
export async function loadBackup(
  client: pg.Client,
  backup: BackupFile,
  { signal, afterwards }: { signal: AbortSignal; afterwards?: (client: pg.Client) => Promise<void> },
): Promise<void> {
  const { schemaVersion, tables } = backup.manifest;
  if (schemaVersion > lastMigration())
    throw new BackupError(
      "A newer version of the shop made this backup. Restore it with that version, or a newer one.",
    );
  await prepareSession(client);
  await client.query("begin");
  await refuseUnlessEmpty(client);
  await applyMigrations(client, schemaVersion);
  const restoreForeignKeys = await dropForeignKeys(client);
  const present = new Set((await listTables(client)).map(({ name }) => name));
  for (const table of tables) {
    if (!present.delete(table.name)) await createTable(client, table);
    await loadTable(client, backup, table, signal);
  }
  const [missing] = present;
  if (missing !== undefined) throw new BackupError(`The backup lacks the table ${missing}.`);
  await restoreForeignKeys();
  await applyMigrations(client);
  await afterwards?.(client);
  await client.query("commit");
}

/** Tables of other programs are allowed: only tables of a shop count. */
async function refuseUnlessEmpty(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query(
    "select to_regclass('drizzle.__drizzle_migrations') is not null or to_regclass('public.user_purchases') is not null as used",
  );
  if (usedSchema.parse(rows[0]).used)
    throw new BackupError(
      "This database already contains a shop, and nothing was changed. Restore into a new DATA_DIR or an empty database.",
    );
}

const usedSchema = z.object({ used: z.boolean() });

/** Tables are filled one after the other, so a row may arrive before the row that it refers to. */
async function dropForeignKeys(client: pg.ClientBase): Promise<() => Promise<void>> {
  const { rows } = await client.query(`
    select conrelid::regclass::text as "table", quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace order by oid`);
  const keys = z.array(foreignKeySchema).parse(rows);
  for (const key of keys) await client.query(`alter table ${key.table} drop constraint ${key.name}`);
  return async () => {
    for (const key of keys)
      await client.query(`alter table ${key.table} add constraint ${key.name} ${key.definition}`);
  };
}

const foreignKeySchema = z.object({ table: z.string(), name: z.string(), definition: z.string() });

/** A table that the shop does not know: its owner made it. Its indexes and rules are not in the backup. */
async function createTable(client: pg.ClientBase, { name, columns }: BackupTable): Promise<void> {
  for (const { type } of columns)
    if (!TYPE.test(type)) throw new BackupError(`The backup has a column of the unknown type ${type}.`);
  const definitions = columns.map((column) => `${columnList([column])} ${column.type}`);
  await client.query(`create table ${identifier(name)} (${definitions.join(", ")})`);
}

async function loadTable(
  client: pg.Client,
  backup: BackupFile,
  table: BackupTable,
  signal: AbortSignal,
): Promise<void> {
  const target = `${identifier(table.name)} (${columnList(table.columns)})`;
  const read = countBytes();
  const loading = client.query(copyFrom(`copy ${target} from stdin`));
  try {
    await pipeline(await backup.openFile(nameOfTableFile(table.name)), read.stream, loading, { signal });
  } catch (error) {
    if (signal.aborted || !isOfContent(error)) throw error;
    throw damaged(table, error);
  }
  const stored = countBytes();
  const reading = client.query(copyTo(`copy ${target} to stdout`));
  await pipeline(reading, stored.stream, nowhere(), { signal });
  const isComplete = loading.rowCount === table.rows && read.result().sha256 === table.sha256;
  if (!isComplete || stored.result().sha256 !== table.sha256) throw damaged(table);
}

const damaged = ({ name }: BackupTable, cause?: unknown) =>
  new BackupError(`The backup is damaged: table ${name} differs from what was written.`, { cause });

/** Whether the content of the backup caused the error, and not the disk or the connection. */
const isOfContent = (error: unknown) =>
  error instanceof pg.DatabaseError
    ? isInvalidDataError(error)
    : !(error instanceof Error && ("syscall" in error || error instanceof BackupError));

const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() });
