import { readFileSync } from "node:fs";
import pg from "pg";
import { expect, onTestFinished, test, vi } from "vitest";
import { emptyDatabase } from "../tests/database/database.ts";
import { startDemotablePostgres } from "../tests/database/demotable-postgres.ts";
import { causedByUnavailableDatabase } from "./database-unavailable.ts";
import {
  applyMigrations,
  MigrationError,
  migrateDatabase,
  migrationTimes,
  OldDatabaseError,
} from "./migrate.ts";

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

test("a job that a version no longer has leaves no row, and the other jobs keep theirs", async () => {
  const { client } = await connectToEmptyDatabase();
  const [, , jobsWithoutQueue] = migrationTimes();
  await applyMigrations(client, jobsWithoutQueue);
  await client.query(
    "insert into job_runs (name, next_run_at) values ('compact-counters', now()), ('send-mail', now())",
  );
  await applyMigrations(client);
  expect((await client.query("select name from job_runs")).rows).toEqual([{ name: "send-mail" }]);
});

test("a database of an older version is refused with the version to start first, and stays as it is", async () => {
  const { url, client } = await connectToEmptyDatabase();
  await markMigrated(client, LAST_MIGRATION - 1);
  const refused = migrateDatabase(url);
  await expect(refused).rejects.toBeInstanceOf(OldDatabaseError);
  await expect(refused).rejects.toThrow("Start version 0.1.0 on it once");
  expect((await client.query("select to_regclass('tools') as tools")).rows).toEqual([{ tools: null }]);
});

/** The last migration of version 0.2.0. Those before it removed tables of version 0.1.0. */
const FIRST_OF_RELEASES = 1_795_600_000_000;

test("no table or column disappears, changes its type or becomes required from one release to the next", async () => {
  const { client } = await connectToEmptyDatabase();
  const times = migrationTimes();
  const last = times.findLastIndex((at) => at <= FIRST_OF_RELEASES);
  for (const [index, at] of times.entries()) {
    if (index < last) continue;
    const before = await describeColumns(client);
    await applyMigrations(client, at);
    const after = await describeColumns(client);
    for (const [name, column] of before) {
      expect(after.get(name)?.type, `${name} after migration ${index}`).toBe(column.type);
      if (!column.isRequired)
        expect(after.get(name)?.isRequired, `${name} after migration ${index}`).toBe(false);
    }
    // Older code does not know a new column of a table that it knows.
    const tables = new Set([...before.values()].map(({ table }) => table));
    for (const [name, { table, isRequired }] of after)
      if (tables.has(table) && !before.has(name))
        expect(isRequired, `${name} is new and required`).toBe(false);
  }
});

/** Columns by "table.column". Required: an insert must name it. */
async function describeColumns(client: pg.Client) {
  const { rows } = await client.query<{ table: string; column: string; type: string; isRequired: boolean }>(
    `select table_name as table, column_name as column, udt_name as type,
        is_nullable = 'NO' and column_default is null and identity_generation is null as "isRequired"
      from information_schema.columns where table_schema = 'public'`,
  );
  return new Map(rows.map((row) => [`${row.table}.${row.column}`, row]));
}

/** The migration after this one gives every purchase an order number. */
const BEFORE_ORDER_NUMBERS = 1_795_639_952_019;
const ORDER_NUMBER = /^[2-9A-HJKMNP-Z]{8}$/;

const insertPurchases = (client: pg.Client, count: number) =>
  client.query(
    `with buyer as (insert into users (id, email) values (gen_random_uuid(), gen_random_uuid()::text) returning id)
     insert into user_purchases (id, user_id, user_email, tool_name, validity, list_price_paise, amount, status, source)
     select gen_random_uuid(), buyer.id, '', 'Canva', 30, 1, 1, 'failed', 'import' from buyer, generate_series(1, ${count})`,
  );

async function readOrderNumbers(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ number: string }>(
    "select order_number as number from user_purchases",
  );
  return rows.map(({ number }) => number);
}

