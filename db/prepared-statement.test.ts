import { eq, sql } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { freshDatabase } from "../tests/database/database.ts";
import { openDatabase } from "./database.ts";
import { prepareStatement, prepareWrite, valueFor, valuesFor } from "./prepared-statement.ts";
import { users } from "./tables/accounts.ts";
import { inSavepoint, inTransaction } from "./transaction.ts";

let shop: ReturnType<typeof openDatabase> & { url: string; drop(): Promise<void> };
beforeAll(async () => {
  const own = await freshDatabase();
  const opened = openDatabase(own.url, {
    namesStatements: true,
    onBrokenConnection: (error) => expect.fail(error.message),
  });
  shop = { ...opened, url: own.url, drop: own.drop };
});
afterAll(async () => {
  await shop.close();
  await shop.drop();
});

const insertUser = prepareWrite("insert-user", users, (executor) =>
  executor
    .insert(users)
    .values(valuesFor(users, ["id", "email", "lastLogin", "createdAt", "updatedAt"]))
    .returning(),
);
const selectUser = prepareStatement("select-user", (executor) =>
  executor
    .select({ email: users.email, lastLogin: users.lastLogin })
    .from(users)
    .where(eq(users.id, valueFor(users.id, "id"))),
);
const setLastLogin = prepareWrite("set-last-login", users, (executor) =>
  executor
    .update(users)
    .set(valuesFor(users, ["lastLogin"]))
    .where(eq(users.id, valueFor(users.id, "id"))),
);

const at = new Date("2026-11-22T10:00:00.123Z");
const newUser = (lastLogin: Date | null) => {
  const id = uuidv7();
  return { id, email: `${id}@example.com`, lastLogin, createdAt: at, updatedAt: at };
};

test("each run of a prepared statement has its own values, null among them", async () => {
  const [first, second] = [newUser(at), newUser(null)];
  const [inserted] = await insertUser(shop.db, first);
  expect(inserted).toMatchObject({ ...first, role: "user", isActive: true });
  await insertUser(shop.db, second);
  expect(await selectUser(shop.db, first)).toEqual([{ email: first.email, lastLogin: at }]);
  expect(await selectUser(shop.db, second)).toEqual([{ email: second.email, lastLogin: null }]);
  await setLastLogin(shop.db, { ...first, lastLogin: null });
  await setLastLogin(shop.db, { ...second, lastLogin: at });
  expect(await selectUser(shop.db, first)).toEqual([{ email: first.email, lastLogin: null }]);
  expect(await selectUser(shop.db, second)).toEqual([{ email: second.email, lastLogin: at }]);
});

test("a prepared statement runs on the connection of the transaction it is given", async () => {
  const user = newUser(null);
  const rolledBack = inTransaction(shop.db, async (tx) => {
    await insertUser(tx, user);
    expect(await selectUser(tx, user)).toHaveLength(1);
    expect(await selectUser(shop.db, user), "other connections do not see it yet").toHaveLength(0);
    throw new Error("roll back");
  });
  await expect(rolledBack).rejects.toThrow("roll back");
  expect(await selectUser(shop.db, user)).toHaveLength(0);
});

test("parallel transactions keep their runs of one prepared statement apart", async () => {
  const created = Array.from({ length: 20 }, () => newUser(at));
  const read = await Promise.all(
    created.map((user) =>
      inTransaction(shop.db, async (tx) => {
        await insertUser(tx, user);
        const { rows } = await tx.execute(sql`select pg_backend_pid() as pid`);
        const [found] = await selectUser(tx, user);
        return { email: found?.email, pid: rows[0]?.pid };
      }),
    ),
  );
  expect(read.map(({ email }) => email)).toEqual(created.map(({ email }) => email));
  expect(new Set(read.map(({ pid }) => pid)).size).toBeGreaterThan(1);
});

test("a value that is missing is an error and nothing is sent", async () => {
  await expect(selectUser(shop.db, {})).rejects.toThrow(/placeholder "id"/);
});

/** A database of one connection, and the names of the statements that it has prepared. */
async function openOne(options: { namesStatements: boolean }) {
  const reports: string[][] = [];
  const { db, close } = openDatabase(shop.url, {
    max: 1,
    ...options,
    onChanged: (tables) => reports.push([...tables]),
    onBrokenConnection: () => undefined,
  });
  onTestFinished(close);
  const names = async () => {
    const { rows } = await db.execute(sql`select name from pg_prepared_statements order by name`);
    return rows.map(({ name }) => name);
  };
  return { db, names, reports };
}

test("a connection plans a prepared statement once, in and outside of transactions", async () => {
  const { db, names } = await openOne({ namesStatements: true });
  const user = newUser(at);
  await insertUser(db, user);
  for (let n = 0; n < 3; n++) {
    await selectUser(db, user);
    await inTransaction(db, (tx) => selectUser(tx, user));
    await inTransaction(db, (tx) => inSavepoint(tx, (inner) => selectUser(inner, user)));
  }
  expect(await names()).toEqual(["insert-user", "select-user"]);
});

test("no prepared statement has a name behind a pooler", async () => {
  const { db, names } = await openOne({ namesStatements: false });
  const user = newUser(at);
  await inTransaction(db, (tx) => insertUser(tx, user));
  expect(await selectUser(db, user)).toHaveLength(1);
  expect(await names()).toEqual([]);
});

test("each run of a prepared write is reported, in a transaction when it is committed", async () => {
  const { db, reports } = await openOne({ namesStatements: true });
  const user = newUser(at);
  await inTransaction(db, async (tx) => {
    await insertUser(tx, user);
    expect(reports).toEqual([]);
  });
  await setLastLogin(db, user);
  expect(reports).toEqual([["users"], ["users"]]);
});
