import { expect, test } from "vitest";
import { BoundedMemoryLimiter } from "./postgres-rate-limiter.ts";

const create = () => new BoundedMemoryLimiter({ keyPrefix: "test", points: 2, duration: 600, maxKeys: 10 });
const keysOf = (limiter: BoundedMemoryLimiter) => limiter.dump().storage.map(({ key }) => key);
const keys = (count: number) => Array.from({ length: count }, (_, at) => `key ${at}`);

test("the limiter counts the last ten of a thousand keys", async () => {
  const limiter = create();
  await Promise.all(keys(1_000).map((key) => limiter.consume(key)));
  expect(keysOf(limiter)).toEqual(keys(1_000).slice(-10));
});

test("the limiter counts the key whose window began first anew, and no other", async () => {
  const limiter = create();
  for (const key of [...keys(10), ...keys(10).reverse()]) await limiter.consume(key);
  await limiter.consume("one more");
  await limiter.consume("key 0");
  await expect(limiter.consume("key 2")).rejects.toMatchObject({ consumedPoints: 3 });
  expect(keysOf(limiter)).toHaveLength(10);
});

test("a key that was reset makes room for another key", async () => {
  const limiter = create();
  for (const key of keys(10)) await limiter.consume(key);
  await limiter.delete("key 9");
  await limiter.consume("one more");
  expect(keysOf(limiter)).toContain("key 0");
});
