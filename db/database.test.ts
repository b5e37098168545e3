import { connect, createServer, type Socket } from "node:net";
import { eq, sql } from "drizzle-orm";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { freshDatabase } from "../tests/database/database.ts";
import { openDatabase } from "./database.ts";
import { settings } from "./tables/operations.ts";
import { inTransaction } from "./transaction.ts";

async function open(options: { idleInTransactionMs?: number } = {}) {
  const own = await freshDatabase();
  const broken: Error[] = [];
  const opened = openDatabase(own.url, { ...options, onBrokenConnection: (error) => broken.push(error) });
  onTestFinished(async () => {
    await opened.close();
    await own.drop();
  });
  return { ...opened, url: own.url, broken };
}

test("every connection of the pool ends a transaction that is idle for a minute", async () => {
  const { pool } = await open();
  const clients = await Promise.all(Array.from({ length: 4 }, () => pool.connect()));
  for (const client of clients) {
    const { rows } = await client.query("show idle_in_transaction_session_timeout");
    expect(rows).toEqual([{ idle_in_transaction_session_timeout: "1min" }]);
    client.release();
  }
});

test("every connection of the pool ends a statement after half a minute", async () => {
  const { pool } = await open();
  const clients = await Promise.all(Array.from({ length: 4 }, () => pool.connect()));
  for (const client of clients) {
    const { rows } = await client.query("show statement_timeout");
    expect(rows).toEqual([{ statement_timeout: "30s" }]);
    client.release();
  }
});

test("an abandoned transaction loses its locks and the pool still works", async () => {
  const { db, url, broken } = await open({ idleInTransactionMs: 1_000 });
  await db.insert(settings).values({ key: "row", value: "first" });
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  onTestFinished(() => other.end());
  // A row that stays locked fails the test earlier than its own time limit.
  await other.query("set lock_timeout = '10s'");
  const abandoned = inTransaction(db, async (tx) => {
    await tx.update(settings).set({ value: "abandoned" }).where(eq(settings.key, "row"));
    await other.query(`update settings set value = '"other"' where key = 'row'`);
    await tx.execute(sql`select 1`);
  });
  await expect(abandoned).rejects.toThrow();
  expect(broken).not.toEqual([]);
  expect(await db.select({ value: settings.value }).from(settings)).toEqual([{ value: "other" }]);
});

/** The parameter names in the start-up message of a client, which has pairs of strings after length and version. */
function startUpParameters(message: Buffer): string[] {
  return message
    .subarray(8)
    .toString()
    .split("\0")
    .filter((_, index) => index % 2 === 0)
    .filter((name) => name !== "");
}

test("a connection starts without a parameter that a pooler would refuse", async () => {
  const { url } = await open();
  const real = new URL(url);
  const started: string[][] = [];
  const sockets: Socket[] = [];
  const proxy = createServer((client) => {
    const server = connect(Number(real.port), real.hostname);
    sockets.push(client, server);
    client.once("data", (message: Buffer) => started.push(startUpParameters(message)));
    client.pipe(server).pipe(client);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const address = proxy.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  const through = new URL(url);
  through.host = `127.0.0.1:${address.port}`;
  const { pool, close } = openDatabase(through.href, { onBrokenConnection: () => undefined });
  await pool.query("select 1");
  await close();
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => proxy.close(resolve));
  expect(started.map((names) => names.sort())).toEqual([
    ["application_name", "client_encoding", "database", "user"],
  ]);
});
