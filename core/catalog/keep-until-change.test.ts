import { expect, test } from "vitest";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import { systemClock } from "../time.ts";
import { createKeptValues, keepUntilChange } from "./keep-until-change.ts";

/** Kept values of a catalogue whose version and clock the test sets. A value is the number of its computation. */
function keptNumbers(mayBeKept?: (value: number) => boolean) {
  const state: { version: number | null; now: number } = { version: 1, now: 0 };
  const computations: Array<{ finish(): void; fail(): void }> = [];
  const kept = createKeptValues<number>(() => state.version, {
    now: () => state.now,
    ...(mayBeKept && { mayBeKept }),
  });
  const compute = () =>
    new Promise<number>((resolve, reject) => {
      const value = computations.length + 1;
      computations.push({ finish: () => resolve(value), fail: () => reject(new Error("no database")) });
    });
  const begin = (key = "key") => kept.share(key, compute);
  /** A value that is computed at once. */
  const share = async (key?: string) => {
    const before = computations.length;
    const result = begin(key);
    computations.at(before)?.finish();
    return result;
  };
  return { state, computations, begin, share, find: (key = "key") => kept.find(key) };
}

test.each<[string, (state: { version: number | null; now: number }) => void, number | undefined]>([
  ["is used when nothing changes", () => undefined, 1],
  ["is used before it is a second old", (state) => Object.assign(state, { now: 999 }), 1],
  ["expires after a second", (state) => Object.assign(state, { now: 1000 }), undefined],
  ["is not used after a change", (state) => Object.assign(state, { version: 2 }), undefined],
  ["is not used while changes are not heard", (state) => Object.assign(state, { version: null }), undefined],
])("a kept value %s", async (_rule, happen, expected) => {
  const { state, share, find } = keptNumbers();
  await share();
  happen(state);
  expect(find()).toBe(expected);
  if (state.version !== null) expect(await share()).toBe(expected ?? 2);
  else expect(await share()).toBeNull();
});

test("a kept value is as old as its computation, which may take long", async () => {
  const { state, computations, begin, find } = keptNumbers();
  const first = begin();
  state.now = 600;
  computations[0]?.finish();
  await first;
  expect(find()).toBe(1);
  state.now = 1000;
  expect(find()).toBeUndefined();
});

test("a value that may not be kept goes to those who wait for it, and to nobody later", async () => {
  const { computations, begin, share, find } = keptNumbers((value) => value > 1);
  const both = Promise.all([begin(), begin()]);
  computations[0]?.finish();
  expect(await both).toEqual([1, 1]);
  expect(find()).toBeUndefined();
  expect([await share(), await share()]).toEqual([2, 2]);
});

test("parallel requests compute a kept value once", async () => {
  const { computations, begin } = keptNumbers();
  const all = Promise.all(Array.from({ length: 100 }, () => begin()));
  computations[0]?.finish();
  expect(new Set(await all)).toEqual(new Set([1]));
  expect(computations).toHaveLength(1);
});

test("requests after a change do not wait for a value that was begun before it, and that value is not kept", async () => {
  const { state, computations, begin, find } = keptNumbers();
  const before = begin();
  state.version = 2;
  const after = begin();
  computations[1]?.finish();
  expect(await after).toBe(2);
  computations[0]?.finish();
  expect(await before).toBe(1);
  expect(find()).toBe(2);
});

test("requests wait for no computation that was begun a second ago, and its value replaces no newer one", async () => {
  const { state, computations, begin, find } = keptNumbers();
  const slow = begin();
  state.now = 1000;
  const second = begin();
  computations[1]?.finish();
  expect(await second).toBe(2);
  computations[0]?.finish();
  expect(await slow).toBe(1);
  expect(find()).toBe(2);
});

test("requests find the last kept value while a newer one is computed", async () => {
  const { state, computations, share, begin, find } = keptNumbers();
  await share();
  state.now = 1000;
  const newer = begin();
  expect(find()).toBe(1);
  computations[1]?.finish();
  expect(await newer).toBe(2);
  expect(find()).toBe(2);
});

test("requests find no kept value while one is computed after a change", async () => {
  const { state, computations, share, begin, find } = keptNumbers();
  await share();
  state.version = 2;
  const newer = begin();
  expect(find()).toBeUndefined();
  computations[1]?.finish();
  await newer;
});

test("a failure goes to all who wait, and is not kept", async () => {
  const { computations, begin, share, find } = keptNumbers();
  const both = Promise.allSettled([begin(), begin()]);
  computations[0]?.fail();
  expect((await both).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(find()).toBeUndefined();
  expect(await share()).toBe(2);
});

test("the oldest of more than a hundred kept values is dropped, and one that was computed again is not old", async () => {
  const { state, share, find } = keptNumbers();
  for (let at = 0; at < 100; at++) await share(`key ${at}`);
  state.now = 1000;
  await share("key 1");
  state.now = 500;
  expect(find("key 0"), "a value that is computed again takes no other place").toBe(1);
  await share("another key");
  await share("a third key");
  expect(["key 0", "key 2"].map(find), "the oldest").toEqual([undefined, undefined]);
  expect(["key 1", "key 3"].map(find)).toEqual([101, 4]);
  expect(["another key", "a third key"].map(find)).toEqual([102, 103]);
});

test("values that are only being computed drop none", async () => {
  const { computations, begin, share, find } = keptNumbers();
  await share();
  const others = Array.from({ length: 200 }, (_, at) => begin(`key ${at}`));
  expect(find()).toBe(1);
  for (const { fail } of computations) fail();
  await Promise.allSettled(others);
  expect(find()).toBe(1);
});

const shop = openTestShop(await freshDatabase(), { clock: systemClock });

test("an operation runs once until the catalogue changes, and every time while changes are not heard", async () => {
  let runs = 0;
  let version: number | null = 1;
  const ctx = shop.visitor();
  const counted = { ...ctx, ports: { ...ctx.ports, catalogueVersion: () => version } };
  const operation = keepUntilChange(async () => ++runs);
  expect(await Promise.all([operation(counted), operation(counted)])).toEqual([1, 1]);
  version = 2;
  expect(await operation(counted)).toBe(2);
  version = null;
  expect([await operation(counted), await operation(counted)]).toEqual([3, 4]);
});

test("an operation keeps one result for each shop of a process", async () => {
  const ctx = shop.visitor();
  const [one, other] = [1, 2].map(() => ({ ...ctx, ports: { ...ctx.ports, catalogueVersion: () => 1 } }));
  let runs = 0;
  const operation = keepUntilChange(async () => ++runs);
  for (const [asked, result] of [
    [one, 1],
    [other, 2],
    [one, 1],
  ] as const)
    expect(await operation(asked ?? ctx)).toBe(result);
});
