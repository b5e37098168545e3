import type { Log } from "#core/context.ts";
import { isDatabaseUnavailable } from "#core/errors.ts";
import { causedByCanceledStatement } from "#db/database-unavailable.ts";

/** After this time without another failure, failures that the database watch did not report as an outage are summed up. */
const QUIET_MS = 10_000;

export type ParentLog = Log & { child(facts: object): Log };

export interface OutageLog extends ParentLog {
  databaseDown(reason: string): void;
  databaseUp(): void;
}

/**
 * A log in which an outage of the database takes a few lines, however many requests and jobs fail: a warning for the first
 * failure, and one with the number of failures at the end. Each failure is still written at level debug. A statement that
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
