import { and, eq, sql } from "drizzle-orm";
import type { z } from "zod";
import type { Executor, Transaction } from "#db/database.ts";
import { settings } from "#db/tables/operations.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import type { AuthorisedContext } from "../authorise.ts";
import type { Commands } from "../ports.ts";
import { SECOND } from "../time.ts";

/** How often the process that waits for the end of a command records that it still runs: the heartbeat. */
const HEARTBEAT_MS = 4 * SECOND;
/** After this time without a heartbeat, the waiting process counts as gone, and the command with it. */
const LOST_AFTER_SECONDS = 20;
/** The last lines that a failed command printed, for the log. */
const LOGGED_LINES = 10;

/** What every setting has that describes the latest run of a command. `outcome` is null until the run has ended. */
interface StoredRun {
  runId: string | null;
  outcome: unknown;
}

/** A setting that describes the latest run of a command, and its form. */
export interface RunSetting<Stored extends StoredRun> {
  key: string;
  schema: z.ZodType<Stored>;
}

/** The latest run of a command, and whether it still runs. */
export interface LatestRun<Stored extends StoredRun> {
  stored: Stored;
  isRunning: boolean;
}

/** A run of a command: the setting that describes it, and its id. */
export interface CommandRun {
  key: string;
  runId: string;
}

/**
 * What is stored about the latest run. It counts as running while its heartbeat is recent. The clock of the database
 * decides: the processes of the shop may be on several machines.
 *
 * @returns null: nothing is stored that can be read
 */
export async function selectLatestRun<Stored extends StoredRun>(
  executor: Executor,
  { key, schema }: RunSetting<Stored>,
  { isLocked = false } = {},
): Promise<LatestRun<Stored> | null> {
  const isAlive = sql<boolean>`${settings.updatedAt} > now() - make_interval(secs => ${LOST_AFTER_SECONDS})`;
  const query = executor
    .select({ value: settings.value, isAlive })
    .from(settings)
    .where(eq(settings.key, key));
  const [row] = await (isLocked ? query.for("update") : query);
  const stored = schema.safeParse(row?.value).data;
  if (row === undefined || stored === undefined) return null;
  return { stored, isRunning: stored.runId !== null && stored.outcome === null && row.isAlive };
}

/**
 * Decides about a run while the setting is locked, so that only one of several processes decides at a time.
 *
 * @param decide gets the latest run. `next` is stored in its place, unless it is null. It may refuse by throwing
 * @returns the result of `decide`
 */
export async function claimRun<Stored extends StoredRun, Result>(
  ctx: AuthorisedContext,
  setting: RunSetting<Stored>,
  decide: (
    tx: Transaction,
    latest: LatestRun<Stored> | null,
  ) => Promise<{ next: Stored | null; result: Result }>,
): Promise<Result> {
  const { key } = setting;
  return inTransaction(ctx.db, async (tx) => {
    await tx.insert(settings).values({ key, value: {} }).onConflictDoNothing();
    const { next, result } = await decide(tx, await selectLatestRun(tx, setting, { isLocked: true }));
    if (next !== null)
      await tx.update(settings).set({ value: next, updatedAt: sql`now()` }).where(eq(settings.key, key));
    changed(tx, settings);
    return result;
  });
}

const isRun = ({ key, runId }: CommandRun) =>
  and(eq(settings.key, key), sql`${settings.value} ->> 'runId' = ${runId}`);

/**
 * Writes members of the setting, which is also a heartbeat. Changes nothing when a later run has begun.
 *
 * @param options.unlessEnded changes nothing either when the member `outcome` is set
 */
export async function updateCommandRun(
  ctx: AuthorisedContext,
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
  ctx: AuthorisedContext,
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

/**
 * Runs a command, which records its end itself, and records the end of a command that could not. Logs the last lines of a command
 * that fails. Does not throw: nobody waits for it.
 *
 * @param options.unrecordedEnd the members of the setting that describe such an end
 * @param options.onEnd called after any end
 */
export async function runCommand(
  ctx: AuthorisedContext,
  run: CommandRun,
  options: {
    name: Parameters<Commands["run"]>[0];
    args: readonly string[];
    unrecordedEnd: (isKilled: boolean) => object;
    onEnd: () => Promise<void> | void;
  },
): Promise<void> {
  const { name, args } = options;
  const lines: string[] = [];
  try {
    const code = await keepAlive(ctx, run, () =>
      ctx.ports.commands.run(name, args, (line) => {
        lines.push(line);
        if (lines.length > LOGGED_LINES) lines.shift();
      }),
    );
    if (code !== 0) ctx.log.warn({ command: name, code, lines }, "a command did not finish");
    const isKilled = code >= 128;
    await updateCommandRun(ctx, run, options.unrecordedEnd(isKilled), { unlessEnded: true });
    await options.onEnd();
  } catch (error) {
    ctx.log.error({ err: error, command: name }, "a command could not be run to its end");
  }
}
