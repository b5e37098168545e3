import {
  type CheckState,
  type HealthLine,
  type HealthReport,
  runChecks,
  type Verdict,
} from "#core/health/health-check.ts";
import { openDatabase } from "#db/database.ts";
import { checkHealth, checksWithoutSettings } from "./health/checks.ts";
import { CONNECTIONS } from "./health/database-checks.ts";
import type { DoctorArguments, DoctorSetup } from "./start/doctor-setup.ts";

/** Checks the shop and prints the report. @returns whether nothing has failed */
export async function printHealth(options: DoctorSetup & DoctorArguments): Promise<boolean> {
  const report = await makeReport(options);
  const isFine = report.lines.every(({ state }) => state !== "failed");
  const text = options.isJson ? JSON.stringify(toJson(report, isFine), null, 2) : describe(report);
  process.stdout.write(`${text}\n`);
  return isFine;
}

async function makeReport({ env, database }: DoctorSetup): Promise<HealthReport> {
  if ("problem" in env) return runChecks(checksWithoutSettings(env.problem), { now: () => new Date() });
  if (database === null) throw new Error("the database was not looked for");
  if ("problem" in database) {
    const verdict: Verdict = { state: "failed", ...database.problem };
    return checkHealth(env, verdict);
  }
  const { db, close } = openDatabase(database.url, {
    max: CONNECTIONS,
    applicationName: "daypass doctor",
    // The check that uses the connection then fails.
    onBrokenConnection: () => undefined,
  });
  try {
    return await checkHealth(env, db);
  } finally {
    // Not awaited: a query that does not end keeps its connection.
    void close().catch(() => undefined);
  }
}

const MARKS: Readonly<Record<CheckState, string>> = {
  ok: "fine   ",
  warning: "WARNING",
  failed: "FAILED ",
  skipped: "skipped",
};

function describe({ lines }: HealthReport): string {
  const width = Math.max(...lines.map(({ name }) => name.length));
  const count = (state: CheckState) => lines.filter((line) => line.state === state).length;
  return [
    "",
    ...lines.map((line) => describeLine(line, width)),
    "",
    `  ${summarise(count("failed"), count("warning"))}`,
    "",
  ].join("\n");
}

function describeLine({ name, state, detail, remedy, command }: HealthLine, width: number): string {
  const indent = " ".repeat(width + 13);
  const [first = "", ...rest] = wrap(detail);
  return [
    `  ${MARKS[state]}  ${name.padEnd(width)}  ${first}`,
    ...[...rest, ...wrap(remedy ?? "")].map((text) => indent + text),
    // A command is copied, so it stays on its line.
    ...(command === undefined ? [] : command.split("\n").map((text) => `${indent}  ${text}`)),
  ].join("\n");
}

const TEXT_WIDTH = 88;

function wrap(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ").filter((part) => part !== "")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < TEXT_WIDTH) lines.push(`${lines.pop()} ${word}`);
    else lines.push(word);
  }
  return lines;
}

function summarise(failures: number, warnings: number): string {
  const counted = (number: number, word: string) => `${number} ${word}${number === 1 ? "" : "s"}`;
  if (failures === 0 && warnings === 0) return "Everything is fine.";
  return `${counted(failures, "failure")}, ${counted(warnings, "warning")}.`;
}

const toJson = ({ checkedAt, lines }: HealthReport, isFine: boolean) => ({
  ok: isFine,
  checkedAt: checkedAt.toISOString(),
  checks: lines,
});
