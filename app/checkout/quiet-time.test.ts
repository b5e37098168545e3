import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { isQuietTime, startQuietTime } from "./quiet-time.ts";

beforeEach(() => {
  const stored = new Map<string, string>();
  vi.stubGlobal("sessionStorage", {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  });
  vi.useFakeTimers();
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test("the page is quiet for 30 seconds after a purchase", () => {
  expect(isQuietTime()).toBe(false);
  startQuietTime();
  vi.advanceTimersByTime(29_999);
  expect(isQuietTime()).toBe(true);
  vi.advanceTimersByTime(1);
  expect(isQuietTime()).toBe(false);
});

test("the page is never quiet without storage, and nothing fails", () => {
  vi.stubGlobal("sessionStorage", undefined);
  startQuietTime();
  expect(isQuietTime()).toBe(false);
});
