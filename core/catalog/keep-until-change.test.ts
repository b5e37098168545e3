import { expect, test } from "vitest";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import { systemClock } from "../time.ts";
import { keepUntilChange } from "./kept-values.ts";

const shop = openTestShop(await freshDatabase(), { clock: systemClock });

/** The rules are tested in kept-values.test.ts. */
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
