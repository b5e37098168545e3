import { and, eq, sql } from "drizzle-orm";
import type { Executor } from "#db/database.ts";
import { settings } from "#db/tables/operations.ts";
import { changed } from "#db/transaction.ts";
import type { Context } from "./context.ts";
import type { Commands } from "./ports.ts";
import { SECOND } from "./time.ts";

/** How often the process that waits for the end of a command records that it still runs: the heartbeat. */
const HEARTBEAT_MS = 4 * SECOND;
/** After this time without a heartbeat, the waiting process counts as gone, and the command with it. */
const LOST_AFTER_SECONDS = 20;
/** The last lines that a failed command printed, for the log. */
const LOGGED_LINES = 10;

/** A run of a command: the setting that describes the latest one, and the id that is its member `runId`. */
export interface CommandRun {
  key: string;
  runId: string;
}

/**
 * The setting that describes the latest run, and whether its last heartbeat is recent. The clock of the database
 * decides: the processes of the shop may be on several machines.
 */
export async function selectCommandRun(
  executor: Executor,
  key: string,
  { isLocked = false } = {},
): Promise<{ value: unknown; isAlive: boolean } | null> {
  const isAlive = sql<boolean>`${settings.updatedAt} > now() - make_interval(secs => ${LOST_AFTER_SECONDS})`;
  const query = executor
    .select({ value: settings.value, isAlive })
    .from(settings)
    .where(eq(settings.key, key));
  const [row] = await (isLocked ? query.for("update") : query);
  return row ?? null;
}

const isRun = ({ key, runId }: CommandRun) =>
  and(eq(settings.key, key), sql`${settings.value} ->> 'runId' = ${runId}`);

/**
 * Writes members of the setting, which is also a heartbeat. Changes nothing when a later run has begun.
 *
 * @param options.unlessEnded changes nothing either when the member `outcome` is set
 */
export async function updateCommandRun(
  ctx: Context,
  run: CommandRun,
  members: object,
  { unlessEnded = false } = {},
): Promise<void> {
  await ctx.db
    .update(settings)
    .set({ value: sql`${settings.value} || ${JSON.stringify(members)}::jsonb`, updatedAt: sql`now()` })
    .where(and(isRun(run), unlessEnded ? sql`${settings.value} -> 'outcome' = 'null'::jsonb` : undefined));
  changed(ctx.db, settings);
}

/** Writes heartbeats until `work` has ended. */
export async function keepAlive<Result>(
  ctx: Context,
  run: CommandRun,
  work: () => Promise<Result>,
): Promise<Result> {
  const heartbeat = setInterval(() => {
    // When the database is not available, a later heartbeat counts.
    void updateCommandRun(ctx, run, {}, { unlessEnded: true }).catch(() => undefined);
  }, HEARTBEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
  }
}

/** Runs a command, which records what it has done itself, and logs the last lines of one that fails. @returns its exit code */
export async function runCommand(
  ctx: Context,
  run: CommandRun,
  name: Parameters<Commands["run"]>[0],
  args: readonly string[],
): Promise<number> {
  const lines: string[] = [];
  const code = await keepAlive(ctx, run, () =>
    ctx.ports.commands.run(name, args, (line) => {
      lines.push(line);
      if (lines.length > LOGGED_LINES) lines.shift();
    }),
  );
  if (code !== 0) ctx.log.warn({ command: name, code, lines }, "a command did not finish");
  return code;
}
