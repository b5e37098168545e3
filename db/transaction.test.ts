import { eq } from "drizzle-orm";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { freshDatabase } from "../tests/database/database.ts";
import { openDatabase } from "./database.ts";
import { tools } from "./tables/catalog.ts";
import { settings } from "./tables/operations.ts";
import { changed, inSavepoint, inTransaction } from "./transaction.ts";

/** A database of one connection, and the changes that it reports. */
async function open() {
  const own = await freshDatabase();
  const reports: string[][] = [];
  const opened = openDatabase(own.url, {
    max: 1,
    onChanged: (tables) => reports.push([...tables]),
    onBrokenConnection: () => undefined,
  });
  onTestFinished(async () => {
    await opened.close();
    await own.drop();
  });
  return { ...opened, url: own.url, reports };
}

const tool = { slug: "a", name: "A", description: "A tool.", pricePaise: 100 };

test("a change outside of a transaction is reported at once", async () => {
  const { db, reports } = await open();
  await db.insert(settings).values({ key: "a", value: 1 });
  changed(db, settings);
  expect(reports).toEqual([["settings"]]);
});

test("a transaction is reported once, with all its tables, when its changes can be read and not before", async () => {
  const { db, url, reports } = await open();
  const seen: unknown[] = [];
  await inTransaction(db, async (tx) => {
    await tx.insert(settings).values({ key: "a", value: 1 });
    changed(tx, settings);
    await tx.insert(tools).values(tool);
    changed(tx, tools);
    await tx.update(settings).set({ value: 2 }).where(eq(settings.key, "a"));
    changed(tx, settings);
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
    changed(tx, tools);
    throw new Error("changed my mind");
  });
  await expect(failed).rejects.toThrow("changed my mind");
  await inTransaction(db, async (tx) => {
    await tx.insert(settings).values({ key: "a", value: 1 });
    changed(tx, settings);
  });
  expect(reports).toEqual([["settings"]]);
});

test("a commit that the server refuses is not reported", async () => {
  const { db, pool, reports } = await open();
  await pool.query("create temporary table once (n int unique deferrable initially deferred)");
  const refused = inTransaction(db, async (tx) => {
    await tx.execute("insert into once values (1), (1)");
    await tx.insert(settings).values({ key: "a", value: 1 });
    changed(tx, settings);
  });
  await expect(refused).rejects.toThrow();
  expect(reports).toEqual([]);
});

test("a rollback to a savepoint loses what was changed inside of it, and nothing that was changed outside", async () => {
  const { db, reports } = await open();
  await inTransaction(db, async (tx) => {
    await tx.insert(settings).values({ key: "a", value: 1 });
    changed(tx, settings);
    const failed = inSavepoint(tx, async (inner) => {
      await inner.insert(tools).values(tool);
      changed(inner, tools);
      throw new Error("no");
    });
    await expect(failed).rejects.toThrow("no");
    expect(reports).toEqual([]);
  });
  expect(reports).toEqual([["settings"]]);
});

test("what savepoints in savepoints have changed is reported with their transaction", async () => {
  const { db, reports } = await open();
  await inTransaction(db, (tx) =>
    inSavepoint(tx, (outer) =>
      inSavepoint(outer, async (inner) => {
        await inner.insert(tools).values(tool);
        changed(inner, tools);
        expect(reports).toEqual([]);
      }),
    ),
  );
  expect(reports).toEqual([["tools"]]);
});

test("a transaction that is tried again is reported once, with the changes of the last attempt", async () => {
  const { db, reports } = await open();
  let attempts = 0;
  await inTransaction(db, async (tx) => {
    attempts++;
    changed(tx, attempts === 1 ? tools : settings);
    if (attempts === 1) throw Object.assign(new Error("deadlock detected"), { code: "40P01" });
  });
  expect([attempts, reports]).toEqual([2, [["settings"]]]);
});

test("a change is reported when the connection breaks before the commit is answered", async () => {
  const { db, pool, reports } = await open();
  const lost = inTransaction(db, async (tx) => {
    await tx.insert(settings).values({ key: "a", value: 1 });
    changed(tx, settings);
    // By then the commit is sent.
    setImmediate(() => breakConnection());
  });
  const breakConnection = await new Promise<() => void>((resolve) => {
    pool.once("connect", (client) => resolve(() => void client.connection.stream.destroy()));
  });
  await expect(lost).rejects.toThrow();
  expect(reports).toEqual([["settings"]]);
});

test("a transaction that inTransaction did not open is refused, because nothing would be reported", async () => {
  const { db } = await open();
  await db.transaction(async (tx) => expect(() => changed(tx, settings)).toThrow());
});