test("purchases of the version before get an order number each, and so do those that it still inserts", async () => {
  const { url, client } = await connectToEmptyDatabase();
  await applyMigrations(client, BEFORE_ORDER_NUMBERS);
  await insertPurchases(client, 2_000);
  await migrateDatabase(url);
  await insertPurchases(client, 500);
  const numbers = await readOrderNumbers(client);
  expect(numbers).toHaveLength(2_500);
  expect(new Set(numbers).size).toBe(2_500);
  expect(numbers.filter((number) => !ORDER_NUMBER.test(number))).toEqual([]);
  // Each of the 31 characters occurs in each of the eight places.
  for (let place = 0; place < 8; place += 1)
    expect(new Set(numbers.map((number) => number[place])).size).toBe(31);
});

test("a number that another purchase has is drawn again, and cannot be stored", async () => {
  const { url, client } = await connectToEmptyDatabase();
  await migrateDatabase(url);
  // Draws AAAAAAAA, AAAAAAAA, BBBBBBBB.
  await client.query(`create sequence draws;
    create or replace function random_order_number() returns text language sql as
    $$ select repeat(case when nextval('draws') < 3 then 'A' else 'B' end, 8) $$`);
  await insertPurchases(client, 2);
  expect((await readOrderNumbers(client)).toSorted()).toEqual(["AAAAAAAA", "BBBBBBBB"]);
  await expect(client.query("update user_purchases set order_number = 'AAAAAAAA'")).rejects.toThrow(
    "user_purchases_order_number_key",
  );
});

/** The migration after this one adds a key to user_purchases. */
const BEFORE_UNKNOWN_PAYMENTS = 1_795_597_891_192;
const QUICK = { timeoutMs: 50, pauseMs: 10, attempts: 100 };

/** A database that lacks the last migrations, with a table locked that they change. */
async function lockTable() {
  const old = await connectToEmptyDatabase();
  await applyMigrations(old.client, BEFORE_UNKNOWN_PAYMENTS);
  await old.client.query("begin; lock table user_purchases in access exclusive mode");
  return old;
}

test("a migration that another program blocks is tried again until the lock is gone", async () => {
  const { url, client } = await lockTable();
  const waited = new Promise<void>((resolve) => {
    void migrateDatabase(url, { lockTimes: QUICK, onWait: resolve }).then(
      () => finished.push("migrated"),
      (error: unknown) => finished.push(String(error)),
    );
  });
  const finished: string[] = [];
  await waited;
  expect(finished).toEqual([]);
  await client.query("rollback");
  await vi.waitFor(() => expect(finished).toEqual(["migrated"]), { timeout: 20_000 });
});

test("a migration that stays blocked ends with a sentence, and changes nothing", async () => {
  const { url, client } = await lockTable();
  const blocked = migrateDatabase(url, { lockTimes: { ...QUICK, attempts: 2 } });
  await expect(blocked).rejects.toBeInstanceOf(MigrationError);
  await expect(blocked).rejects.toThrow("another program holds a lock on a table. It is as it was.");
  await client.query("rollback");
  const { rows } = await client.query("select max(created_at)::text as at from drizzle.__drizzle_migrations");
  expect(rows).toEqual([{ at: String(BEFORE_UNKNOWN_PAYMENTS) }]);
});

test("a migration that fails changes nothing, and the sentence says how to go on", async () => {
  const { url, client } = await connectToEmptyDatabase();
  // In the way of the first migration.
  await client.query("create table tools (id int)");
  const failed = migrateDatabase(url);
  await expect(failed).rejects.toBeInstanceOf(MigrationError);
  await expect(failed).rejects.toThrow(/already exists.*run the version before this one again/);
  const { rows } = await client.query(
    "select relname from pg_class where relnamespace = 'public'::regnamespace",
  );
  expect(rows).toEqual([{ relname: "tools" }]);
});

const BEFORE_CLEAN_TEXTS = 1_795_676_623_173;

