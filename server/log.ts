import { type DestinationStream, pino } from "pino";
import type { Log } from "#core/context.ts";
import { isDatabaseUnavailable } from "#core/errors.ts";
import { causedByCanceledStatement } from "#db/database-unavailable.ts";
import type { LogLevel } from "./env.ts";

/**
 * Structured logs on standard output. Callers log no secrets. The redaction is a second protection, for errors that contain
 * a request, a query or a form.
 */
export function createLog(
  level: LogLevel,
  destination: DestinationStream = pino.destination({ dest: 1, sync: true }),
): Log & { child(facts: object): Log } {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: describeError },
    redact: {
      paths: [
        "password",
        "token",
        "authorization",
        "cookie",
        "*.password",
        "*.token",
        "*.code",
        "*.cookie",
        "*.authorization",
      ],
      censor: "[hidden]",
    },
  };
  return pino(options, destination);
}

/** Name, message, code and stack of an error and its causes, without the parameters of a query: they can be secrets. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  return {
    type: error.name,
    message: "query" in error ? "a query failed" : error.message,
    ...("code" in error ? { sqlState: error.code } : {}),
    // Only the frames: the first lines repeat the message.
    stack: error.stack
      ?.split("\n")
      .filter((line) => line.startsWith("    at "))
      .slice(0, 8)
      .join("\n"),
    ...(error.cause ? { cause: describeError(error.cause) } : {}),
  };
}

/** After this time without another failure, failures that the database watch did not report as an outage are summed up. */
const QUIET_MS = 10_000;

export type ParentLog = Log & { child(facts: object): Log };

export interface OutageLog extends ParentLog {
  databaseDown(reason: string): void;
  databaseUp(): void;
}

/**
 * A log in which an outage of the database takes a few lines, however many requests and jobs fail: a warning for the first
 * failure, and a warning with the number of failures at the end. Each failure is still written at level debug. A statement that
 * the server cancelled is no outage: it keeps its level and is not counted.
 */
export function createOutageLog(log: ParentLog, quietMs = QUIET_MS): OutageLog {
  let outage: { since: number; failures: number; down: boolean } | undefined;
  let quiet: NodeJS.Timeout | undefined;

  const end = (message: string) => {
    clearTimeout(quiet);
    if (!outage) return;
    const seconds = Math.round((performance.now() - outage.since) / 1000);
    if (outage.down || outage.failures > 1) log.warn({ seconds, failures: outage.failures }, message);
    outage = undefined;
  };
  const countFailure = (target: Log, facts: object, message: string) => {
    const isFirst = outage === undefined;
    outage ??= { since: performance.now(), failures: 0, down: false };
    outage.failures++;
    if (isFirst) target.warn(facts, message);
    else target.debug(facts, message);
    if (outage.down) return;
    clearTimeout(quiet);
    quiet = setTimeout(end, quietMs, "statements failed because the database was unavailable").unref();
  };
  const withoutRepeats = (target: Log): Log => ({
    debug: (facts, message) => target.debug(facts, message),
    info: (facts, message) => target.info(facts, message),
    warn: (facts, message) =>
      failedByOutage(facts) ? countFailure(target, facts, message) : target.warn(facts, message),
    error: (facts, message) =>
      failedByOutage(facts) ? countFailure(target, facts, message) : target.error(facts, message),
  });

  return {
    ...withoutRepeats(log),
    child: (facts) => withoutRepeats(log.child(facts)),
    databaseDown(reason) {
      clearTimeout(quiet);
      outage ??= { since: performance.now(), failures: 0, down: true };
      outage.down = true;
      log.warn({ reason }, "the database is unavailable; requests are refused until it answers");
    },
    databaseUp: () => end("the database answers again"),
  };
}

function failedByOutage(facts: object): boolean {
  return "err" in facts && isDatabaseUnavailable(facts.err) && !causedByCanceledStatement(facts.err);
}

/** Prints lines for the person at the terminal. They are not a part of the log. */
export function printLines(lines: readonly string[]): void {
  process.stdout.write(`${lines.map((line) => (line === "" ? "" : `  ${line}`)).join("\n")}\n`);
}
