import { type SQL, sql } from "drizzle-orm";
import { sessions, verifications } from "#db/tables/accounts.ts";
import { deviceTickets } from "#db/tables/devices.ts";
import { auditEvents, mailMessages, rateLimits } from "#db/tables/operations.ts";
import { webhookEvents } from "#db/tables/payments.ts";
import { changed } from "#db/transaction.ts";
import { RESET_LINK_MINUTES } from "../accounts/authenticator.ts";
import { requireSystem } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DAY, MINUTE } from "../time.ts";

const WEBHOOK_EVENTS_KEPT_DAYS = 90;
const MAILS_KEPT_DAYS = 90;
const SIGN_INS_KEPT_DAYS = 90;
const EXPIRED_KEPT_MS = DAY;
/** Small, so that the locks of one statement are held briefly. */
const BATCH = 500;

/** The number of deleted rows of each kind. */
export interface Purged {
  webhookEvents: number;
  sessions: number;
  verifications: number;
  rateLimits: number;
  sentMails: number;
  unsentResetMails: number;
  signIns: number;
  deviceTickets: number;
}

/**
 * Deletes rows that nothing reads any more: webhook events processed, mails sent, and sign-ins, failed or of
 * buyers, and refused requests of the admin area recorded more than 90 days ago; sessions, sign-in tokens, tickets of devices and rate-limit counters that expired more than a day ago; reset mails that were not sent
 * before their link expired. The ledger, unprocessed webhook events and all other audit events are kept forever.
 *
 * @throws DomainError forbidden
 */
export async function purgeExpired(ctx: Context): Promise<Purged> {
  requireSystem(ctx);
  const now = ctx.clock.now().getTime();
  const webhookEventsBefore = new Date(now - WEBHOOK_EVENTS_KEPT_DAYS * DAY);
  const mailsBefore = new Date(now - MAILS_KEPT_DAYS * DAY);
  const resetMailsBefore = new Date(now - RESET_LINK_MINUTES * MINUTE);
  const signInsBefore = new Date(now - SIGN_INS_KEPT_DAYS * DAY);
  const expiredBefore = new Date(now - EXPIRED_KEPT_MS);
  const purged: Purged = {
    // `processedAt` has no index. Ids are in the order of creation, so the first condition uses the primary key.
    webhookEvents: await deleteInBatches(
      ctx,
      webhookEvents,
      sql`${webhookEvents.id} < ${firstIdOf(webhookEventsBefore)} and ${webhookEvents.processedAt} < ${webhookEventsBefore}`,
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
    deviceTickets: await deleteInBatches(
      ctx,
      deviceTickets,
      sql`${deviceTickets.expiresAt} < ${expiredBefore}`,
    ),
    // Uses the primary key in the same way.
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
    signIns: await deleteInBatches(
      ctx,
      auditEvents,
      sql`action in ('account.sign-in-failed', 'account.password-change-failed', 'account.signed-in', 'account.signed-out', 'admin.sign-in-failed', 'admin.password-confirmation-failed', 'admin.request-refused')
        and ${auditEvents.createdAt} < ${signInsBefore}`,
    ),
  };
  if (Object.values(purged).some((rows) => rows > 0)) ctx.log.info(purged, "expired rows purged");
  return purged;
}

type PurgedTable = typeof sessions | typeof verifications | typeof rateLimits | typeof deviceTickets;
type LoggedTable = typeof webhookEvents | typeof mailMessages | typeof auditEvents;

async function deleteInBatches(
  ctx: Context,
  table: PurgedTable | LoggedTable,
  condition: SQL,
): Promise<number> {
  for (let deleted = 0; ; ) {
    const batch = sql`ctid = any (array(select ctid from ${table} where ${condition} limit ${BATCH}))`;
    const { rowCount } = await ctx.db.delete(table).where(batch);
    if (rowCount) changed(ctx.db, table);
    deleted += rowCount ?? 0;
    if ((rowCount ?? 0) < BATCH) return deleted;
  }
}

/** The smallest UUIDv7 of a millisecond. */
function firstIdOf(moment: Date): string {
  const ms = moment.getTime().toString(16).padStart(12, "0");
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8000-000000000000`;
}
