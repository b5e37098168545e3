import { beforeEach, expect, test, vi } from "vitest";
import { coalesceRuns } from "./use-live.ts";

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

/** A run that ends when the test says so. */
function open() {
  const ends: ((error?: Error) => void)[] = [];
  const runs = coalesceRuns(
    () =>
      new Promise((resolve, reject) => {
        ends.push((error) => (error ? reject(error) : resolve()));
      }),
  );
  return { runs, ends };
}

test("requests to load the page again during a run become one run after it", async () => {
  const { runs, ends } = open();
  runs.request();
  await vi.advanceTimersByTimeAsync(0);
  for (let n = 0; n < 50; n++) runs.request();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await vi.advanceTimersByTimeAsync(0);
  expect(ends).toHaveLength(2);
  ends[1]?.();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(ends).toHaveLength(2);
});

test("the loads of a page start 300 ms apart at least", async () => {
  const { runs, ends } = open();
  runs.request();
  await vi.advanceTimersByTimeAsync(0);
  ends[0]?.();
  await vi.advanceTimersByTimeAsync(10);
  runs.request();
  await vi.advanceTimersByTimeAsync(289);
  expect(ends).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(ends).toHaveLength(2);
});

test("a load of the page that fails does not prevent the next one", async () => {
  const { runs, ends } = open();
  runs.request();
  await vi.advanceTimersByTimeAsync(0);
  ends[0]?.(new Error("no connection"));
  runs.request();
  await vi.advanceTimersByTimeAsync(300);
  expect(ends).toHaveLength(2);
});

test("a page is not loaded again after the stop", async () => {
  const { runs, ends } = open();
  runs.request();
  runs.stop();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(ends).toHaveLength(0);
  expect(vi.getTimerCount()).toBe(0);
});
