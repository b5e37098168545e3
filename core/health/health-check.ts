/** Every health check, in the order of the report, with its name on screens and in the terminal. */
export const CHECK_NAMES = {
  settings: "Settings",
  node: "Node",
  disk: "Disk space",
  memory: "Memory",
  files: "Open files",
  folders: "Folder permissions",
  database: "Database",
  postgres: "PostgreSQL",
  latency: "Database speed",
  "database-clock": "Clock and database",
  schema: "Tables",
  keys: "Keys",
  port: "Port",
  origin: "Public address",
  proxy: "Client addresses",
  tls: "TLS certificate",
  mail: "Mail server",
  gateway: "Payment gateway",
  "gateway-clock": "Clock and gateway",
  webhook: "Webhook",
  jobs: "Jobs",
  refunds: "Refunds",
  disputes: "Disputes",
  names: "Names",
  backup: "Backup",
} as const;

export type CheckId = keyof typeof CHECK_NAMES;

export type CheckState = "ok" | "warning" | "failed" | "skipped";

/** What a check has found. The texts are sentences for the owner, and have no secrets. */
export interface Verdict {
  state: CheckState;
  detail: string;
  /** What the owner can do; absent when there is nothing to do. */
  remedy?: string;
  /** The command, or the lines of the settings, that the remedy is about. */
  command?: string;
}

/** One line of the report. */
export interface HealthLine extends Verdict {
  id: CheckId;
  name: string;
}

/** The result of all checks. */
export interface HealthReport {
  checkedAt: Date;
  lines: HealthLine[];
}

/** One thing that is checked. */
export interface HealthCheck {
  id: CheckId;
  /** It is skipped unless each of these is fine or a warning. */
  needs?: readonly CheckId[];
  /** It waits for these checks, and is skipped when any of them has failed: it would only fail for the same reason. */
  after?: readonly CheckId[];
  /** Its time limit, in milliseconds, when it differs from the limit of most checks. */
  limitMs?: number;
  /** @param signal aborted at the time limit */
  run(signal: AbortSignal): Promise<Verdict> | Verdict;
}

/** The time limit of most checks. */
const LIMIT_MS = 8_000;

export const ok = (detail: string): Verdict => ({ state: "ok", detail });
export const skipped = (detail: string): Verdict => ({ state: "skipped", detail });
export const warning = (detail: string, remedy: string, command?: string): Verdict =>
  problem("warning", detail, remedy, command);
export const failed = (detail: string, remedy: string, command?: string): Verdict =>
  problem("failed", detail, remedy, command);

/** A path in a command of a remedy. It has quotes unless the shell reads it as it is. */
export const quoted = (path: string): string =>
  /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;

function problem(state: CheckState, detail: string, remedy: string, command: string | undefined): Verdict {
  return { state, detail, remedy, ...(command !== undefined && { command }) };
}

/**
 * Runs all checks, at the same time where they do not need each other. None ends the run: a check that throws or takes too
 * long has failed.
 *
 * @param checks each comes after the checks that it needs or waits for
 * @param options.limitMs the time limit of a check that has none of its own
 */
export async function runChecks(
  checks: readonly HealthCheck[],
  { now, limitMs = LIMIT_MS }: { now: () => Date; limitMs?: number },
): Promise<HealthReport> {
  const started = new Map<CheckId, Promise<HealthLine>>();
  for (const check of checks) {
    const linesOf = (ids: readonly CheckId[] = []) => Promise.all(ids.flatMap((id) => started.get(id) ?? []));
    const run = async (): Promise<HealthLine> => {
      const [needed, before] = await Promise.all([linesOf(check.needs), linesOf(check.after)]);
      const blocking =
        needed.find(({ state }) => state === "failed" || state === "skipped") ??
        before.find(({ state }) => state === "failed");
      const verdict =
        blocking === undefined
          ? await runWithin(check, check.limitMs ?? limitMs)
          : skipped(`Not checked, because it depends on “${blocking.name}”.`);
      return { id: check.id, name: CHECK_NAMES[check.id], ...verdict };
    };
    started.set(check.id, run());
  }
  const lines = await Promise.all(started.values());
  return { checkedAt: now(), lines };
}

async function runWithin(check: HealthCheck, limitMs: number): Promise<Verdict> {
  const signal = AbortSignal.timeout(limitMs);
  const timedOut = new Promise<Verdict>((resolve) => {
    signal.addEventListener("abort", () => resolve(tooSlow(limitMs)), { once: true });
  });
  const running = (async () => check.run(signal))().catch(
    (error: unknown): Verdict =>
      signal.aborted
        ? tooSlow(limitMs)
        : failed(
            `It could not be checked: ${reasonOf(error)}.`,
            "Look at the log of the shop, then check again.",
          ),
  );
  return Promise.race([running, timedOut]);
}

const tooSlow = (limitMs: number): Verdict =>
  failed(
    `There was no answer within ${Math.round(limitMs / 1000)} seconds.`,
    "Check again. If it stays like this, look at the log of the shop.",
  );

/** The first line of an error's message. For a query it is the message of the cause, because the query's own has its values. */
function reasonOf(error: unknown): string {
  if (error instanceof Error && "query" in error) return reasonOf(error.cause ?? "a query failed");
  const message = error instanceof Error ? error.message : String(error);
  return (message.split("\n")[0] ?? "").replace(/\.$/, "");
}

/** Failures first, then warnings, skipped checks, and what is fine; within each in the order of the checks. */
export function sortBySeverity(lines: readonly HealthLine[]): HealthLine[] {
  const rank: Readonly<Record<CheckState, number>> = { failed: 0, warning: 1, skipped: 2, ok: 3 };
  return lines.toSorted((one, other) => rank[one.state] - rank[other.state]);
}

/** The port that makes the reports of the admin's page. */
export interface Health {
  /**
   * The latest report of this process. Starts the checks when the last run is old or `again` is true, and does not wait for
   * their end. The checks run once at a time, with a pause in between, however often this is called.
   */
  latest(options: { again: boolean }): LatestHealth;
}

export interface LatestHealth {
  /** null: there is none yet. */
  report: HealthReport | null;
  /** Whether the checks run now. */
  isRunning: boolean;
  /** Whether the last run that has ended made no report, because of a fault of the shop itself. */
  hasFailed: boolean;
}
