import { readFileSync } from "node:fs";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { emptyDatabase } from "../tests/database/database.ts";
import { migrateDatabase, OldDatabaseError } from "./migrate.ts";

const LAST_VERSION = readFileSync("tests/database/last-version.sql", "utf8");
const LAST_MIGRATION = 1_795_512_034_369;

/** What a schema consists of, apart from the order of columns. */
const CATALOGUE = {
  columns: `select c.relname, c.relkind, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attstattarget,
      pg_get_expr(d.adbin, d.adrelid)
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v', 'm', 'S')`,
  indexes: "select indexdef from pg_indexes where schemaname = 'public'",
  constraints: `select conrelid::regclass::text, conname, pg_get_constraintdef(oid) from pg_constraint
    where connamespace = 'public'::regnamespace`,
  views: "select viewname, definition from pg_views where schemaname = 'public'",
  functions: `select pg_get_functiondef(p.oid) from pg_proc p where pronamespace = 'public'::regnamespace
    and not exists (select from pg_depend where objid = p.oid and deptype = 'e')`,
  triggers: "select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal",
  extensions: "select extname from pg_extension",
  enums: "select enumtypid::regtype::text, enumlabel from pg_enum",
};

async function connectToEmptyDatabase(): Promise<{ url: string; client: pg.Client }> {
  const { url, drop } = await emptyDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(async () => {
    await client.end();
    await drop();
  });
  return { url, client };
}

/** Marks a migration as the last one that a database has got. */
async function markMigrated(client: pg.Client, at: number): Promise<void> {
  await client.query("create schema drizzle");
  await client.query(
    "create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)",
  );
  await client.query("insert into drizzle.__drizzle_migrations (hash, created_at) values ('last', $1)", [at]);
}

async function describeSchema(client: pg.Client): Promise<Record<string, string[]>> {
  const schema: Record<string, string[]> = {};
  for (const [part, text] of Object.entries(CATALOGUE)) {
    const { rows } = await client.query({ text, rowMode: "array" });
    schema[part] = rows.map((row) => JSON.stringify(row)).toSorted();
  }
  return schema;
}

test("a database of the last version gets the same schema as a new one, and keeps its rows", async () => {
  const fresh = await connectToEmptyDatabase();
  await migrateDatabase(fresh.url);
  const old = await connectToEmptyDatabase();
  await old.client.query(LAST_VERSION);
  await markMigrated(old.client, LAST_MIGRATION);
  await old.client.query("insert into settings (key, value) values ('kept', '1')");
  // The queue of that version had a schema of its own.
  await old.client.query("create schema pgboss; create table pgboss.job (id int)");
  await migrateDatabase(old.url);
  const expected = await describeSchema(fresh.client);
  for (const part of ["columns", "indexes", "constraints"])
    expect(expected[part]?.length, part).toBeGreaterThan(20);
  expect(await describeSchema(old.client)).toEqual(expected);
  expect((await old.client.query("select to_regnamespace('pgboss') as queue")).rows).toEqual([
    { queue: null },
  ]);
  expect((await old.client.query("select key from settings")).rows).toEqual([{ key: "kept" }]);
});

test("a database of an older version is refused with the version to start first, and stays as it is", async () => {
  const { url, client } = await connectToEmptyDatabase();
  await markMigrated(client, LAST_MIGRATION - 1);
  const refused = migrateDatabase(url);
  await expect(refused).rejects.toBeInstanceOf(OldDatabaseError);
  await expect(refused).rejects.toThrow("Start version 0.1.0 on it once");
  expect((await client.query("select to_regclass('tools') as tools")).rows).toEqual([{ tools: null }]);
});
