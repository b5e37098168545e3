import { expect, test, vi } from "vitest";
import { freshDatabase } from "../../tools/testing/database.ts";
import { openTestShop } from "../../tools/testing/open-test-shop.ts";
import { systemClock } from "../time.ts";
import { keepUntilChange } from "./keep-until-change.ts";

const shop = openTestShop(await freshDatabase(), { clock: systemClock });

/** An operation that counts its runs, in a shop whose catalogue has a version. */
function countingOperation() {
  let runs = 0;
  const state: { version: number | null; fails: boolean } = { version: 1, fails: false };
  const ctx = shop.visitor();
  const counted = { ...ctx, ports: { ...ctx.ports, catalogueVersion: () => state.version } };
  const operation = keepUntilChange(async () => {
    runs++;
    if (state.fails) throw new Error("no database");
    return runs;
  });
  return { state, read: () => operation(counted) };
}

test("an operation runs once until the catalogue changes", async () => {
  const { state, read } = countingOperation();
  expect(await Promise.all([read(), read()])).toEqual([1, 1]);
  state.version = 2;
  expect(await read()).toBe(2);
});

test("an operation runs again after a second, because some changes are not announced", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  try {
    const { read } = countingOperation();
    await read();
    vi.advanceTimersByTime(999);
    expect(await read()).toBe(1);
    vi.advanceTimersByTime(1);
    expect(await read()).toBe(2);
  } finally {
    vi.useRealTimers();
  }
});

test("an operation runs every time while changes are not heard", async () => {
  const { state, read } = countingOperation();
  await read();
  state.version = null;
  expect([await read(), await read()]).toEqual([2, 3]);
});

test("a failure is not kept", async () => {
  const { state, read } = countingOperation();
  state.fails = true;
  await expect(read()).rejects.toThrow("no database");
  state.fails = false;
  expect(await read()).toBe(2);
});
