import { expect, test } from "vitest";
import { pollDelay } from "./payment-transitions.ts";

test("the first polls come quickly, then one every eight seconds, for about two minutes", () => {
  const delays: number[] = [];
  for (let delay = pollDelay(0); delay !== null; delay = pollDelay(delays.length)) delays.push(delay / 1000);
  expect(delays.slice(0, 7)).toEqual([1, 2, 3, 5, 8, 8, 8]);
  const total = delays.reduce((sum, seconds) => sum + seconds, 0);
  expect(total).toBeGreaterThanOrEqual(115);
  expect(total).toBeLessThanOrEqual(130);
});
