import { expect, test } from "vitest";
import { fewAtATime } from "./few-at-a-time.ts";

test("each item once, the first alone, then never more than a few side by side", async () => {
  const done: number[] = [];
  let now = 0;
  let most = 0;
  await fewAtATime([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
    most = Math.max(most, ++now);
    if (done.length === 0) expect(now).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    now--;
    done.push(item);
    return true;
  });
  expect(done.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(most).toBe(3);
});

test("nothing begins after one said stop, and a failure is the caller's", async () => {
  const begun: number[] = [];
  await fewAtATime([1, 2, 3, 4, 5], 2, async (item) => {
    await new Promise((resolve) => setImmediate(resolve));
    begun.push(item);
    return item !== 2;
  });
  expect(begun).not.toContain(5);
  await expect(fewAtATime([1], 2, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
});
