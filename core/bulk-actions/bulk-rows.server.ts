import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { Executor, Transaction } from "#db/database.ts";
import { lockEdits } from "#db/edit-lock.ts";
import { users } from "#db/tables/accounts.ts";
import { couponCodes } from "#db/tables/catalog.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { accessCodes } from "#db/tables/vault.ts";
import { selectCodeIds } from "../access-codes/list-access-codes.server.ts";
import {
  changeCodeActive,
  lockCodeForEdit,
  removeAccessCode,
} from "../access-codes/manage-access-codes.server.ts";
import { eraseUser, lockUser } from "../accounts/delete-account.server.ts";
import { changeUserActive, selectUserIds } from "../accounts/manage-users.server.ts";
import type { AuthorisedContext } from "../authorise.ts";
import { changeCouponActive, endCoupon, selectCouponIds } from "../coupons/manage-coupons.server.ts";
import type { ListInput } from "../lists/paging.ts";
import { IN_LOCK_ORDER, IS_NOT_DELETED } from "../pass-validity.server.ts";
import { lockPurchase } from "../passes/apply-purchase-event.server.ts";
import { extendPass, setPassExpiry } from "../passes/change-pass-times.server.ts";
import { selectPurchaseIds } from "../passes/list-purchases.server.ts";
import { endAndSettle } from "../payments/cancel-purchase.server.ts";
import { BULK_ACTIONS, type BulkActionName, type BulkKind } from "./bulk-actions.ts";

interface RowsOfKind {
  /** The type of the subject in audit events. */
  subjectType: string;
  table: SQL;
  /** Which rows exist. */
  exists: SQL;
  /** What a row is: when it differs from what was counted, the row has changed since. */
  state: SQL;
  /** The order in which they are done, before the id. */
  order: SQL;
  /** Takes the locks of the row's operations in their order, so that its state stays until the end of the transaction. */
  lock(tx: Transaction, id: string): Promise<unknown>;
  /** The ids of all rows of the list with an address. */
  selectIds(ctx: AuthorisedContext, list: ListInput, most: number): Promise<string[]>;
}

/** A time as a number: as a text it would depend on the time zone of the database's session. */
const seconds = (column: string) => sql`extract(epoch from ${sql.raw(column)})`;

export const BULK_ROWS: Readonly<Record<BulkKind, RowsOfKind>> = {
  users: {
    subjectType: "user",
    table: sql`${users}`,
    exists: sql`deleted_at is null`,
    // What a deletion ends: a pass or a checkout that is newer than the count was not in its question.
    state: sql`jsonb_build_array(role, is_active, (
      select jsonb_agg(jsonb_build_array(open.id, open.status) order by open.id) from ${userPurchases} open
      where open.user_id = ${users.id} and open.ended_at is null))::text`,
    order: sql`id`,
    async lock(tx, id) {
      await lockUser(tx, id);
      await tx
        .select({ id: userPurchases.id })
        .from(userPurchases)
        .where(and(eq(userPurchases.userId, id), isNull(userPurchases.endedAt)))
        .orderBy(...IN_LOCK_ORDER)
        .for("update");
    },
    selectIds: selectUserIds,
  },
  purchases: {
    subjectType: "purchase",
    table: sql`${userPurchases}`,
    exists: IS_NOT_DELETED,
    state: sql`jsonb_build_array(status, ${seconds("ended_at")}, ${seconds("starts_at")}, ${seconds("expires_at")})::text`,
    // A pass moves the renewal that waits for it, which would then be no longer what was counted. So the renewal goes first;
    // not where the same date is set for both, because the pass would move it from that date again.
    order: sql`starts_at desc nulls last`,
    lock: lockPurchase,
    selectIds: selectPurchaseIds,
  },
  "access-codes": {
    subjectType: "access-code",
    table: sql`${accessCodes}`,
    exists: sql`true`,
    // A pass that takes a code does not change its version. The tool is read from it after the code is deleted.
    state: sql`jsonb_build_array(version, pass_id, tool_id)::text`,
    order: sql`id`,
    lock: lockCodeForEdit,
    selectIds: selectCodeIds,
  },
  coupons: {
    subjectType: "coupon",
    table: sql`${couponCodes}`,
    exists: sql`deleted_at is null`,
    state: sql`version::text`,
    order: sql`id`,
    lock: lockEdits,
    selectIds: selectCouponIds,
  },
};

const stateRow = z.object({ state: z.string() });

/** What a row is now; null: it does not exist any more. */
export async function selectState(executor: Executor, kind: BulkKind, id: string): Promise<string | null> {
  const { table, exists, state } = BULK_ROWS[kind];
  const { rows } = await executor.execute(
    sql`select ${state} as state from ${table} where id = ${id} and ${exists}`,
  );
  return rows[0] === undefined ? null : stateRow.parse(rows[0]).state;
}

/** Does it to one row, in the transaction of the caller, by the operation of a single row. @returns whether something changed */
type DoToRow = (ctx: AuthorisedContext, tx: Transaction, id: string, input: unknown) => Promise<boolean>;

const {
  "extend-purchases": extend,
  "set-purchase-expiry": expiry,
  "cancel-purchases": cancel,
} = BULK_ACTIONS;

export const DO_TO_ROW: Readonly<Record<BulkActionName, DoToRow>> = {
  "activate-users": (ctx, tx, userId) => changeUserActive(ctx, tx, { userId, isActive: true }),
  "deactivate-users": (ctx, tx, userId) => changeUserActive(ctx, tx, { userId, isActive: false }),
  "delete-users": eraseUser,
  "extend-purchases": async (ctx, tx, purchaseId, input) => {
    await extendPass(ctx, tx, { purchaseId, ...extend.input.parse(input) });
    return true;
  },
  "set-purchase-expiry": async (ctx, tx, purchaseId, input) => {
    await setPassExpiry(ctx, tx, { purchaseId, ...expiry.input.parse(input) });
    return true;
  },
  "cancel-purchases": async (ctx, tx, purchaseId, input) => {
    const { reason } = cancel.input.parse(input);
    const { alreadyEnded } = await endAndSettle(ctx, tx, { purchaseId, reason, refund: false });
    return alreadyEnded === null;
  },
  "activate-access-codes": (ctx, tx, id) => changeCodeActive(ctx, tx, { id, isActive: true }),
  "deactivate-access-codes": (ctx, tx, id) => changeCodeActive(ctx, tx, { id, isActive: false }),
  "delete-access-codes": async (ctx, tx, id) => {
    await removeAccessCode(ctx, tx, id);
    return true;
  },
  "activate-coupons": (ctx, tx, id) => changeCouponActive(ctx, tx, { id, isActive: true }),
  "deactivate-coupons": (ctx, tx, id) => changeCouponActive(ctx, tx, { id, isActive: false }),
  "delete-coupons": async (ctx, tx, id) => {
    await endCoupon(ctx, tx, id);
    return true;
  },
};
