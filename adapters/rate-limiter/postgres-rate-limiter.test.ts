import { afterAll, expect, test } from "vitest";
import { DomainError } from "#core/errors.ts";
import type { LimitName } from "#core/rate-limits/rate-limits.ts";
import { LIMITS } from "#core/rate-limits/rate-limits.ts";
import { openDatabase } from "#db/database.ts";
import { rateLimits } from "#db/tables/operations.ts";
import { freshDatabase } from "#tests/database/database.ts";
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

test("exactly the allowed number of eighty attempts at once from two processes passes", async () => {
  const limiters = [limiterOf(1), limiterOf(1)];
  let n = 0;
  const consume = () =>
    (limiters[n++ % 2] ?? limiterOf(1)).consume("sign-in-known-browser", "asha@example.com");
  expect(await passes("sign-in-known-browser", consume, 80)).toBe(10);
});

test.each<[LimitName, string, number]>([
  ["sign-in-account", "sign-in-rate-limited", 15 * 60],
  ["sign-in-account-at-address", "sign-in-rate-limited", 15 * 60],
  ["sign-in-address", "sign-in-rate-limited", 15 * 60],
  ["sign-in-known-browser", "sign-in-rate-limited", 15 * 60],
  ["password-confirmation", "sign-in-rate-limited", 15 * 60],
  ["sign-up-address", "sign-up-rate-limited", 60 * 60],
  ["sign-up-attempt-address", "sign-up-rate-limited", 60 * 60],
  ["sign-up-account", "sign-in-rate-limited", 60 * 60],
  ["reset-account", "reset-rate-limited", 60 * 60],
  ["reset-address", "reset-rate-limited", 60 * 60],
  ["coupon-account", "coupon-tries-exceeded", 10 * 60],
  ["coupon-address", "coupon-tries-exceeded", 10 * 60],
  ["coupon-address-signed-in", "coupon-tries-exceeded", 10 * 60],
  ["rename-account", "renames-too-fast", 60 * 60],
])("the limit %s refuses with %s and says when to retry", async (limit, code, windowSeconds) => {
  const limiter = limiterOf(1);
  for (let n = 0; n < LIMITS[limit].maxAttempts; n++) await limiter.consume(limit, "each limit");
  const error: unknown = await limiter.consume(limit, "each limit").catch((refusal: unknown) => refusal);
  expect(error).toMatchObject({ code, details: { retryAfterSeconds: expect.any(Number) } });
  const { retryAfterSeconds } = error instanceof DomainError ? error.details : {};
  expect(retryAfterSeconds).toBeGreaterThan(windowSeconds - 60);
  expect(retryAfterSeconds).toBeLessThanOrEqual(windowSeconds);
});

test("a limit that each process counts by itself writes nothing, and a second process counts anew", async () => {
  const before = await db.$count(rateLimits);
  for (const limiter of [limiterOf(1), limiterOf(1)]) {
    const consume = (key: string) => limiter.consume("status-account", key);
    expect(await passes("status-account", () => consume("one"), 80)).toBe(60);
    await expect(consume("one")).rejects.toMatchObject({
      code: "status-requests-too-fast",
      details: { retryAfterSeconds: expect.any(Number) },
    });
    await consume("another");
  }
  expect(await db.$count(rateLimits)).toBe(before);
});

test("an attempt of a limit in memory is not taken back, and nothing asks the database for it", async () => {
  const gone = openDatabase(own.url, { onBrokenConnection: () => undefined });
  await gone.close();
  const limiter = createPostgresRateLimiter({ pool: gone.pool, perAddressFactor: 1 });
  const consume = () => limiter.consume("status-account", "one");
  expect(await passes("status-account", consume, 80)).toBe(60);
  await limiter.undoConsume("status-account", "one");
  expect(await passes("status-account", consume, 1)).toBe(0);
});

test("a limit in memory counts an address anew after ten thousand other networks, and not before", async () => {
  const limiter = limiterOf(1);
  const consume = (from: string) => limiter.consume("diagnostics-address", from);
  const others = Array.from({ length: 10_000 }, (_, at) => `2001:db8:${at.toString(16)}::1`);
  expect(await passes("diagnostics-address", () => consume("203.0.113.7"), 100)).toBe(90);
  for (const other of others.slice(1)) await consume(other);
  await expect(consume("203.0.113.7")).rejects.toMatchObject({ code: "diagnostics-too-fast" });
  await consume("2001:db8::1");
  await consume("203.0.113.7");
});

test("keys and limits are counted separately, and a reset concerns one key", async () => {
  const limiter = limiterOf(1);
  for (let n = 0; n < 3; n++) await limiter.consume("reset-account", "b");
  await limiter.consume("reset-account", "c");
  await limiter.consume("reset-address", "b");
  await limiter.reset("reset-account", "b");
  await limiter.consume("reset-account", "b");
});

