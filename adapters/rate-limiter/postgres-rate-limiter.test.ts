import { afterAll, expect, test } from "vitest";
import { DomainError } from "#core/errors.ts";
import { LIMITS } from "#core/limits.ts";
import type { LimitName } from "#core/rate-limiter.ts";
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

async function passes(limit: LimitName, consume: () => Promise<void>, tries: number): Promise<number> {
  const results = await Promise.allSettled(Array.from({ length: tries }, consume));
  for (const one of results)
    if (one.status === "rejected") expect(one.reason).toMatchObject({ code: LIMITS[limit].refusal });
  return results.filter((one) => one.status === "fulfilled").length;
}

test("of eighty attempts at once from two processes exactly the allowed number passes", async () => {
  const limiters = [limiterOf(1), limiterOf(1)];
  let n = 0;
  const consume = () => (limiters[n++ % 2] ?? limiterOf(1)).consume("sign-in-account", "asha@example.com");
  expect(await passes("sign-in-account", consume, 80)).toBe(10);
});

test.each<[LimitName, string, number]>([
  ["sign-in-account", "sign-in-rate-limited", 15 * 60],
  ["sign-in-address", "sign-in-rate-limited", 15 * 60],
  ["sign-up-address", "sign-up-rate-limited", 60 * 60],
  ["reset-account", "reset-rate-limited", 60 * 60],
  ["reset-address", "reset-rate-limited", 60 * 60],
  ["coupon-account", "coupon-tries-exceeded", 10 * 60],
  ["coupon-address", "coupon-tries-exceeded", 10 * 60],
  ["coupon-address-signed-in", "coupon-tries-exceeded", 10 * 60],
])("the limit %s refuses with %s and says when to retry", async (limit, code, windowSeconds) => {
  const limiter = limiterOf(1);
  for (let n = 0; n < LIMITS[limit].tries; n++) await limiter.consume(limit, "each limit");
  const error: unknown = await limiter.consume(limit, "each limit").catch((refusal: unknown) => refusal);
  expect(error).toMatchObject({ code, details: { retryAfterSeconds: expect.any(Number) } });
  const { retryAfterSeconds } = error instanceof DomainError ? error.details : {};
  expect(retryAfterSeconds).toBeGreaterThan(windowSeconds - 60);
  expect(retryAfterSeconds).toBeLessThanOrEqual(windowSeconds);
});

test("keys and limits are counted separately, and forgiving resets one key", async () => {
  const limiter = limiterOf(1);
  for (let n = 0; n < 3; n++) await limiter.consume("reset-account", "b");
  await limiter.consume("reset-account", "c");
  await limiter.consume("reset-address", "b");
  await limiter.reset("reset-account", "b");
  await limiter.consume("reset-account", "b");
});

test.each([
  [1, 20],
  [0.1, 2],
  [0.001, 1],
  [2, 40],
  [0, 60],
])("the factor %d allows %i of 60 attempts of one address", async (factor, expected) => {
  const limiter = limiterOf(factor);
  const consume = () => limiter.consume("sign-up-address", `address-${factor}`);
  expect(await passes("sign-up-address", consume, 60)).toBe(expected);
});

test("the factor does not change limits per account", async () => {
  const limiter = limiterOf(0);
  expect(await passes("sign-in-account", () => limiter.consume("sign-in-account", "d"), 30)).toBe(10);
});

test("a very long key is accepted, and the table contains nothing that was typed", async () => {
  const limiter = limiterOf(1);
  await limiter.consume("sign-in-account", `secret@example.com${"x".repeat(10_000)}`);
  const rows = await db.select().from(rateLimits);
  expect(rows.length).toBeGreaterThan(0);
  expect(JSON.stringify(rows)).not.toContain("example.com");
});

test("no attempt passes while the database is unavailable", async () => {
  const gone = openDatabase(own.url, { onBrokenConnection: () => undefined });
  await gone.close();
  const limiter = createPostgresRateLimiter({ pool: gone.pool, perAddressFactor: 1 });
  await expect(limiter.consume("sign-in-account", "e")).rejects.not.toBeInstanceOf(DomainError);
});
