import { expect, test } from "vitest";
import { createHashQueue, HASH_LIMITS } from "./password-hash.ts";

/** Hashes that the test ends. */
function controlledHashes() {
  const running: (() => void)[] = [];
  let most = 0;
  let started = 0;
  return {
    hash: () =>
      new Promise<void>((resolve) => {
        started += 1;
        running.push(resolve);
        most = Math.max(most, running.length);
      }),
    finishOne: () => running.shift()?.(),
    running: () => running.length,
    started: () => started,
    most: () => most,
  };
}

test("when sixty hashes are requested at once, two run, fifty wait and eight are refused", async () => {
  const run = createHashQueue({ ...HASH_LIMITS, waitMs: 60_000 });
  const hashes = controlledHashes();
  const results = Array.from({ length: 60 }, () => run(hashes.hash));
  const late = await Promise.allSettled(results.slice(52));
  for (const one of late)
    expect(one).toMatchObject({ reason: { code: "sign-in-busy", details: { retryAfterSeconds: 5 } } });
  const all = Promise.all(results.slice(0, 52));
  for (let ended = 0; ended < 52; ended++) {
    await expect.poll(hashes.running, { interval: 1 }).toBeGreaterThan(0);
    hashes.finishOne();
  }
  await all;
  expect([hashes.most(), hashes.started()]).toEqual([2, 52]);
});

test("a hash request that waits too long is refused and leaves the queue", async () => {
  const run = createHashQueue({ running: 1, waiting: 1, waitMs: 10 });
  const hashes = controlledHashes();
  const first = run(hashes.hash);
  await expect(run(hashes.hash)).rejects.toMatchObject({ code: "sign-in-busy" });
  // The refused request has left the queue, so this one waits and is not refused at once.
  const third = run(hashes.hash);
  hashes.finishOne();
  await first;
  await expect.poll(hashes.running, { interval: 1 }).toBe(1);
  hashes.finishOne();
  await third;
  expect(hashes.started()).toBe(2);
});

test("after a hash that fails, the next hash runs", async () => {
  const run = createHashQueue({ running: 1, waiting: 0, waitMs: 10 });
  await expect(run(() => Promise.reject(new Error("invalid hash")))).rejects.toThrow("invalid hash");
  await expect(run(async () => "hashed")).resolves.toBe("hashed");
});

test("clients take turns: a client with many attempts delays another client by one hash", async () => {
  let client = "many";
  const run = createHashQueue({ running: 1, waiting: 20, waitMs: 60_000 }, () => client);
  const order: string[] = [];
  const hashes = controlledHashes();
  const attempt = (name: string) =>
    run(() => {
      order.push(name);
      return hashes.hash();
    });
  const results = Array.from({ length: 5 }, (_, at) => attempt(`many ${at}`));
  client = "one";
  results.push(attempt("one"));
  for (let ended = 0; ended < 6; ended++) {
    await expect.poll(hashes.running, { interval: 1 }).toBe(1);
    hashes.finishOne();
  }
  await Promise.all(results);
  expect(order).toEqual(["many 0", "many 1", "one", "many 2", "many 3", "many 4"]);
});

test("when too many hashes wait, the client with most of them loses its latest hash to another client", async () => {
  let client = "many";
  const run = createHashQueue({ running: 1, waiting: 3, waitMs: 60_000 }, () => client);
  const hashes = controlledHashes();
  const many = Array.from({ length: 4 }, () => run(hashes.hash));
  await expect(run(hashes.hash)).rejects.toMatchObject({ code: "sign-in-busy" });
  client = "one";
  const one = run(hashes.hash);
  await expect(many[3]).rejects.toMatchObject({ code: "sign-in-busy" });
  for (let ended = 0; ended < 4; ended++) {
    await expect.poll(hashes.running, { interval: 1 }).toBe(1);
    hashes.finishOne();
  }
  await Promise.all([...many.slice(0, 3), one]);
});
