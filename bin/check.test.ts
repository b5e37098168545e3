import { expect, test } from "vitest";
import { testsOf } from "./check.ts";

const IMPORTS = new Map([
  ["core/money.ts", []],
  ["core/money.test.ts", ["core/money.ts"]],
  ["core/money-words.test.ts", []],
  ["core/coupons/redeem.server.ts", ["core/money.ts"]],
  ["core/coupons/redeem.server.test.ts", ["core/coupons/redeem.server.ts"]],
  ["app/price.tsx", ["core/money.ts"]],
  ["app/price.dark.test.tsx", []],
  ["app/price-list.tsx", ["app/price.tsx"]],
  ["app/price-list.test.tsx", ["app/price-list.tsx"]],
  ["app/anything.test.ts", ["core/money.ts"]],
]);

test("the tests beside a changed file come first, then those of the files that import it, and no others", () => {
  expect(testsOf(["core/money.ts"], IMPORTS)).toEqual([
    "core/money.test.ts",
    "core/coupons/redeem.server.test.ts",
    "app/price.dark.test.tsx",
    "app/anything.test.ts",
  ]);
});

test("a changed test runs itself; a document has no tests", () => {
  expect(testsOf(["app/anything.test.ts", "README.md"], IMPORTS)).toEqual(["app/anything.test.ts"]);
});
