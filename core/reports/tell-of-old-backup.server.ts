import { eq, sql } from "drizzle-orm";
import { settings } from "#db/tables/operations.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { requireSystem } from "../authorise.ts";
import { BACKUPS_KEY, type StoredBackups } from "../backups/backup-record.ts";
import { selectBackups, timesOf } from "../backups/backups.server.ts";
import { isBackupOverdue, OVERDUE_HOURS } from "../backups/rules.ts";
import type { Context } from "../context.ts";
import { queueOwnerMail } from "../mail/queue-mail.server.ts";
import { formatDateTime, HOUR } from "../time.ts";

/**
 * Mails every admin of a shop with nightly backups once there was no verified one for 48 hours, and then every 48 hours.
 *
 * @throws DomainError forbidden
 */
export async function tellOfOldBackup(ctx: Context): Promise<void> {
  requireSystem(ctx);
  if (!ctx.store.backups.isNightly) return;
  const found = await selectBackups(ctx.db);
  if (found === null || !isToBeTold(ctx, found.stored)) return;
  await inTransaction(ctx.db, async (tx) => {
    // Locked, because two processes may run the job.
    const latest = await selectBackups(tx, { isLocked: true });
    if (latest === null || !isToBeTold(ctx, latest.stored)) return;
    const { verified, failure } = latest.stored;
    await queueOwnerMail(ctx, tx, {
      kind: "backup-overdue",
      facts: {
        lastAt: verified === null ? null : formatDateTime(new Date(verified.at), ctx.store.timeZone),
        reason: failure?.message ?? null,
        adminUrl: `${ctx.store.origin}/admin/settings#backups`,
      },
    });
    const told = JSON.stringify({ toldAt: ctx.clock.now().toISOString() });
    // The time of the row stays: no backup runs because of this.
    await tx
      .update(settings)
      .set({ value: sql`${settings.value} || ${told}::jsonb`, updatedAt: sql`${settings.updatedAt}` })
      .where(eq(settings.key, BACKUPS_KEY));
    changed(tx, settings);
  });
}

function isToBeTold(ctx: Context, stored: StoredBackups): boolean {
  const now = ctx.clock.now();
  if (!isBackupOverdue(timesOf(stored), now)) return false;
  return stored.toldAt === null || now.getTime() - Date.parse(stored.toldAt) >= OVERDUE_HOURS * HOUR;
}
