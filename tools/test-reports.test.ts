import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { countBrowserTests, countUnitTests } from "./test-reports.ts";

function reportFile(content: string): string {
  const folder = mkdtempSync(join(tmpdir(), "reports-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "report.json");
  writeFileSync(file, content);
  return file;
}

const unit = (passed: number, failed: number) =>
  reportFile(
    JSON.stringify({
      numPassedTests: passed,
      numFailedTests: failed,
      numPendingTests: 1,
      numTodoTests: 2,
      more: [],
    }),
  );

describe("unit tests", () => {
  test("are counted as reported", () => {
    expect(countUnitTests(unit(5, 0), 0)).toEqual({ passed: 5, failed: 0, skipped: 3 });
    expect(countUnitTests(unit(5, 2), 1)).toEqual({ passed: 5, failed: 2, skipped: 3 });
  });

  test("a runner that fails without a failed test is one failure", () => {
    expect(countUnitTests(unit(5, 0), 1).failed).toBe(1);
  });

  test("no test at all is one failure", () => {
    expect(countUnitTests(unit(0, 0), 0).failed).toBe(1);
  });

  test.each([["{"], ["{}"]])("a report of %j is one failure", (content) => {
    expect(countUnitTests(reportFile(content), 0)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });

  test("a missing report is one failure", () => {
    expect(countUnitTests("/nowhere/report.json", 0).failed).toBe(1);
  });
});

test("a browser test that needed a second try counts as failed", () => {
  const file = reportFile(JSON.stringify({ stats: { expected: 3, unexpected: 1, flaky: 2, skipped: 0 } }));
  expect(countBrowserTests(file, 1)).toEqual({ passed: 3, failed: 3, skipped: 0 });
});
