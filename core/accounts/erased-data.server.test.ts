import { getTableName, isNotNull, sql } from "drizzle-orm";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import type { Database } from "#db/database.ts";
import { schema } from "#db/schema.ts";
import { paymentAttempts, unknownPayments, webhookEvents } from "#db/tables/payments.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import {
  insertPersonEverywhere,
  KEPT_COLUMNS,
  markColumns,
  PERSONAL_TABLES,
} from "#tests/fixtures/person-everywhere.ts";
import { createManualClock } from "#tests/manual-clock.ts";
import { deleteUser } from "./delete-account.server.ts";

const shop = openTestShop(await freshDatabase(), { clock: createManualClock() });
afterAll(() => shop.close());

const names = z.array(z.object({ name: z.string() }));

test("the tables that refer to an account or a purchase, directly or not, are all in the test of the deletion", async () => {
  const { rows } = await shop.db.execute(sql`
    with recursive reached as (
      select 'users'::regclass::oid as id
      union
      select conrelid from pg_constraint join reached on confrelid = reached.id where contype = 'f')
    select relname as name from reached join pg_class on pg_class.oid = reached.id`);
  const found = names.parse(rows).map(({ name }) => name);
  expect(found.filter((name) => !PERSONAL_TABLES.includes(name))).toEqual([]);
  // Each other table has its place in the list of tables without a person.
  const all = Object.values(schema).map((table) => getTableName(table));
  expect(all.filter((name) => !PERSONAL_TABLES.includes(name)).sort()).toEqual(WITHOUT_PERSONS);
});

/**
 * No row of these is about a buyer; those of bulk actions have ids only. Rate limits and counts of refused requests name accounts or addresses, and are deleted within
 * a day and an hour.
 */
const WITHOUT_PERSONS = [
  "admin_refusals",
  "bulk_action_rows",
  "bulk_actions",
  "codes_used_up_notices",
  "coupon_codes",
  "credentials",
  "job_runs",
  "rate_limits",
  "sandbox_disputes",
  "sandbox_orders",
  "sandbox_payments",
  "sandbox_refunds",
  "sandbox_webhooks",
  "settings",
  "tool_logos",
  "tool_page_openers",
  "tools",
];

test("a deletion leaves no personal value in any text of any table", async () => {
  const admin = await shop.user("admin");
  const person = await insertPersonEverywhere(shop);
  const marked = await markColumns(shop.db, person);
  expect(marked.length).toBeGreaterThan(25);
  expect(await tablesWith("marker-")).not.toEqual([]);
  expect(await tablesWith("hash-of-")).toEqual(["payment_attempts", "unknown_payments"]);
  await deleteUser(admin, { userId: person.userId });
  expect(await tablesWith("marker-")).toEqual([]);
  for (const table of [paymentAttempts, unknownPayments])
    expect(await shop.db.$count(table, isNotNull(table.payerSealed))).toBe(0);
  expect(await tablesWith("hash-of-")).toEqual([]);
  expect(await tablesWith(person.email)).toEqual([]);
});

/** A deletion reads only the account's rows of a table that grows. These tables stay small. */
const SMALL_TABLES = ["unknown_payments", "verifications"];

test("a deletion finds the rows of the account by indexes", async () => {
  // One connection, because Postgres counts the scans of each and adds them up later.
  const own = openTestShop(await freshDatabase(), { clock: createManualClock(), connections: 1 });
  onTestFinished(() => own.close());
  // Then a plan has a sequential scan only when no index can be used.
  await own.db.execute(sql`set enable_seqscan = off`);
  const admin = await own.user("admin");
  const { userId } = await insertPersonEverywhere(own);
  const before = await countSequentialScans(own.db);
  await deleteUser(admin, { userId });
  const after = await countSequentialScans(own.db);
  const read = [...after].filter(([table, scans]) => scans > (before.get(table) ?? 0));
  expect(read.map(([table]) => table).filter((table) => !SMALL_TABLES.includes(table))).toEqual([]);
  const [event] = await own.db.select().from(webhookEvents);
  expect(event?.payload).toBe("");
});

const scanRows = z.array(z.object({ name: z.string(), scans: z.number() }));

async function countSequentialScans(db: Database): Promise<Map<string, number>> {
  await db.execute(sql`select pg_stat_force_next_flush()`);
  const { rows } = await db.execute(
    sql`select relname as name, seq_scan::integer as scans from pg_stat_user_tables where schemaname = 'public'`,
  );
  return new Map(scanRows.parse(rows).map(({ name, scans }) => [name, scans]));
}

test("every column of JSON in a table with persons has a value in the test of the deletion", async () => {
  const { rows } = await shop.db.execute(
    sql`select table_name || '.' || column_name as name from information_schema.columns
      where table_schema = 'public' and data_type = 'jsonb' order by 1`,
  );
  const found = names.parse(rows).map(({ name }) => name);
  expect(found.filter((name) => PERSONAL_TABLES.some((table) => name.startsWith(`${table}.`)))).toEqual([
    "audit_events.details",
    "imported_documents.document",
  ]);
});

test("every column that is excepted exists", async () => {
  const { rows } = await shop.db.execute(
    sql`select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'public'`,
  );
  const columns = names.parse(rows).map(({ name }) => name);
  expect(Object.keys(KEPT_COLUMNS).filter((name) => !columns.includes(name))).toEqual([]);
});

/** The tables that have the text in a row, whatever the column. */
async function tablesWith(text: string): Promise<string[]> {
  const { rows } = await shop.db.execute(sql`
    select relname as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where relkind = 'r' and nspname = 'public' order by relname`);
  const found: string[] = [];
  for (const { name } of names.parse(rows)) {
    const pattern = `%${text}%`;
    const hits = await shop.db.execute(
      sql`select 1 from ${sql.identifier(name)} as r where r::text ilike ${pattern} limit 1`,
    );
    if (hits.rows.length > 0) found.push(name);
  }
  return found;
}
