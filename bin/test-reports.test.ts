import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { countBrowserTests, countUnitTests } from "./test-reports.ts";

function reportFile(content: string): string {
  const folder = mkdtempSync(join(tmpdir(), "reports-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "report.json");
  writeFileSync(file, content);
  return file;
}

const failedTest = {
  status: "failed",
  fullName: "the sum is right",
  failureMessages: ["expected 3 to be 4"],
};
const unit = (passed: number, failed: number) =>
  reportFile(
    JSON.stringify({
      numPassedTests: passed,
      numFailedTests: failed,
      numPendingTests: 1,
      numTodoTests: 2,
      testResults: [
        {
          name: "sum.test.ts",
          assertionResults: [
            { status: "passed", fullName: "the sum is kept", failureMessages: [] },
            ...Array.from({ length: failed }, () => failedTest),
          ],
        },
      ],
    }),
  );

test("the count of unit tests is what the report says, with the name and message of each failed test", () => {
  expect(countUnitTests(unit(5, 0), 0)).toEqual({ passed: 5, failed: 0, skipped: 3, failures: [] });
  const failures = Array(2).fill("sum.test.ts: the sum is right\nexpected 3 to be 4");
  expect(countUnitTests(unit(5, 2), 1)).toEqual({ passed: 5, failed: 2, skipped: 3, failures });
});

test("the count of unit tests has one failure when the runner fails without a failed test", () => {
  expect(countUnitTests(unit(5, 0), 1).failed).toBe(1);
});

test("the count of unit tests has one failure when no test ran", () => {
  expect(countUnitTests(unit(0, 0), 0).failed).toBe(1);
});

test.each([["{"], ["{}"]])("the count of unit tests has one failure when the report is %j", (content) => {
  expect(countUnitTests(reportFile(content), 0)).toEqual({ passed: 0, failed: 1, skipped: 0 });
});

test("the count of unit tests has one failure when the report is missing", () => {
  expect(countUnitTests("/nowhere/report.json", 0).failed).toBe(1);
});

test("a browser test that passed only on the second try is counted as failed", () => {
  const file = reportFile(JSON.stringify({ stats: { expected: 3, unexpected: 1, flaky: 2, skipped: 0 } }));
  expect(countBrowserTests(file, 1)).toEqual({ passed: 3, failed: 3, skipped: 0 });
});
