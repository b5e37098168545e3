import { type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { sessions, verifications } from "#db/tables/accounts.ts";
import { auditEvents, mailMessages, rateLimits } from "#db/tables/operations.ts";
import { webhookEvents } from "#db/tables/payments.ts";
import { RESET_LINK_MINUTES } from "../accounts/authenticator.ts";
import { requireSystem } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DAY, MINUTE } from "../time.ts";

const EVENTS_KEPT_DAYS = 90;
const MAILS_KEPT_DAYS = 90;
const FAILED_SIGN_INS_KEPT_DAYS = 90;
const EXPIRED_KEPT = DAY;
/** Small enough that nobody waits for the locks of one statement. */
const BATCH = 500;

export interface Purged {
  events: number;
  sessions: number;
  verifications: number;
  rateLimits: number;
  sentMails: number;
  unsentResetMails: number;
  failedSignIns: number;
}

/**
 * Deletes what nothing reads any more: webhooks handled, mails sent and sign-ins failed over 90 days ago; sessions,
 * sign-in tokens and rate-limit counters that expired over a day ago; and reset mails that were not sent before their
 * link expired. Rows that tell of money, webhooks not handled, and the rest of the audit log stay for ever.
 *
 * @throws DomainError forbidden
 */
export async function purgeExpired(ctx: Context): Promise<Purged> {
  requireSystem(ctx);
  const now = ctx.clock.now().getTime();
  const eventsBefore = new Date(now - EVENTS_KEPT_DAYS * DAY);
  const mailsBefore = new Date(now - MAILS_KEPT_DAYS * DAY);
  const resetMailsBefore = new Date(now - RESET_LINK_MINUTES * MINUTE);
  const failedSignInsBefore = new Date(now - FAILED_SIGN_INS_KEPT_DAYS * DAY);
  const expiredBefore = new Date(now - EXPIRED_KEPT);
  const purged: Purged = {
    // Handled ones have no index; ids are in the order of time, so the first part finds them by the primary key.
    events: await deleteInBatches(
      ctx,
      webhookEvents,
      sql`${webhookEvents.id} < ${firstIdOf(eventsBefore)} and ${webhookEvents.processedAt} < ${eventsBefore}`,
    ),
    sessions: await deleteInBatches(ctx, sessions, sql`${sessions.expiresAt} < ${expiredBefore}`),
    verifications: await deleteInBatches(
      ctx,
      verifications,
      sql`${verifications.expiresAt} < ${expiredBefore}`,
    ),
    rateLimits: await deleteInBatches(
      ctx,
      rateLimits,
      sql`${rateLimits.expire} < ${expiredBefore.getTime()}`,
    ),
    // Found by the primary key, as the webhooks are.
    sentMails: await deleteInBatches(
      ctx,
      mailMessages,
      sql`${mailMessages.id} < ${firstIdOf(mailsBefore)} and status = 'sent' and ${mailMessages.sentAt} < ${mailsBefore}`,
    ),
    unsentResetMails: await deleteInBatches(
      ctx,
      mailMessages,
      sql`kind = 'password-reset' and status <> 'sent' and ${mailMessages.createdAt} < ${resetMailsBefore}`,
    ),
    failedSignIns: await deleteInBatches(
      ctx,
      auditEvents,
      sql`action in ('account.sign-in-failed', 'admin.sign-in-failed') and ${auditEvents.createdAt} < ${failedSignInsBefore}`,
    ),
  };
  if (Object.values(purged).some((rows) => rows > 0)) ctx.log.info(purged, "expired rows purged");
  return purged;
}

async function deleteInBatches(ctx: Context, table: PgTable, due: SQL): Promise<number> {
  for (let deleted = 0; ; ) {
    const { rowCount } = await ctx.db.execute(
      sql`delete from ${table} where ctid = any (array(select ctid from ${table} where ${due} limit ${BATCH}))`,
    );
    deleted += rowCount ?? 0;
    if ((rowCount ?? 0) < BATCH) return deleted;
  }
}

/** The smallest UUIDv7 of a moment. */
function firstIdOf(moment: Date): string {
  const ms = moment.getTime().toString(16).padStart(12, "0");
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8000-000000000000`;
}
