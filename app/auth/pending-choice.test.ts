import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { pendingClaim, pendingTool } from "./pending-choice.ts";

beforeEach(() => {
  const items = new Map<string, string>();
  vi.stubGlobal("sessionStorage", {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test("a chosen tool is remembered with its pricing option, apart from a chosen giveaway, until it is forgotten", () => {
  pendingTool.remember("chatgpt", "30 Days");
  expect(pendingTool.read()).toEqual({ id: "chatgpt", option: "30 Days" });
  expect(pendingClaim.read()).toBeNull();
  pendingTool.remember("canva");
  expect(pendingTool.read()).toEqual({ id: "canva", option: null });
  pendingTool.forget();
  expect(pendingTool.read()).toBeNull();
});

test("a chosen tool is forgotten after ten minutes", () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  pendingTool.remember("chatgpt", "30 Days");
  vi.advanceTimersByTime(599_999);
  expect(pendingTool.read()?.id).toBe("chatgpt");
  vi.advanceTimersByTime(1);
  expect(pendingTool.read()).toBeNull();
});

test("a choice is not remembered without storage, and nothing fails", () => {
  vi.stubGlobal("sessionStorage", undefined);
  pendingTool.remember("chatgpt", "30 Days");
  expect(pendingTool.read()).toBeNull();
  pendingTool.forget();
});
