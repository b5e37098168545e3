import { and, asc, count, eq, isNotNull, isNull, sql } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import type { z } from "zod";
import { users } from "#db/tables/accounts.ts";
import { bulkActionRows, bulkActions } from "#db/tables/operations.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { countEnding } from "../accounts/delete-account.server.ts";
import { findSubjectNames } from "../audit/list-audit-events.server.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { type AuthorisedContext, requireAdmin } from "../authorise.ts";
import { countCodeUnits } from "../catalog/stock.server.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { PAGE_SIZE } from "../lists/paging.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { HOUR } from "../time.ts";
import {
  BULK_ACTIONS,
  type BulkActionName,
  type BulkKind,
  bulkActionIdSchema,
  countBulkActionSchema,
  MAX_BULK_ROWS,
  startBulkActionSchema,
} from "./bulk-actions.ts";
import { BULK_ROWS } from "./bulk-rows.server.ts";
import { isWaiting, runBulkAction } from "./run-bulk-actions.server.ts";

/** The admin confirms what they have just seen: an hour after the count it is no longer that. */
const isTooOld = (ctx: Context, { createdAt }: { createdAt: Date }) =>
  ctx.clock.now().getTime() - createdAt.getTime() > HOUR;

/** More rows than a page has are done by the job. */
const ROWS_IN_REQUEST = PAGE_SIZE;

/**
 * Counts the rows of a bulk action and stores them as they are, for `startBulkAction`: those that were ticked, or all of a list. It
 * replaces what this admin has counted and not started. Nothing else changes.
 *
 * @throws DomainError unauthenticated, forbidden, invalid-input, rows-gone (none, or one of those ticked), too-many-rows
 */
export async function countBulkAction(
  ctx: Context,
  input: z.input<typeof countBulkActionSchema> | UntrustedInput,
): Promise<{ id: string }> {
  requireAdmin(ctx, "low-risk");
  const { actor } = ctx;
  const { action, ids: ticked, list } = parseInput(countBulkActionSchema, input);
  const { table, exists, state, order, selectIds } = BULK_ROWS[BULK_ACTIONS[action].kind];
  const address = Object.fromEntries(new URLSearchParams(list));
  const ids = ticked ?? (await selectIds(ctx, address, MAX_BULK_ROWS + 1));
  if (ids.length > MAX_BULK_ROWS) throw new DomainError("too-many-rows", { most: MAX_BULK_ROWS });
  const id = uuidv7();
  await inTransaction(ctx.db, async (tx) => {
    const rowCount = ids.length;
    const { actorId, startedAt, finishedAt } = bulkActions;
    await tx.delete(bulkActions).where(and(eq(actorId, actor.userId), isNull(startedAt), isNull(finishedAt)));
    await tx
      .insert(bulkActions)
      .values({ id, actorId: actor.userId, action, rowCount, createdAt: ctx.clock.now() });
    const { rowCount: found } = await tx.execute(sql`
      insert into ${bulkActionRows} (bulk_action_id, position, row_id, state)
      select ${id}, row_number() over (order by ${order}, id), id, ${state} from ${table}
      where id = any(${sql.param(ids)}::uuid[]) and ${exists}`);
    if (!found || found !== rowCount) throw new DomainError("rows-gone");
    changed(tx, bulkActions);
  });
  return { id };
}

/**
 * Starts a bulk action that this admin has counted: each of its rows is changed by the operation of a single row, in a transaction
 * of its own. A page of rows is done when this returns, more rows by the job. Audited as one event, and each row by its own event,
 * which names the bulk action. Started once: a repeated call changes nothing.
 *
 * @throws DomainError unauthenticated, forbidden, password-needed, not-found (also counted by somebody else or for rows of another list),
 *   invalid-input; not-found also an hour after it was counted
 */
