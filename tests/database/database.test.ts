import pg from "pg";
import { expect, inject, onTestFinished, test } from "vitest";
import { freshDatabase } from "./database.ts";

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

test("suites that ask at the same time get a migrated database each", async () => {
  const databases = await Promise.all(Array.from({ length: 6 }, freshDatabase));
  onTestFinished(async () => {
    await Promise.all(databases.map((one) => one.drop()));
  });
  expect(new Set(databases.map((one) => one.url)).size).toBe(6);
  const [first, second] = await Promise.all(databases.slice(0, 2).map((one) => connect(one.url)));
  await first?.query("create table only_here ()");
  const tables = await second?.query(
    "select table_name from information_schema.tables where table_schema = 'public'",
  );
  const names = tables?.rows.map((row) => row.table_name);
  expect(names).toContain("user_purchases");
  expect(names).not.toContain("only_here");
});

test("a copy waits until nobody is connected to the template", async () => {
  const { serverUrl, template } = inject("postgres");
  const url = new URL(serverUrl);
  url.pathname = `/${template}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  let disconnectedAt = Number.POSITIVE_INFINITY;
  const copying = freshDatabase();
  const disconnecting = client.query("select pg_sleep(0.5)").then(() => {
    disconnectedAt = performance.now();
    return client.end();
  });
  const database = await copying;
  expect(performance.now()).toBeGreaterThan(disconnectedAt);
  await disconnecting;
  await database.drop();
});

test("dropping a database ends its connections", async () => {
  const database = await freshDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const ended = new Promise((resolve) => client.on("error", () => undefined).once("end", resolve));
  await database.drop();
  await ended;
  await expect(connect(database.url)).rejects.toThrow(/does not exist/);
});
