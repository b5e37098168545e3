import { expect, test } from "vitest";
import { forEachWithConcurrency } from "./for-each-with-concurrency.ts";

const unexpected = () => {
  throw new Error("no item should fail");
};

test("runs each item once, the first alone, then at most three at a time", async () => {
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

test("starts no item after one has stopped the run", async () => {
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

test("reports an item that fails and continues with the others", async () => {
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
