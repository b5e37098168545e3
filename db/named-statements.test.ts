import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freshDatabase } from "../tools/testing/database.ts";
import { openDatabase } from "./database.ts";

let database: Awaited<ReturnType<typeof freshDatabase>>;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

const open = (statements: { named: boolean }) =>
  openDatabase(database.url, { max: 1, namedStatements: statements.named, onBrokenConnection: () => {} });
const prepared = sql`select count(*)::int as n from pg_prepared_statements where name like 'daypass_%'`;

test("a statement with values is prepared once on each connection, whatever its values", async () => {
  const { db, close } = open({ named: true });
  for (const n of [1, 2, 3]) {
    expect((await db.execute(sql`select ${n}::int as n`)).rows).toEqual([{ n }]);
    await db.transaction((tx) => tx.execute(sql`select ${n}::int as n`));
  }
  expect((await db.execute(prepared)).rows).toEqual([{ n: 1 }]);
  await close();
});

test("the name of a statement depends only on its text", async () => {
  const namesAfter = async (...texts: string[]) => {
    const { db, close } = open({ named: true });
    for (const text of texts) await db.execute(sql`select ${1}::int as ${sql.identifier(text)}`);
    const { rows } = await db.execute(
      sql`select name from pg_prepared_statements where statement like '%"b"%'`,
    );
    await close();
    return rows;
  };
  const alone = await namesAfter("b");
  expect(alone).toHaveLength(1);
  expect(await namesAfter("a", "c", "b")).toEqual(alone);
});

test("no statement is prepared when named statements are off", async () => {
  const { db, close } = open({ named: false });
  await db.execute(sql`select ${1}::int as n`);
  expect((await db.execute(prepared)).rows).toEqual([{ n: 0 }]);
  await close();
});

test("statements have no names any more after a pooler lost one", async () => {
  const { db, close } = open({ named: true });
  const ask = () => db.execute(sql`select ${7}::int as n`);
  await ask();
  // What the connection of another client looks like to ours.
  await db.execute(sql`deallocate all`);
  await expect(ask()).rejects.toThrow();
  expect((await ask()).rows).toEqual([{ n: 7 }]);
  expect((await db.execute(prepared)).rows).toEqual([{ n: 0 }]);
  await close();
});
