import { beforeEach, expect, test, vi } from "vitest";
import { coalesceTopics } from "./postgres-live.ts";

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

function open() {
  const sent: string[] = [];
  const coalescer = coalesceTopics({ everyMs: 200, send: (topics) => sent.push(topics.join()) });
  return { coalescer, sent };
}

test("a topic is passed on at once, and all further changes of the interval once at its end", () => {
  const { coalescer, sent } = open();
  for (let n = 0; n < 100; n++) coalescer.add(["users"]);
  expect(sent).toEqual(["users"]);
  vi.advanceTimersByTime(199);
  expect(sent).toEqual(["users"]);
  vi.advanceTimersByTime(1);
  expect(sent).toEqual(["users", "users"]);
  vi.advanceTimersByTime(10_000);
  expect(sent).toEqual(["users", "users"]);
  expect(vi.getTimerCount()).toBe(0);
});

test("a topic that changes all the time is passed on once in each interval", () => {
  const { coalescer, sent } = open();
  for (let n = 0; n < 100; n++) {
    coalescer.add(["stock"]);
    vi.advanceTimersByTime(10);
  }
  expect(sent).toHaveLength(6);
});

test("topics do not wait for each other, and those of one change are passed on together", () => {
  const { coalescer, sent } = open();
  coalescer.add(["users"]);
  coalescer.add(["users", "tools", "stock"]);
  expect(sent).toEqual(["users", "tools,stock"]);
});

test("a flush passes on what waits and leaves no timer", () => {
  const { coalescer, sent } = open();
  coalescer.add(["users", "tools"]);
  coalescer.add(["users"]);
  coalescer.flush();
  expect(sent).toEqual(["users,tools", "users"]);
  expect(vi.getTimerCount()).toBe(0);
});
