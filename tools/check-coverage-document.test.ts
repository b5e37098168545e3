import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findMissingNames } from "./check-coverage-document.ts";

const TESTS = `
describe("a purchase", () => {
  test("is made once", () => {});
  test.each([1, 2])("counts %i", () => {});
});
for (const who of ["a buyer", "an admin"]) test(\`\${who} may leave\`, () => {});
run("is not a test");
`;

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "coverage-document-"));
  mkdirSync(join(root, "core/checkout"), { recursive: true });
  writeFileSync(join(root, "core/checkout/buy.ts"), "export const buy = 1;\n");
  writeFileSync(join(root, "core/checkout/buy.test.ts"), TESTS);
});
afterAll(() => rmSync(root, { recursive: true }));

const check = (where: string, tests: string) =>
  findMissingNames(`# Title\n| "asked" \`asked.ts\` | ${where} | ${tests} | done |\n`, root);

test("accepts files and titles that exist", () => {
  expect(
    check(
      "`core/checkout`, `buy.ts`; `/admin` and `tools` are no files",
      `\`core/checkout/buy.test.ts\` "is made once" under "a purchase", "counts %i", "\${who} may leave"`,
    ),
  ).toEqual([]);
});

test("reports a file that does not exist", () => {
  expect(check("`core/checkout/buy.ts`, `sell.ts`; `core/gone`", "")).toEqual([
    { line: 2, message: "core/checkout/sell.ts does not exist" },
    { line: 2, message: "core/gone does not exist" },
  ]);
});

test("reports a changed title and the beginning of one", () => {
  expect(check("", '`core/checkout/buy.test.ts` "is made twice", "is made", "is not a test"')).toEqual([
    { line: 2, message: 'core/checkout/buy.test.ts has no test "is made twice"' },
    { line: 2, message: 'core/checkout/buy.test.ts has no test "is made"' },
    { line: 2, message: 'core/checkout/buy.test.ts has no test "is not a test"' },
  ]);
});

test("reports a name whose file is not said in its cell", () => {
  expect(check("`core/checkout/buy.ts`", '`buy.test.ts`, "is made once"')).toEqual([
    { line: 2, message: "buy.test.ts follows no path in its cell; write its whole path" },
    { line: 2, message: '"is made once" follows no test file in its cell' },
  ]);
});

test("reads the text outside of tables too", () => {
  expect(findMissingNames("\n`core/checkout/buy.test.ts` holds them.\n\nSee `core/gone.ts`.", root)).toEqual([
    { line: 4, message: "core/gone.ts does not exist" },
  ]);
});
