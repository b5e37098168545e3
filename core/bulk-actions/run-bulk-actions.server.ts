import { and, asc, desc, eq, isNotNull, isNull } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { bulkActionRows, bulkActions } from "#db/tables/operations.ts";
import { changed, inSavepoint, inTransaction } from "#db/transaction.ts";
import { mustChangePassword } from "../accounts/sessions.server.ts";
import { type AuthorisedContext, actForBulkAction, requireSystem } from "../authorise.ts";
import { isUnconfirmedRestore } from "../backups/restored-shop.server.ts";
import type { Context } from "../context.ts";
import { type ErrorCode, isDatabaseUnavailable, isDomainError } from "../errors.ts";
import { BULK_ACTIONS, type BulkActionName, type OWN_REASONS } from "./bulk-actions.ts";
import { BULK_ROWS, DO_TO_ROW, selectState } from "./bulk-rows.server.ts";

/** Few enough that a process that stops does not wait long for the run. */
const ROWS_PER_RUN = 200;

/** The job that goes on with the bulk actions that were started, the oldest first. @throws DomainError forbidden */
export async function runBulkActions(ctx: Context): Promise<void> {
  requireSystem(ctx);
  if (await isUnconfirmedRestore(ctx.db)) return;
  const started = await ctx.db
    .select({ id: bulkActions.id })
    .from(bulkActions)
    .where(and(isNotNull(bulkActions.startedAt), isNull(bulkActions.finishedAt)))
    .orderBy(asc(bulkActions.createdAt));
  let left = ROWS_PER_RUN;
  for (const { id } of started) left = await runBulkAction(ctx, id, left);
  if (left === 0) ctx.ports.jobs.triggerSoon("run-bulk-actions");
}

/** Does a bulk action to its next rows, `most` at most. @returns how many more it might have done */
export async function runBulkAction(ctx: AuthorisedContext, id: string, most: number): Promise<number> {
  let left = most;
  while (left > 0 && (await runNextRow(ctx, id))) left--;
  return left;
}

type Reason = ErrorCode | keyof typeof OWN_REASONS;
type Row = typeof bulkActionRows.$inferSelect;

/**
 * Does a bulk action to its next row and stores the result, in one transaction: a process that is killed has done both or neither.
 * Of several processes, each waits for the row of the other. A refusal is a result too.
 *
 * @returns false: no row was left, and the bulk action is finished
 */
async function runNextRow(ctx: AuthorisedContext, id: string): Promise<boolean> {
  let row: Row | undefined;
  try {
    return await inTransaction(ctx.db, async (tx) => {
      const bulkAction = await lockRunning(tx, id);
      if (bulkAction === undefined) return false;
      [row] = await tx
        .select()
        .from(bulkActionRows)
        .where(isWaiting(id))
        .orderBy(orderOf(bulkAction.action)(bulkActionRows.position))
        .limit(1);
      if (row === undefined) {
        await tx.update(bulkActions).set({ finishedAt: ctx.clock.now() }).where(eq(bulkActions.id, id));
        changed(tx, bulkActions);
        return false;
      }
      const admin = await findAdmin(ctx, tx, bulkAction.actorId);
      if (admin === undefined) await storeResult(tx, isWaiting(id), "no-admin");
      else {
        const reason = await doToRow(actForBulkAction(ctx, id, admin), tx, bulkAction, row);
        await storeResult(tx, isRow(row), reason);
      }
      return true;
    });
  } catch (error) {
    if (row === undefined || isDatabaseUnavailable(error)) throw error;
    ctx.log.error({ err: error, bulkActionId: id, rowId: row.rowId }, "a row of a bulk action failed");
    const failed = and(isRow(row), isWaiting(id));
    await inTransaction(ctx.db, (tx) => storeResult(tx, failed, "failed"));
    return true;
  }
}

const orderOf = (action: string) => (action === "set-purchase-expiry" ? desc : asc);

async function lockRunning(tx: Transaction, id: string) {
  const { startedAt, finishedAt } = bulkActions;
  const isRunning = and(eq(bulkActions.id, id), isNotNull(startedAt), isNull(finishedAt));
  const [bulkAction] = await tx.select().from(bulkActions).where(isRunning).for("update");
  return bulkAction;
}

export const isWaiting = (id: string) =>
  and(eq(bulkActionRows.bulkActionId, id), isNull(bulkActionRows.isDone));

const isRow = ({ bulkActionId, position }: Row) =>
  and(eq(bulkActionRows.bulkActionId, bulkActionId), eq(bulkActionRows.position, position));

async function storeResult(
  tx: Transaction,
  where: ReturnType<typeof and>,
  reason: Reason | null,
): Promise<void> {
  await tx
    .update(bulkActionRows)
    .set({ isDone: reason === null, reason })
    .where(where);
  changed(tx, bulkActionRows);
}

/**
 * Who started it, as long as they are an admin whose password nobody has reset: what they are now counts, and not what they were
 * when it was started.
 */
async function findAdmin(ctx: AuthorisedContext, tx: Transaction, userId: string) {
  const [admin] = await tx
    .select({ userId: users.id, email: users.email, passwordIsGenerated: users.passwordIsGenerated })
    .from(users)
    .where(
      and(eq(users.id, userId), eq(users.role, "admin"), eq(users.isActive, true), isNull(users.deletedAt)),
    );
  return admin && mustChangePassword(ctx, admin) ? undefined : admin;
}

/** @returns why it was not done; null: it was */
async function doToRow(
  ctx: AuthorisedContext,
  tx: Transaction,
  bulkAction: typeof bulkActions.$inferSelect,
  row: Row,
): Promise<Reason | null> {
  const action = bulkAction.action as BulkActionName;
  const { kind } = BULK_ACTIONS[action];
  await BULK_ROWS[kind].lock(tx, row.rowId);
  const state = await selectState(tx, kind, row.rowId);
  if (state === null) return "not-found";
  if (state !== row.state) return "changed-meanwhile";
  try {
    // A refusal undoes what the operation has written, and the result of the row is stored all the same.
    const isChanged = await inSavepoint(tx, (savepoint) =>
      DO_TO_ROW[action](ctx, savepoint, row.rowId, bulkAction.input),
    );
    return isChanged ? null : "unchanged";
  } catch (error) {
    if (isDomainError(error)) return error.code;
    throw error;
  }
}
