import { afterAll, expect, test } from "vitest";
import { openDatabase } from "#db/database.ts";
import { rateLimits } from "#db/tables/operations.ts";
import { freshDatabase } from "../../tools/testing/database.ts";
import { createPostgresRateLimiter } from "./postgres-rate-limiter.ts";

const own = await freshDatabase();
const { db, pool, close } = openDatabase(own.url, { max: 20, onBrokenConnection: () => undefined });
afterAll(async () => {
  await close();
  await own.drop();
});

const limiterOf = (perAddressFactor: number) => createPostgresRateLimiter({ pool, perAddressFactor });

async function passes(consume: () => Promise<void>, tries: number): Promise<number> {
  const results = await Promise.allSettled(Array.from({ length: tries }, consume));
  for (const one of results)
    if (one.status === "rejected") expect(one.reason).toMatchObject({ code: "rate-limited" });
  return results.filter((one) => one.status === "fulfilled").length;
}

test("exactly the allowed number passes, of eighty at once from two processes", async () => {
  const limiters = [limiterOf(1), limiterOf(1)];
  let n = 0;
  const consume = () => (limiters[n++ % 2] ?? limiterOf(1)).consume("sign-in-account", "asha@example.com");
  expect(await passes(consume, 80)).toBe(10);
});

test("a refusal says when to come back", async () => {
  const limiter = limiterOf(1);
  for (let n = 0; n < 3; n++) await limiter.consume("reset-account", "a");
  const error: unknown = await limiter.consume("reset-account", "a").catch((refusal: unknown) => refusal);
  expect(error).toMatchObject({ code: "rate-limited", details: { retryAfterSeconds: expect.any(Number) } });
});

test("keys and limits do not touch each other, and forgiving frees one key", async () => {
  const limiter = limiterOf(1);
  for (let n = 0; n < 3; n++) await limiter.consume("reset-account", "b");
  await limiter.consume("reset-account", "c");
  await limiter.consume("reset-address", "b");
  await limiter.forgive("reset-account", "b");
  await limiter.consume("reset-account", "b");
});

test.each([
  [1, 20],
  [0.1, 2],
  [0.001, 1],
  [2, 40],
  [0, 60],
])("the factor %d lets %i of 60 tries of one address pass", async (factor, expected) => {
  const limiter = limiterOf(factor);
  expect(await passes(() => limiter.consume("sign-up-address", `address-${factor}`), 60)).toBe(expected);
});

test("the factor leaves limits per account alone", async () => {
  const limiter = limiterOf(0);
  expect(await passes(() => limiter.consume("sign-in-account", "d"), 30)).toBe(10);
});

test("an over-long key is no fault, and the table holds nothing that was typed", async () => {
  const limiter = limiterOf(1);
  await limiter.consume("sign-in-account", `secret@example.com${"x".repeat(10_000)}`);
  const rows = await db.select().from(rateLimits);
  expect(rows.length).toBeGreaterThan(0);
  expect(JSON.stringify(rows)).not.toContain("example.com");
});

test("a database that is gone lets nobody through", async () => {
  const gone = openDatabase(own.url, { onBrokenConnection: () => undefined });
  await gone.close();
  const limiter = createPostgresRateLimiter({ pool: gone.pool, perAddressFactor: 1 });
  await expect(limiter.consume("sign-in-account", "e")).rejects.not.toMatchObject({ code: "rate-limited" });
});
