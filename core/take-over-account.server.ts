import { and, eq, inArray, isNull, sql } from "drizzle-orm";
import type { Executor, Transaction } from "#db/database.ts";
import { authAccounts, users } from "#db/tables/accounts.ts";
import { devices, deviceTickets } from "#db/tables/devices.ts";
import { auditEvents } from "#db/tables/operations.ts";
import { changed } from "#db/transaction.ts";
import { recordAudit } from "./audit/record-audit.server.ts";
import type { Context } from "./context.ts";

const hasEvent = (...actions: string[]) => sql`exists (select from ${auditEvents}
  where ${auditEvents.subjectType} = 'user' and ${auditEvents.subjectId} = ${users}.id::text
    and ${inArray(auditEvents.action, actions)})`;

/** The account of the table `users` was not created by the import. */
export const HAS_SIGNED_UP = hasEvent("account.signed-up");

/**
 * The accounts whose address may belong to somebody else: a person has signed up with it here, and nobody has confirmed
 * it since by Google or by a reset link, which only its owner gets. An account that the import has created has not signed up.
 */
export async function selectUnconfirmedAccounts(
  executor: Executor,
  userIds: readonly string[],
): Promise<Set<string>> {
  // The query builder leaves the table out of the columns of a condition, so it is named here.
  const canSignIn = sql`exists (select from ${authAccounts} where ${authAccounts.userId} = ${users}.id)`;
  const rows = await executor
    .select({ id: users.id })
    .from(users)
    .where(
      and(
        sql`${users.id} = any(${sql.param(userIds)}::uuid[])`,
        eq(users.role, "user"),
        eq(users.emailVerified, false),
        isNull(users.deletedAt),
        canSignIn,
        HAS_SIGNED_UP,
        sql`not ${hasEvent("account.password-reset", "account.taken-over")}`,
      ),
    );
  return new Set(rows.map(({ id }) => id));
}

/**
 * Gives an account that nobody has confirmed to the owner of its address, in the caller's transaction, which has locked the
 * account: its password is removed, and its sessions, reset links and devices end.
 */
export async function takeOverAccount(ctx: Context, tx: Transaction, userId: string): Promise<void> {
  await ctx.ports.authenticator.removePassword(tx, { userId });
  await endDevices(ctx, tx, userId);
  await recordAudit(ctx, tx, { action: "account.taken-over", subjectType: "user", subjectId: userId });
}

/**
 * Takes over each of the accounts that nobody has confirmed, before they get what belongs to the owner of their address. Locks
 * all of them.
 *
 * @returns the accounts that were taken over
 */
export async function takeOverUnconfirmed(
  ctx: Context,
  tx: Transaction,
  userIds: readonly string[],
): Promise<Set<string>> {
  await tx
    .select({ id: users.id })
    .from(users)
    .where(sql`${users.id} = any(${sql.param(userIds)}::uuid[])`)
    .orderBy(users.id)
    .for("update");
  const unconfirmed = await selectUnconfirmedAccounts(tx, userIds);
  for (const userId of unconfirmed) await takeOverAccount(ctx, tx, userId);
  return unconfirmed;
}

/**
 * Releases every device of an account: after its password was replaced or removed, because somebody who knew it may
 * have connected one; after a deactivation, because the tokens must not work again. It does not count as a release by
 * the buyer.
 */
export async function endDevices(
  ctx: Context,
  tx: Transaction,
  userId: string,
  releasedBy: "password-reset" | "deactivation" = "password-reset",
): Promise<void> {
  await tx.delete(deviceTickets).where(eq(deviceTickets.userId, userId));
  await tx
    .update(devices)
    .set({ releasedAt: ctx.clock.now(), releasedBy })
    .where(and(eq(devices.userId, userId), isNull(devices.releasedAt)));
  changed(tx, devices);
}