test("an account is counted for each network, and all its counts are reset together", async () => {
  const limiter = limiterOf(1);
  const limit = "sign-in-account-at-address";
  const passesFrom = (account: string, from: string) =>
    passes(limit, () => limiter.consume(limit, { account, from }), 12);
  expect(await passesFrom("first", "2001:db8:1:2::1")).toBe(10);
  expect(await passesFrom("first", "2001:db8:1:2::9")).toBe(0);
  expect(await passesFrom("first", "203.0.113.7")).toBe(10);
  expect(await passesFrom("second", "203.0.113.7")).toBe(10);
  await limiter.resetAccount(limit, "first");
  expect(await passesFrom("first", "2001:db8:1:2::9")).toBe(10);
  expect(await passesFrom("first", "203.0.113.7")).toBe(10);
  expect(await passesFrom("second", "203.0.113.7")).toBe(0);
  await limiter.reset(limit, { account: "first", from: "203.0.113.7" });
  expect(await passesFrom("first", "203.0.113.7")).toBe(10);
  expect(await passesFrom("first", "2001:db8:1:2::1")).toBe(0);
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

test.each([
  ["/64", 20, () => "2001:db8:1:2::1"],
  ["/56", 40, (at: number) => `2001:db8:2:${(0x200 + at).toString(16)}::1`],
  ["/48", 80, (at: number) => `2001:db8:3:${(at * 0x100).toString(16)}::1`],
])("100 parallel attempts from one %s: exactly %i pass, and none is counted that was refused", async (_, allowed, addressOf) => {
  const limiter = limiterOf(1);
  let at = 0;
  expect(
    await passes("sign-up-address", () => limiter.consume("sign-up-address", addressOf(at++)), 100),
  ).toBe(allowed);
  const first = addressOf(0);
  await limiter.undoConsume("sign-up-address", first);
  expect(await passes("sign-up-address", () => limiter.consume("sign-up-address", first), 5)).toBe(1);
});

test("a /64 network that is above its limit uses up nothing of its /48", async () => {
  const limiter = limiterOf(0.1);
  const consume = (at: number) =>
    limiter.consume("sign-up-address", `2001:db8:4:${(at * 0x100).toString(16)}::1`);
  expect(await passes("sign-up-address", () => consume(0), 60)).toBe(2);
  let at = 1;
  expect(await passes("sign-up-address", () => consume(at++), 60)).toBe(6);
});

test("the factor for addresses does not change limits per account", async () => {
  const limiter = limiterOf(0);
  const consume = () => limiter.consume("sign-in-account-at-address", { account: "d", from: "203.0.113.7" });
  expect(await passes("sign-in-account-at-address", consume, 30)).toBe(10);
});

test("an attempt that is taken back can be made again, but no attempt more", async () => {
  const limiter = limiterOf(1);
  const limit = "reset-account";
  const consume = () => limiter.consume(limit, "taken back");
  for (const _ of [1, 2]) await limiter.undoConsume(limit, "taken back");
  expect(await passes(limit, consume, 5)).toBe(3);
  // Refused attempts count, until they are taken back too.
  for (const _ of [1, 2, 3]) await limiter.undoConsume(limit, "taken back");
  expect(await passes(limit, consume, 5)).toBe(1);
  // An attempt whose window is over is not taken from the next window.
  await db.update(rateLimits).set({ expire: Date.now() - 1 });
  await limiter.undoConsume(limit, "taken back");
  expect(await passes(limit, consume, 5)).toBe(3);
});

test("a very long key of a limit is accepted, and the table contains nothing that was typed", async () => {
  const limiter = limiterOf(1);
  await limiter.consume("sign-in-account", `secret@example.com${"x".repeat(10_000)}`);
  const rows = await db.select().from(rateLimits);
  expect(rows.length).toBeGreaterThan(0);
  expect(JSON.stringify(rows)).not.toContain("example.com");
});

test("no statement of the limiter has a name, because a pooler would lose it", async () => {
  const one = openDatabase(own.url, { max: 1, onBrokenConnection: () => undefined });
  const limiter = createPostgresRateLimiter({ pool: one.pool, perAddressFactor: 1 });
  await limiter.consume("sign-in-account", "f");
  await limiter.undoConsume("sign-in-account", "f");
  await limiter.reset("sign-in-account", "f");
  await limiter.resetAccount("sign-in-account-at-address", "f");
  const { rows } = await one.pool.query("select name from pg_prepared_statements");
  await one.close();
  expect(rows).toEqual([]);
});

test("no attempt passes while the database is unavailable", async () => {
  const gone = openDatabase(own.url, { onBrokenConnection: () => undefined });
  await gone.close();
  const limiter = createPostgresRateLimiter({ pool: gone.pool, perAddressFactor: 1 });
  await expect(limiter.consume("sign-in-account", "e")).rejects.not.toBeInstanceOf(DomainError);
});
