import { pipeline } from "node:stream/promises";
import pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import { z } from "zod";
import { withClient } from "#db/database.ts";
import {
  type AddFile,
  BackupError,
  type BackupTable,
  countBytes,
  type Manifest,
  nameOfTableFile,
} from "./backup-file.ts";

/** How long to wait for a process that migrates the database. */
const LOCK_WAIT_MS = 60_000;

/** Values are written in the same form whatever the settings of the server, so that any later version reads them. */
const SESSION = `set datestyle = 'ISO'; set intervalstyle = 'postgres'; set bytea_output = 'hex'; set extra_float_digits = 1;
  set timezone = 'UTC'; set client_encoding = 'UTF8'; set statement_timeout = 0; set synchronize_seqscans = off;
  set idle_in_transaction_session_timeout = 0`;

/** Prepares a connection for a transaction that may take minutes. */
export async function prepareSession(client: pg.ClientBase): Promise<void> {
  await client.query(SESSION);
}

/**
 * Writes every table of the shop, as they are at one moment. Buyers do not wait for it: its locks allow reads and writes.
 *
 * @param databaseUrl without a pooler
 */
export function dumpDatabase(databaseUrl: string, addFile: AddFile): Promise<Manifest> {
  return withClient(databaseUrl, "daypass backup", async (client) => {
    await prepareSession(client);
    await client.query("begin isolation level repeatable read read only");
    await refuseWithoutShop(client);
    const tables = await listTables(client);
    await client.query(`set lock_timeout = ${LOCK_WAIT_MS}`);
    const names = tables.map(({ name }) => identifier(name));
    if (names.length > 0) await client.query(`lock table ${names.join(", ")} in access share mode`);
    const { rows } = await client.query(
      "select now() as at, current_setting('server_version') as postgres, (select max(created_at)::text from drizzle.__drizzle_migrations) as schema",
    );
    const { at, postgres, schema } = factsSchema.parse(rows[0]);
    const dumped: BackupTable[] = [];
    for (const table of tables) dumped.push(await dumpTable(client, table, addFile));
    await client.query("commit");
    return { format: 1, createdAt: at.toISOString(), postgres, schemaVersion: schema, tables: dumped };
  });
}

/** @throws BackupError, because a backup of nothing would look like one of the shop */
async function refuseWithoutShop(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query(
    "select to_regclass('drizzle.__drizzle_migrations') is null as missing",
  );
  if (rows[0]?.missing === true)
    throw new BackupError(
      "There is no shop in this database, so there is nothing to back up. Is DATA_DIR or DATABASE_URL that of the shop?",
    );
}

const factsSchema = z.object({ at: z.date(), postgres: z.string(), schema: z.coerce.number().int() });

async function dumpTable(
  client: pg.Client,
  { name, columns }: TableColumns,
  addFile: AddFile,
): Promise<BackupTable> {
  const rows = client.query(copyTo(`copy ${identifier(name)} (${columnList(columns)}) to stdout`));
  const counted = countBytes();
  await Promise.all([pipeline(rows, counted.stream), addFile(nameOfTableFile(name), counted.stream)]);
  // The number of rows comes after the last row; the answer to another statement comes after both.
  await client.query("select 1");
  return { name, columns, rows: rows.rowCount, ...counted.result() };
}

export type TableColumns = Pick<BackupTable, "name" | "columns">;

/**
 * The tables of the schema public with their columns, from the catalogue of the database. Tables of extensions and generated
 * columns are left out.
 */
export async function listTables(client: pg.ClientBase): Promise<TableColumns[]> {
  const { rows } = await client.query(`
    select c.relname as name, json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod))
      order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and not exists (select from pg_depend where objid = c.oid and deptype = 'e')
    group by c.relname order by c.relname`);
  return z.array(tableColumnsSchema).parse(rows);
}

const tableColumnsSchema = z.object({
  name: z.string(),
  columns: z.array(z.object({ name: z.string(), type: z.string() })),
});

export const identifier = (name: string) => `public.${pg.escapeIdentifier(name)}`;
export const columnList = (columns: TableColumns["columns"]) =>
  columns.map(({ name }) => pg.escapeIdentifier(name)).join(", ");