export async function startBulkAction(ctx: Context, input: UntrustedInput): Promise<{ id: string }> {
  // The effects of all bulk actions need the password, so it is asked for before the input is read.
  requireAdmin(ctx, "changes-access");
  const { actor } = ctx;
  const { id, action } = parseInput(startBulkActionSchema, input);
  const { kind, effect, input: schema } = BULK_ACTIONS[action];
  requireAdmin(ctx, effect);
  const fields = parseInput(schema, input);
  const rowCount = await inTransaction(ctx.db, async (tx) => {
    const [counted] = await tx
      .select()
      .from(bulkActions)
      .where(and(eq(bulkActions.id, id), eq(bulkActions.actorId, actor.userId)))
      .for("update");
    if (counted === undefined || kindOf(counted) !== kind) throw new DomainError("not-found");
    if (counted.startedAt !== null) return counted.rowCount;
    if (isTooOld(ctx, counted)) throw new DomainError("not-found");
    await tx
      .update(bulkActions)
      .set({ action, input: fields, startedAt: ctx.clock.now() })
      .where(eq(bulkActions.id, id));
    changed(tx, bulkActions);
    await recordAudit(ctx, tx, {
      action: "bulk-action.started",
      subjectType: "bulk-action",
      subjectId: id,
      details: { bulkAction: action, rows: counted.rowCount, ...fields },
    });
    return counted.rowCount;
  });
  if (rowCount > ROWS_IN_REQUEST) ctx.ports.jobs.triggerSoon("run-bulk-actions");
  else
    await runBulkAction(ctx, id, ROWS_IN_REQUEST + 1).catch((error: unknown) => {
      // It is started, so the job goes on with it.
      ctx.log.error({ err: error, bulkActionId: id }, "a bulk action stopped; the job continues");
      ctx.ports.jobs.triggerSoon("run-bulk-actions");
    });
  return { id };
}

/**
 * Stops a bulk action: the rows that are not done yet stay as they are. Any admin may, at once and without the password. One that has
 * finished stays as it is.
 *
 * @throws DomainError unauthenticated, forbidden, invalid-input, not-found (also not started)
 */
export async function stopBulkAction(
  ctx: Context,
  input: z.input<typeof bulkActionIdSchema> | UntrustedInput,
): Promise<void> {
  requireAdmin(ctx, "low-risk");
  const { id } = parseInput(bulkActionIdSchema, input);
  await inTransaction(ctx.db, async (tx) => {
    const isStarted = and(eq(bulkActions.id, id), isNotNull(bulkActions.startedAt));
    const [started] = await tx.select().from(bulkActions).where(isStarted).for("update");
    if (started === undefined) throw new DomainError("not-found");
    if (started.finishedAt !== null) return;
    const { rowCount: rows } = await tx
      .update(bulkActionRows)
      .set({ isDone: false, reason: "stopped" })
      .where(isWaiting(id));
    await tx.update(bulkActions).set({ finishedAt: ctx.clock.now() }).where(eq(bulkActions.id, id));
    changed(tx, bulkActions, bulkActionRows);
    await recordAudit(ctx, tx, {
      action: "bulk-action.stopped",
      subjectType: "bulk-action",
      subjectId: id,
      details: { bulkAction: started.action, rows },
    });
  });
}

/** Admins are not deleted. */
function countEndingWith(ctx: AuthorisedContext, id: string) {
  const counted = ctx.db
    .select({ id: users.id })
    .from(bulkActionRows)
    .innerJoin(users, eq(users.id, bulkActionRows.rowId))
    .where(and(eq(bulkActionRows.bulkActionId, id), eq(users.role, "user")));
  return countEnding(ctx, counted);
}

/** Bulk actions that take codes from the passes that have them. */
const takesCodes = (action: string) =>
  action === "deactivate-access-codes" || action === "delete-access-codes";

const countCodesTaken = (ctx: AuthorisedContext, id: string) =>
  ctx.db.$count(
    bulkActionRows,
    and(eq(bulkActionRows.bulkActionId, id), sql`${bulkActionRows.state}::jsonb ->> 1 is not null`),
  );