test("stored names lose their invisible characters, and two tools that would get the same name both stay", async () => {
  const { url, client } = await connectToEmptyDatabase();
  await applyMigrations(client, BEFORE_CLEAN_TEXTS);
  const names = ["\ufeffZee \u095b\u0940", "Canva", "canva\u200b", "Udemy\u2060"];
  await client.query(
    `insert into tools (id, slug, name, description, price_paise, servers)
      select gen_random_uuid(), 'tool-' || at, name, name, 100, jsonb_build_array(jsonb_build_object('id', 's', 'name', name))
      from unnest($1::text[]) with ordinality as named (name, at)`,
    [names],
  );
  await client.query(
    "insert into users (id, email, display_name) values (gen_random_uuid(), 'asha@example.com', E'A\\u200Fsha \\u0915\\u094D\\u200D\\u0937')",
  );
  await migrateDatabase(url);
  const { rows } = await client.query(
    "select name, servers -> 0 ->> 'name' as server from tools order by slug",
  );
  const clean = "Zee \u091c\u093c\u0940";
  expect(rows).toEqual([
    { name: clean, server: clean },
    { name: "Canva", server: "Canva" },
    { name: "canva\u200b", server: "canva" },
    { name: "Udemy", server: "Udemy" },
  ]);
  expect((await client.query("select display_name as name from users")).rows).toEqual([
    { name: "Asha क्\u200dष" },
  ]);
});

const BEFORE_TOOLS_ON_SALE_ONCE = 1_795_822_287_703;

test("a tool that a checkout has sold counts as one that was on sale, and a tool that was only assigned does not", async () => {
  const { url, client } = await connectToEmptyDatabase();
  await applyMigrations(client, BEFORE_TOOLS_ON_SALE_ONCE);
  await client.query(`with users as (
      insert into users (id, email) values (gen_random_uuid(), 'asha@example.com') returning id
    ), tools as (
      insert into tools (id, slug, name, description, price_paise, servers)
        select gen_random_uuid(), name, name, '', 100, '[]' from unnest(array['sold', 'assigned']) name returning id, name
    ) insert into user_purchases (id, user_id, user_email, tool_id, tool_name, list_price_paise, amount, validity, status,
        source, starts_at, expires_at)
      select gen_random_uuid(), users.id, 'asha@example.com', tools.id, tools.name, 100, 100, 30, 'completed',
        case tools.name when 'sold' then 'checkout' else 'admin' end, now(), now() + interval '30 days' from users, tools`);
  await migrateDatabase(url);
  const { rows } = await client.query("select name from tools where was_on_sale");
  expect(rows).toEqual([{ name: "sold" }]);
});

const BEFORE_NOTICES = 1_795_855_839_539;

test("an owner who was told in the last day that codes are used up stays told", async () => {
  const { url, client } = await connectToEmptyDatabase();
  await applyMigrations(client, BEFORE_NOTICES);
  const { rows: added } = await client.query<{ id: string }>(
    `insert into tools (id, slug, name, description, price_paise, servers)
     values (gen_random_uuid(), 'canva', 'Canva', '', 4900, '[]') returning id`,
  );
  const toolId = added[0]?.id;
  const add = (serverName: string, hoursAgo: number) =>
    client.query(
      `insert into audit_events (id, actor_kind, action, subject_type, subject_id, details, created_at)
       values (gen_random_uuid(), 'user', 'access-codes.used-up', 'tool', $1, jsonb_build_object('serverName', $2::text),
         now() - make_interval(hours => $3))`,
      [toolId, serverName, hoursAgo],
    );
  await add("Server 1", 23);
  await add("Server 1", 2);
  await add("Server 2", 25);
  await migrateDatabase(url);
  const { rows } = await client.query(
    `select tool_id, server_name, round(extract(epoch from now() - told_at) / 3600)::int as hours from codes_used_up_notices`,
  );
  expect(rows).toEqual([{ tool_id: toolId, server_name: "Server 1", hours: 2 }]);
});

test("an address that leads to a standby is an outage for the start of a shop, which is tried again, and not a broken migration", async () => {
  const server = await startDemotablePostgres();
  onTestFinished(server.stop);
  await migrateDatabase(server.url);
  await server.demote();
  const refused = await migrateDatabase(server.url).catch((error: unknown) => error);
  expect(refused).not.toBeInstanceOf(MigrationError);
  expect(causedByUnavailableDatabase(refused)).toBe(true);
  await server.promote();
  await migrateDatabase(server.url);
});
