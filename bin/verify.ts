/** `npm test`: runs every check of the repository in order and prints a count. Exits with 0 only when all have passed. */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { packageCommand, ROOT, runNode } from "./run-command.ts";
import { type Counts, countBrowserTests, countUnitTests } from "./test-reports.ts";

interface Step {
  title: string;
  script: string;
  args: string[];
  limitSeconds: number;
  /** Titles of steps that have to pass before this one runs. */
  needs?: string[];
  /** The report of a step that consists of many tests. A step without a report counts as one. */
  report?: { file: string; count: (file: string, exitCode: number) => Counts };
}

const REPORTS = join(ROOT, "test-results");
const unitReport = join(REPORTS, "unit.json");
const browserReport = join(REPORTS, "browser.json");

const STEPS: Step[] = [
  {
    title: "format and lint",
    script: packageCommand("@biomejs/biome", "biome"),
    args: ["ci", "--colors=off", "--error-on-warnings", "."],
    limitSeconds: 300,
  },
  { title: "rules", script: "bin/check-rules.ts", args: [], limitSeconds: 120 },
  { title: "dead code", script: packageCommand("knip", "knip"), args: [], limitSeconds: 300 },
  { title: "types", script: "bin/typecheck.ts", args: [], limitSeconds: 600 },
  {
    title: "tests",
    script: packageCommand("vitest", "vitest"),
    args: ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${unitReport}`],
    limitSeconds: 1800,
    report: { file: unitReport, count: countUnitTests },
  },
  { title: "build", script: "bin/daypass.mjs", args: ["build"], limitSeconds: 600 },
  {
    title: "browser",
    script: "bin/browser-tests.ts",
    args: [],
    limitSeconds: 3700,
    needs: ["build"],
    report: { file: browserReport, count: countBrowserTests },
  },
];

const failedSteps: string[] = [];
const failures: string[] = [];
const total: Counts = { passed: 0, failed: 0, skipped: 0 };
let interrupted = false;
process.on("SIGINT", () => {
  interrupted = true;
});
process.on("SIGTERM", () => {
  interrupted = true;
});

rmSync(REPORTS, { recursive: true, force: true });
mkdirSync(REPORTS, { recursive: true });
const startedAt = performance.now();
for (const step of STEPS) {
  if (interrupted) break;
  const counts = await runStep(step);
  total.passed += counts.passed;
  total.failed += counts.failed;
  total.skipped += counts.skipped;
  if (counts.failed > 0) failedSteps.push(step.title);
  failures.push(...(counts.failures ?? []));
}

console.log(`\n== ${interrupted ? "interrupted" : "done"} after ${seconds(startedAt)}`);
if (failedSteps.length > 0) console.log(`Failed: ${failedSteps.join(", ")}`);
// The end of the output is what a reader of a long log sees first.
for (const failure of failures) console.log(`\n${failure}`);
if (total.skipped > 0) console.log(`Skipped tests: ${total.skipped}`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 || total.passed === 0 || interrupted ? 1 : 0;

async function runStep(step: Step): Promise<Counts> {
  console.log(`\n== ${step.title}`);
  const missing = step.needs?.filter((title) => failedSteps.includes(title)) ?? [];
  if (missing.length > 0) {
    console.log(`-- ${step.title}: not run, it needs ${missing.join(", ")}`);
    return { passed: 0, failed: 1, skipped: 0 };
  }
  const start = performance.now();
  const exitCode = await runNode(step.script, step.args, { limitSeconds: step.limitSeconds });
  const asOne = { passed: exitCode === 0 ? 1 : 0, failed: exitCode === 0 ? 0 : 1, skipped: 0 };
  const counts = step.report?.count(step.report.file, exitCode) ?? asOne;
  const outcome = counts.failed === 0 ? "passed" : "FAILED";
  const tests = step.report ? ` (${counts.passed} passed, ${counts.failed} failed)` : "";
  console.log(`-- ${step.title}: ${outcome}${tests} in ${seconds(start)}`);
  return counts;
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
