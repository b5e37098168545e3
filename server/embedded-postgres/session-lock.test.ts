import pg from "pg";
import { expect, test } from "vitest";
import { pausePostgres } from "#tests/database/pause-postgres.ts";
import { afterTest, newDataDir, start } from "./data-dir-fixtures.ts";
import { disconnect } from "./session-lock.ts";

test("a connection to a database that does not answer is cut, so that the shop can stop", async () => {
  const { url } = await start(newDataDir());
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  afterTest(await pausePostgres(url));
  const began = performance.now();
  await disconnect(client);
  expect(performance.now() - began).toBeLessThan(5_000);
});
