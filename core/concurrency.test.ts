import { expect, test } from "vitest";
import { FairQueue, forEachWithConcurrency } from "./concurrency.ts";

const unexpected = () => {
  throw new Error("no item should fail");
};

test("a concurrent run works each item once, the first alone, then at most three at a time", async () => {
  const done: number[] = [];
  let running = 0;
  let most = 0;
  await forEachWithConcurrency(
    [1, 2, 3, 4, 5, 6, 7],
    3,
    async (item) => {
      most = Math.max(most, ++running);
      if (done.length === 0) expect(running).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      done.push(item);
      return true;
    },
    unexpected,
  );
  expect(done.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(most).toBe(3);
});

test("a concurrent run starts no item after an item has stopped it", async () => {
  const started: number[] = [];
  await forEachWithConcurrency(
    [1, 2, 3, 4, 5],
    2,
    async (item) => {
      await new Promise((resolve) => setImmediate(resolve));
      started.push(item);
      return item !== 2;
    },
    unexpected,
  );
  expect(started).not.toContain(5);
});

test("a concurrent run reports an item that fails and continues with the others", async () => {
  const done: number[] = [];
  const failed: [unknown, number][] = [];
  const work = async (item: number) => {
    if (item % 2 === 1) throw new Error(`no ${item}`);
    done.push(item);
    return true;
  };
  await forEachWithConcurrency([1, 2, 3, 4], 2, work, (error, item) => failed.push([error, item]));
  expect(done.toSorted()).toEqual([2, 4]);
  expect(failed).toEqual([
    [new Error("no 1"), 1],
    [new Error("no 3"), 3],
  ]);
});

const neverLeaves = () => new AbortController().signal;

/** Enters the queue and records the order of admission. */
function enter(queue: FairQueue, client: string, admitted: string[], signal = neverLeaves()) {
  return queue.enter(client, signal).then((release) => {
    if (release === null) throw new Error("nobody has left");
    admitted.push(client);
    return release;
  });
}

test("a queue never runs more tasks at once than its limit, and all tasks run", async () => {
  const queue = new FairQueue(2);
  let running = 0;
  let most = 0;
  const task = async (client: string) => {
    const release = await queue.enter(client, neverLeaves());
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    release?.();
  };
  await Promise.all(Array.from({ length: 60 }, (_, index) => task(`client ${index % 7}`)));
  expect(most).toBe(2);
  expect(running).toBe(0);
});

test("a client with many tasks delays another client by one task", async () => {
  const queue = new FairQueue(1);
  const admitted: string[] = [];
  const first = await enter(queue, "greedy", admitted);
  const releases = [1, 2, 3, 4].map(() => enter(queue, "greedy", admitted));
  const modest = enter(queue, "modest", admitted);
  first();
  (await releases[0])?.();
  (await modest)();
  for (const release of releases.slice(1)) (await release)();
  expect(admitted).toEqual(["greedy", "greedy", "modest", "greedy", "greedy", "greedy"]);
});

test("a client that leaves while it waits is not admitted later", async () => {
  const queue = new FairQueue(1);
  const admitted: string[] = [];
  const release = await enter(queue, "first", admitted);
  const leaving = new AbortController();
  const left = queue.enter("leaving", leaving.signal);
  const next = enter(queue, "next", admitted);
  leaving.abort();
  expect(await left).toBeNull();
  release();
  (await next)();
  expect(admitted).toEqual(["first", "next"]);
  expect(await queue.enter("gone", leaving.signal)).toBeNull();
});

test("a finished task admits one other task, however often it is released", async () => {
  const queue = new FairQueue(1);
  const admitted: string[] = [];
  const release = await enter(queue, "first", admitted);
  const second = enter(queue, "second", admitted);
  const third = enter(queue, "third", admitted);
  release();
  release();
  await second;
  expect(admitted).toEqual(["first", "second"]);
  (await second)();
  await third;
  expect(admitted).toEqual(["first", "second", "third"]);
});
