import { expect, test } from "vitest";
import { forEachWithConcurrency } from "./for-each-with-concurrency.ts";

const never = () => {
  throw new Error("nothing fails here");
};

test("each item once, the first alone, then never more than a few side by side", async () => {
  const done: number[] = [];
  let now = 0;
  let most = 0;
  await forEachWithConcurrency(
    [1, 2, 3, 4, 5, 6, 7],
    3,
    async (item) => {
      most = Math.max(most, ++now);
      if (done.length === 0) expect(now).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      now--;
      done.push(item);
      return true;
    },
    never,
  );
  expect(done.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(most).toBe(3);
});

test("nothing begins after one said stop", async () => {
  const begun: number[] = [];
  await forEachWithConcurrency(
    [1, 2, 3, 4, 5],
    2,
    async (item) => {
      await new Promise((resolve) => setImmediate(resolve));
      begun.push(item);
      return item !== 2;
    },
    never,
  );
  expect(begun).not.toContain(5);
});

test("one that fails is told of and does not stop the others", async () => {
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