/** How many buyers of the tools whose codes these were have no code coming now. */
async function countWaiting(ctx: AuthorisedContext, id: string): Promise<number> {
  const toolId = sql<string>`${bulkActionRows.state}::jsonb ->> 2`;
  const tools = await ctx.db
    .selectDistinct({ toolId })
    .from(bulkActionRows)
    .where(eq(bulkActionRows.bulkActionId, id));
  let waiting = 0;
  for (const tool of tools) waiting += Math.max(0, -((await countCodeUnits(ctx, ctx.db, tool)) ?? 0));
  return waiting;
}

const kindOf = ({ action }: { action: string }): BulkKind => BULK_ACTIONS[action as BulkActionName].kind;

/** More are counted and not named. */
const NAMED_ROWS = 100;

export interface BulkActionView {
  id: string;
  action: BulkActionName;
  rows: number;
  /** Whether the rows are only counted yet, and the admin still has to confirm. */
  isCounted: boolean;
  isFinished: boolean;
  done: number;
  notDone: number;
  /** How many passes and open checkouts end with the users that are counted. */
  passesEnding: number;
  checkoutsEnding: number;
  /** How many of the codes that are counted belong to passes. */
  codesTaken: number;
  /** How many buyers wait for a code, once it is finished. */
  buyersWaiting: number;
  /** Of a bulk action that is only counted, the first rows; otherwise the first rows that were not done. */
  named: Array<{ id: string; name: string | null; reason: string | null }>;
}

/**
 * A bulk action and what became of its rows. One that is only counted is seen by who has counted it.
 *
 * @throws DomainError unauthenticated, forbidden, invalid-input, not-found
 */
export async function describeBulkAction(
  ctx: Context,
  input: z.input<typeof bulkActionIdSchema> | UntrustedInput,
): Promise<BulkActionView> {
  requireAdmin(ctx, "reads");
  const { actor } = ctx;
  const { id } = parseInput(bulkActionIdSchema, input);
  const [found] = await ctx.db.select().from(bulkActions).where(eq(bulkActions.id, id));
  if (found === undefined) throw new DomainError("not-found");
  const isCounted = found.startedAt === null;
  if (isCounted && (found.actorId !== actor.userId || isTooOld(ctx, found)))
    throw new DomainError("not-found");
  const isOfIt = eq(bulkActionRows.bulkActionId, id);
  const counts = await ctx.db
    .select({ isDone: bulkActionRows.isDone, rows: count() })
    .from(bulkActionRows)
    .where(isOfIt)
    .groupBy(bulkActionRows.isDone);
  const rows = await ctx.db
    .select({ rowId: bulkActionRows.rowId, reason: bulkActionRows.reason })
    .from(bulkActionRows)
    .where(isCounted ? isOfIt : and(isOfIt, eq(bulkActionRows.isDone, false)))
    .orderBy(asc(bulkActionRows.position))
    .limit(NAMED_ROWS);
  const { subjectType } = BULK_ROWS[kindOf(found)];
  const names = await findSubjectNames(
    ctx.db,
    rows.map(({ rowId }) => ({ subjectType, subjectId: rowId })),
  );
  const countOf = (isDone: boolean) => counts.find((counted) => counted.isDone === isDone)?.rows ?? 0;
  const ending = isCounted && found.action === "delete-users" ? await countEndingWith(ctx, id) : null;
  return {
    id,
    action: found.action as BulkActionName,
    rows: found.rowCount,
    isCounted,
    isFinished: found.finishedAt !== null,
    done: countOf(true),
    notDone: countOf(false),
    passesEnding: ending?.passes ?? 0,
    checkoutsEnding: ending?.checkouts ?? 0,
    codesTaken: isCounted && takesCodes(found.action) ? await countCodesTaken(ctx, id) : 0,
    buyersWaiting: found.finishedAt !== null && takesCodes(found.action) ? await countWaiting(ctx, id) : 0,
    named: rows.map(({ rowId, reason }) => ({ id: rowId, name: names.get(rowId) ?? null, reason })),
  };
}
