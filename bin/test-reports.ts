import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";

/** How many tests of a suite passed and failed. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
  /** The failed tests, a text each: its name and why it failed. Only the report of Vitest has them. */
  failures?: string[] | undefined;
}

const UnitReport = z.object({
  numPassedTests: z.int(),
  numFailedTests: z.int(),
  numPendingTests: z.int(),
  numTodoTests: z.int(),
  testResults: z.array(
    z.object({
      name: z.string(),
      assertionResults: z.array(
        z.object({
          status: z.string(),
          fullName: z.string(),
          failureMessages: z.array(z.string()).nullish(),
        }),
      ),
    }),
  ),
});
/** Characters of a failed test's message that the summary at the end repeats. */
const MESSAGE_CHARACTERS = 1500;

const BrowserReport = z.object({
  stats: z.object({ expected: z.int(), unexpected: z.int(), flaky: z.int(), skipped: z.int() }),
});

/** Reads the JSON report of Vitest. */
export function countUnitTests(file: string, exitCode: number): Counts {
  const report = read(file, UnitReport);
  return withRunnerFailure(exitCode, {
    passed: report?.numPassedTests ?? 0,
    failed: report?.numFailedTests ?? 0,
    skipped: (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0),
    failures: report?.testResults.flatMap(({ name, assertionResults }) =>
      assertionResults
        .filter(({ status }) => status === "failed")
        .map(({ fullName, failureMessages }) => {
          const message = (failureMessages ?? []).join("\n").slice(0, MESSAGE_CHARACTERS);
          return `${name}: ${fullName}\n${message}`;
        }),
    ),
  });
}

/** Reads the JSON report of Playwright. A test that passed only on a second try counts as failed. */
export function countBrowserTests(file: string, exitCode: number): Counts {
  const stats = read(file, BrowserReport)?.stats;
  return withRunnerFailure(exitCode, {
    passed: stats?.expected ?? 0,
    failed: (stats?.unexpected ?? 0) + (stats?.flaky ?? 0),
    skipped: stats?.skipped ?? 0,
  });
}

/** Adds one failure when the runner failed without a failed test (a file did not load, a crash) or ran no test. */
function withRunnerFailure(exitCode: number, counts: Counts): Counts {
  const runnerFailed = exitCode !== 0 || counts.passed === 0;
  return counts.failed === 0 && runnerFailed ? { ...counts, failed: 1 } : counts;
}

function read<T>(file: string, schema: z.ZodType<T>): T | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return schema.safeParse(JSON.parse(readFileSync(file, "utf8"))).data;
  } catch {
    // A runner that was killed while writing leaves half a file. Its exit code makes the run fail.
    return undefined;
  }
}
