import { eq, getTableName, sql } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { z } from "zod";
import type { Executor } from "#db/database.ts";
import { schema } from "#db/schema.ts";
import { webhookEvents } from "#db/tables/payments.ts";
import { inTransaction } from "#db/transaction.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import {
  insertPersonEverywhere,
  KEPT_COLUMNS,
  markColumns,
  PERSONAL_TABLES,
} from "#tests/fixtures/person-everywhere.ts";
import { createManualClock } from "#tests/manual-clock.ts";
import { forgetWordsOfGateway } from "../payments/payment-attempts.server.ts";
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
  // Of the others, each has its place in the list of tables without a person.
  const all = Object.values(schema).map((table) => getTableName(table));
  expect(all.filter((name) => !PERSONAL_TABLES.includes(name)).sort()).toEqual(WITHOUT_PERSONS);
});

/** No row of these is about a buyer. Rate limits name accounts and addresses, and are deleted within a day and an hour. */
const WITHOUT_PERSONS = [
  "coupon_codes",
  "credentials",
  "job_runs",
  "rate_limits",
  "sandbox_orders",
  "sandbox_payments",
  "sandbox_refunds",
  "sandbox_webhooks",
  "settings",
  "tool_page_openers",
  "tools",
];

test("a deletion leaves no personal value in any text of any table", async () => {
  const admin = await shop.user("admin");
  const person = await insertPersonEverywhere(shop);
  const marked = await markColumns(shop.db, person);
  expect(marked.length).toBeGreaterThan(25);
  expect(await tablesWith("marker-")).not.toEqual([]);
  await deleteUser(admin, { userId: person.userId });
  expect(await tablesWith("marker-")).toEqual([]);
  expect(await tablesWith(person.email)).toEqual([]);
});

test("a deletion finds the webhooks of the account by indexes", async () => {
  const { userId, rows } = await insertPersonEverywhere(shop);
  const event = rows.find(({ table }) => table === "gateway_events")?.id ?? "";
  await inTransaction(shop.db, async (tx) => {
    // Then a plan has a sequential scan only when no index can be used.
    await tx.execute(sql`set local enable_seqscan = off`);
    const before = await countScans(tx);
    await forgetWordsOfGateway(tx, userId);
    const after = await countScans(tx);
    expect(after.sequential).toBe(before.sequential);
    expect(after.ofIndexes).toBeGreaterThan(before.ofIndexes);
  });
  const [stored] = await shop.db.select().from(webhookEvents).where(eq(webhookEvents.id, event));
  expect(stored?.payload).toBe("");
});

const scanRows = z.tuple([z.object({ sequential: z.number(), ofIndexes: z.number() })]);

/** The scans of the tables of payments by this connection, as Postgres counts them. */
async function countScans(tx: Executor) {
  const { rows } = await tx.execute(sql`
    select sum(seq_scan)::integer as "sequential", sum(idx_scan)::integer as "ofIndexes" from pg_stat_xact_user_tables
    where relname in ('gateway_events', 'payment_orders', 'payment_attempts', 'user_purchases')`);
  return scanRows.parse(rows)[0];
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
