import { beforeEach, expect, test, vi } from "vitest";
import { DAY } from "#core/time.ts";
import { readCameFrom, rememberCameFrom } from "./came-from.ts";

beforeEach(() => {
  vi.useFakeTimers();
  openTab();
  vi.stubGlobal("localStorage", memory());
  return () => {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  };
});

function memory() {
  const items = new Map<string, string>();
  return {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => items.set(key, value),
    removeItem: (key: string) => items.delete(key),
  };
}

const openTab = () => vi.stubGlobal("sessionStorage", memory());

function load(search: string, referrer = ""): string | null {
  vi.stubGlobal("location", { search, host: "shop.example" });
  vi.stubGlobal("document", { referrer });
  rememberCameFrom();
  return readCameFrom();
}

test.each([
  ["?ref=asha&utm_source=whatsapp", "https://t.co/x", "whatsapp"],
  ["?ref=asha", "https://t.co/x", "asha"],
  ["?utm_source=a%40b.example&ref=asha", "", "asha"],
  ["?utm_source=%E2%80%8B", "https://t.co/x", "t.co"],
  ["", "https://www.google.com", "www.google.com"],
  ["", "android-app://com.whatsapp/", "com.whatsapp"],
  ["", "https://shop.example/shop/canva", null],
  ["?coupon=SAVE20", "", null],
])("a page with the query %j and the referrer %j comes from %j", (search, referrer, expected) => {
  expect(load(search, referrer)).toBe(expected);
});

test("the first touch counts for 30 days", () => {
  expect(load("?utm_source=first")).toBe("first");
  vi.advanceTimersByTime(30 * DAY - 1);
  expect(load("?utm_source=second")).toBe("first");
  vi.advanceTimersByTime(1);
  expect(readCameFrom()).toBeNull();
  expect(load("?utm_source=third")).toBe("third");
});

test("a tab that comes back from another site, as after a sign-in with Google, comes from nowhere new", () => {
  expect(load("")).toBeNull();
  expect(load("", "https://accounts.google.com/")).toBeNull();
  openTab();
  expect(load("", "https://t.co/x")).toBe("t.co");
});

test("without storage nothing is remembered", () => {
  const refuse = () => {
    throw new DOMException("denied", "SecurityError");
  };
  for (const name of ["localStorage", "sessionStorage"])
    vi.stubGlobal(name, { getItem: refuse, setItem: refuse, removeItem: refuse });
  expect(load("?utm_source=whatsapp", "https://t.co/x")).toBeNull();
});
