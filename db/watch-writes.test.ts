import { eq, sql } from "drizzle-orm";
import pg from "pg";
import { expect, onTestFinished, test, vi } from "vitest";
import { freshDatabase } from "../tools/testing/database.ts";
import { openDatabase } from "./database.ts";
import { tools } from "./tables/catalog.ts";
import { settings } from "./tables/operations.ts";
import { inSavepoint, inTransaction } from "./transaction.ts";

/** A database of one connection, and what it reports. */
async function open(options: { namedStatements?: boolean } = {}) {
  const own = await freshDatabase();
  const reports: string[][] = [];
  const opened = openDatabase(own.url, {
    max: 1,
    ...options,
    onWritten: (tables) => reports.push([...tables]),
    onBrokenConnection: () => undefined,
  });
  onTestFinished(async () => {
    await opened.close();
    await own.drop();
  });
  return { ...opened, url: own.url, reports };
}

const tool = { slug: "a", name: "A", description: "A tool.", pricePaise: 100 };

test.each([true, false])("a statement of its own is reported when it is done (named: %s)", async (named) => {
  const { db, pool, reports } = await open({ namedStatements: named });
  await db.insert(settings).values({ key: "a", value: 1 });
  expect(reports).toEqual([["settings"]]);
  await pool.query("update settings set value = $1", ["2"]);
  expect(reports).toEqual([["settings"], ["settings"]]);
  await db.execute(sql`delete from settings where key = ${"a"}`);
  await db.select().from(settings);
  expect(reports).toEqual([["settings"], ["settings"], ["settings"]]);
});

test("a transaction is reported once, with all its tables, when it is committed and not before", async () => {
  const { db, url, reports } = await open();
  const seen: unknown[] = [];
  await inTransaction(db, async (tx) => {
    await Promise.all([
      tx.insert(settings).values({ key: "a", value: 1 }),
      tx.insert(tools).values(tool),
      tx.update(settings).set({ value: 2 }).where(eq(settings.key, "a")),
    ]);
    await tx.select().from(settings);
    seen.push(...reports);
  });
  expect(seen).toEqual([]);
  expect(reports).toEqual([["settings", "tools"]]);
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  expect((await other.query("select key from settings")).rows).toEqual([{ key: "a" }]);
  await other.end();
});

test("a transaction that is rolled back is not reported, nor with the next one", async () => {
  const { db, reports } = await open();
  const failed = inTransaction(db, async (tx) => {
    await tx.insert(tools).values(tool);
    throw new Error("changed my mind");
  });
  await expect(failed).rejects.toThrow("changed my mind");
  await db.select().from(tools);
  await db.insert(settings).values({ key: "a", value: 1 });
  expect(reports).toEqual([["settings"]]);
});

test("a commit that the server turns into a rollback or refuses is not reported", async () => {
  const { pool, reports } = await open();
  const client = await pool.connect();
  await client.query("begin");
  await client.query("insert into settings (key, value) values ('a', '1')");
  await expect(client.query("select 1/0")).rejects.toThrow();
  expect((await client.query("commit")).command).toBe("ROLLBACK");
  await client.query("create temporary table once (n int unique deferrable initially deferred)");
  await client.query("begin; insert into once values (1), (1)");
  await client.query("insert into settings (key, value) values ('a', '1')");
  await expect(client.query("commit")).rejects.toThrow("once_n_key");
  client.release();
  expect(reports).toEqual([]);
});

test("a rollback to a savepoint does not lose what the transaction changed outside of it", async () => {
  const { db, reports } = await open();
  await inTransaction(db, async (tx) => {
    await tx.insert(settings).values({ key: "a", value: 1 });
    const failed = inSavepoint(tx, async (inner) => {
      await inner.insert(settings).values({ key: "a", value: 1 });
    });
    await expect(failed).rejects.toThrow();
    expect(reports).toEqual([]);
    await inSavepoint(tx, (inner) => inner.insert(tools).values(tool));
  });
  expect(reports).toEqual([["settings", "tools"]]);
});

test("a statement that fails is not reported", async () => {
  const { db, pool, reports } = await open();
  await db.insert(settings).values({ key: "a", value: 1 });
  await expect(db.insert(settings).values({ key: "a", value: 1 })).rejects.toThrow();
  await expect(pool.query("update settings set no_such_column = 1")).rejects.toThrow();
  expect(reports).toEqual([["settings"]]);
});

test("statements that wait for each other on one connection are each reported", async () => {
  const { pool, reports } = await open();
  const client = await pool.connect();
  const texts = ["a", "b"].map((key) => `insert into settings (key, value) values ('${key}', '1')`);
  await Promise.all(texts.map((text) => client.query(text)));
  client.release();
  expect(reports).toEqual([["settings"], ["settings"]]);
});

test("a change is reported when the connection breaks before the commit is answered", async () => {
  const { pool, reports } = await open();
  const client = await pool.connect();
  await client.query("begin");
  await client.query("insert into settings (key, value) values ('a', '1')");
  const committed = client.query("commit");
  client.connection.stream.destroy();
  await expect(committed).rejects.toThrow();
  await vi.waitFor(() => expect(reports).toEqual([["settings"]]));
  client.release(true);
});
