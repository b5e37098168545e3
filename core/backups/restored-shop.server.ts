import { eq, sql } from "drizzle-orm";
import { z } from "zod";
import type { Executor } from "#db/database.ts";
import { prepareStatement } from "#db/prepared-statement.ts";
import { settings } from "#db/tables/operations.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import type { JobName } from "../ports.ts";
import { DAY, HOUR } from "../time.ts";

/** The setting that a restore writes, in its transaction. A shop that was never restored has none. */
export const RESTORED_BACKUP_KEY = "restored-backup";

const time = z.iso.datetime().transform((text) => new Date(text));

const restoredShopSchema = z.object({
  restoredAt: time,
  /** When the backup was made. */
  backupAt: time,
  /** When an admin confirmed that this is now the shop; null: not yet. */
  confirmedAt: time.nullable(),
  /** When the last complete reading of the gateway's orders since the backup began; null: none was complete. */
  ordersReadAt: time.nullable().default(null),
});

export type RestoredShop = z.output<typeof restoredShopSchema>;

/** @returns null for a shop that was never restored */
export async function readRestoredShop(executor: Executor): Promise<RestoredShop | null> {
  const [stored] = await selectSetting(executor, {});
  return stored === undefined ? null : restoredShopSchema.parse(stored.value);
}

const selectSetting = prepareStatement("read-restored-backup", (executor) =>
  executor.select({ value: settings.value }).from(settings).where(eq(settings.key, RESTORED_BACKUP_KEY)),
);

/**
 * Whether the shop was restored from a backup and no admin has confirmed since that it is now the shop. It may then be a
 * copy on another machine: it must send no mail, move no money, give nothing away and sell nothing. One look-up by primary
 * key, never kept: another process may confirm at any time.
 */
export async function isUnconfirmedRestore(executor: Executor): Promise<boolean> {
  const restored = await readRestoredShop(executor);
  return restored !== null && restored.confirmedAt === null;
}

/** @throws DomainError shop-not-confirmed */
export async function requireConfirmedShop(executor: Executor): Promise<void> {
  if (await isUnconfirmedRestore(executor)) throw new DomainError("shop-not-confirmed");
}

/** What has waited for the confirmation. */
const WAITING_JOBS: readonly JobName[] = [
  "read-restored-orders",
  "process-refunds",
  "send-mail",
  "tell-of-stock",
  "run-bulk-actions",
];

/**
 * An admin confirms that a restored shop is now the shop. Everything that has waited runs at once. Only the first
 * confirmation counts and is audited. A later confirmation, and a confirmation in a shop that was never restored, changes nothing.
 *
 * @throws DomainError unauthenticated, forbidden, password-needed
 */
export async function confirmRestoredShop(ctx: Context): Promise<void> {
  requireAdmin(ctx, "moves-money");
  const isFirst = await inTransaction(ctx.db, async (tx) => {
    const confirmedAt = ctx.clock.now().toISOString();
    const [confirmed] = await tx
      .update(settings)
      .set({ value: sql`${settings.value} || jsonb_build_object('confirmedAt', ${confirmedAt}::text)` })
      .where(sql`${settings.key} = ${RESTORED_BACKUP_KEY} and ${settings.value} ->> 'confirmedAt' is null`)
      .returning({ value: settings.value });
    changed(tx, settings);
    if (confirmed === undefined) return false;
    const { restoredAt, backupAt } = restoredShopSchema.parse(confirmed.value);
    const details = { restoredAt, backupAt };
    await recordAudit(ctx, tx, { action: "store.restore-confirmed", subjectType: "store", details });
    return true;
  });
  if (isFirst) for (const job of WAITING_JOBS) ctx.ports.jobs.triggerSoon(job);
}

/**
 * The times after the confirmation at which the orders are read: a buyer may have had the gateway's window open, and a bank
 * may answer days later.
 */
const READINGS_MS = [0, HOUR, DAY, 5 * DAY];

/**
 * Whether the gateway's orders since the backup have to be read now. They are read once before the confirmation, so that the
 * admin sees what is there, and again after it, because the old shop may have sold until then.
 */
export function mustReadOrders({ confirmedAt, ordersReadAt }: RestoredShop, now: Date): boolean {
  if (ordersReadAt === null) return true;
  if (confirmedAt === null) return false;
  const due = READINGS_MS.map((ms) => confirmedAt.getTime() + ms).filter((at) => at <= now.getTime());
  return due.some((at) => ordersReadAt.getTime() < at);
}

/** Records that all orders since the backup were read. @param beganAt when the reading began */
export async function recordOrdersRead(executor: Executor, beganAt: Date): Promise<void> {
  await executor
    .update(settings)
    .set({
      value: sql`${settings.value} || jsonb_build_object('ordersReadAt', ${beganAt.toISOString()}::text)`,
    })
    .where(eq(settings.key, RESTORED_BACKUP_KEY));
  changed(executor, settings);
}

/** What the admin has to know about a restored shop. */
export interface RestoreNotice {
  /** When the backup was made. */
  backupAt: Date;
  /** unconfirmed: the shop waits for the confirmation · reading: it still asks the gateway for orders since the backup. */
  state: "unconfirmed" | "reading";
}

/**
 * @returns null when there is nothing to do or to wait for
 * @throws DomainError unauthenticated, forbidden
 */
export async function readRestoreNotice(ctx: Context): Promise<RestoreNotice | null> {
  requireAdmin(ctx, "reads");
  const restored = await readRestoredShop(ctx.db);
  if (restored === null) return null;
  const { backupAt, confirmedAt } = restored;
  if (confirmedAt === null) return { backupAt, state: "unconfirmed" };
  const isFirst = restored.ordersReadAt === null || restored.ordersReadAt < confirmedAt;
  return ctx.ports.gateway && isFirst ? { backupAt, state: "reading" } : null;
}
