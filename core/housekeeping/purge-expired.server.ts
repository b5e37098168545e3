import { type SQL, sql } from "drizzle-orm";
import { sessions, verifications } from "#db/tables/accounts.ts";
import { stockAlerts, tools } from "#db/tables/catalog.ts";
import { devices, deviceTickets } from "#db/tables/devices.ts";
import {
  adminRefusals,
  auditEvents,
  bulkActions,
  mailMessages,
  passReminders,
  rateLimits,
  settings,
} from "#db/tables/operations.ts";
import { paymentAttempts, unknownPayments, webhookEvents } from "#db/tables/payments.ts";
import { changed } from "#db/transaction.ts";
import { RESET_LINK_MINUTES } from "../accounts/authenticator.ts";
import { type AuthorisedContext, requireSystem } from "../authorise.ts";
import type { Context } from "../context.ts";
import { deviceExpiryBefore, RELEASE_PERIOD_MS } from "../devices/rules.ts";
import { LAST_MAIL } from "../mail/mail-templates.ts";
import { DAY, MINUTE } from "../time.ts";
import { NO_PAYER, payersKeptSince } from "../vault/seal-payer.ts";

const WEBHOOK_EVENTS_KEPT_DAYS = 90;
const MAILS_KEPT_DAYS = 90;
const UNSENT_MAILS_KEPT_DAYS = 365;
const LAST_MAILS_KEPT_DAYS = 7;
/** Also for the client addresses in all other audit events, and for the payers of unknown payments that wait for nobody. */
const AUDIT_EVENTS_KEPT_DAYS = 90;
const STOCK_ALERTS_KEPT_DAYS = 90;
const REMINDERS_KEPT_DAYS = 90;
/** They name persons. */
const IMPORT_REPORTS_KEPT_DAYS = 90;
/** An older version took uploads of old shops, and described the latest one in this setting, with lines of its report. */
const IMPORT_UPLOAD_KEY = "import-upload";
const EXPIRED_KEPT_MS = DAY;
/** The audit events that are not kept forever. In the words of `audit_events_failed_sign_ins_idx`, which finds them. */
const isShortLived = sql`action in ('account.sign-in-failed', 'account.password-change-failed', 'account.owner-confirmation-failed', 'account.signed-in', 'account.signed-out', 'admin.sign-in-failed', 'admin.password-confirmation-failed', 'admin.request-refused')`;
/** Small, so that the locks of one statement are held briefly. */
const BATCH = 500;

/** The number of deleted rows of each kind. */
export interface Purged {
  webhookEvents: number;
  sessions: number;
  verifications: number;
  rateLimits: number;
  adminRefusals: number;
  bulkActions: number;
  sentMails: number;
  unsentMails: number;
  unsentResetMails: number;
  unsentLastMails: number;
  auditEvents: number;
  deviceTickets: number;
  devices: number;
  stockAlerts: number;
  reminders: number;
  importUploads: number;
}

/**
 * Deletes rows that nothing reads any more: webhook events processed, mails sent, and audit events of `isShortLived` recorded
 * more than 90 days ago; sessions, reset links, tickets of devices, rate-limit counters and counters of refused requests that
 * expired more than a day ago; bulk actions that nobody has confirmed within a day; reset mails that were not sent before their link expired; all other mails that were not sent within
 * a year, the last mail of a deleted account within a week; devices that expired more than 30 days ago; stock alerts that are
 * older than 90 days or whose tool was deleted; reports of imports that are older than 90 days, and what an import has unpacked or
 * an older version has stored about an upload more than a day ago; which passes were reminded of, 90 days after their end. Removes client addresses from audit events, and payers'
 * addresses from unknown payments that were refunded, assigned or charged back, after 90 days; and the payers of all other
 * payments after 180 days. The ledger, unprocessed webhook events and all other audit events are kept forever.
 *
 * @throws DomainError forbidden
 */
export async function purgeExpired(ctx: Context): Promise<Purged> {
  requireSystem(ctx);
  const now = ctx.clock.now().getTime();
  const webhookEventsBefore = new Date(now - WEBHOOK_EVENTS_KEPT_DAYS * DAY);
  const mailsBefore = new Date(now - MAILS_KEPT_DAYS * DAY);
  const resetMailsBefore = new Date(now - RESET_LINK_MINUTES * MINUTE);
  const auditEventsBefore = new Date(now - AUDIT_EVENTS_KEPT_DAYS * DAY);
  const unsentMailsBefore = new Date(now - UNSENT_MAILS_KEPT_DAYS * DAY);
  const lastMailsBefore = new Date(now - LAST_MAILS_KEPT_DAYS * DAY);
  const stockAlertsBefore = new Date(now - STOCK_ALERTS_KEPT_DAYS * DAY);
  const expiredBefore = new Date(now - EXPIRED_KEPT_MS);
  const reportsBefore = new Date(now - IMPORT_REPORTS_KEPT_DAYS * DAY);
  // They name persons, so they go first: a failing query must not keep them.
  await ctx.ports.deleteImportFiles({ reports: reportsBefore, leftovers: expiredBefore });
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
    adminRefusals: await deleteInBatches(ctx, adminRefusals, sql`${adminRefusals.hour} < ${expiredBefore}`),
    // Counted and never confirmed.
    bulkActions: await deleteInBatches(
      ctx,
      bulkActions,
      sql`${bulkActions.startedAt} is null and finished_at is null and ${bulkActions.createdAt} < ${expiredBefore}`,
    ),
    deviceTickets: await deleteInBatches(
      ctx,
      deviceTickets,
      sql`${deviceTickets.expiresAt} < ${expiredBefore}`,
    ),
    // Uses the primary key in the same way as webhook events.
    sentMails: await deleteInBatches(
      ctx,
      mailMessages,
      sql`${mailMessages.id} < ${firstIdOf(mailsBefore)} and status = 'sent' and ${mailMessages.sentAt} < ${mailsBefore}`,
    ),
    // Mails as old as these are few, because sent ones are deleted earlier.
    unsentMails: await deleteInBatches(
      ctx,
      mailMessages,
      sql`${mailMessages.id} < ${firstIdOf(unsentMailsBefore)} and status <> 'sent'`,
    ),
    unsentLastMails: await deleteInBatches(
      ctx,
      mailMessages,
      sql`status = 'queued' and kind = ${LAST_MAIL} and ${mailMessages.createdAt} < ${lastMailsBefore}`,
    ),
    unsentResetMails: await deleteInBatches(
      ctx,
      mailMessages,
      sql`kind = 'password-reset' and status <> 'sent' and ${mailMessages.createdAt} < ${resetMailsBefore}`,
    ),
    auditEvents: await deleteInBatches(
      ctx,
      auditEvents,
      sql`${isShortLived} and ${auditEvents.createdAt} < ${auditEventsBefore}`,
    ),
    // Until then, a release by the buyer counts against the limit of releases.
    devices: await deleteInBatches(
      ctx,
      devices,
      sql`${devices.lastSeenAt} < ${new Date(deviceExpiryBefore(ctx.clock.now()).getTime() - RELEASE_PERIOD_MS)}`,
    ),
    stockAlerts: await deleteInBatches(
      ctx,
      stockAlerts,
      sql`${stockAlerts.createdAt} < ${stockAlertsBefore}
        or ${stockAlerts.toolId} in (select ${tools.id} from ${tools} where ${tools.deletedAt} is not null)`,
    ),
    reminders: await deleteInBatches(
      ctx,
      passReminders,
      sql`${passReminders.endsAt} < ${new Date(now - REMINDERS_KEPT_DAYS * DAY)}`,
    ),
    importUploads: await deleteInBatches(
      ctx,
      settings,
      sql`${settings.key} = ${IMPORT_UPLOAD_KEY} and ${settings.updatedAt} < ${expiredBefore}`,
    ),
  };
  await forgetAddresses(ctx, auditEventsBefore);
  await forgetPayers(ctx, payersKeptSince(ctx.clock.now()));
  if (Object.values(purged).some((rows) => rows > 0)) ctx.log.info(purged, "expired rows purged");
  return purged;
}

type PurgedTable =
  | typeof webhookEvents
  | typeof sessions
  | typeof verifications
  | typeof rateLimits
  | typeof adminRefusals
  | typeof bulkActions
  | typeof deviceTickets
  | typeof devices
  | typeof stockAlerts
  | typeof passReminders
  | typeof settings
  | typeof mailMessages
  | typeof auditEvents;

async function deleteInBatches(ctx: AuthorisedContext, table: PurgedTable, condition: SQL): Promise<number> {
  for (let deleted = 0; ; ) {
    const batch = sql`ctid = any (array(select ctid from ${table} where ${condition} limit ${BATCH}))`;
    const { rowCount } = await ctx.db.delete(table).where(batch);
    if (rowCount) changed(ctx.db, table);
    deleted += rowCount ?? 0;
    if ((rowCount ?? 0) < BATCH) return deleted;
  }
}

/** Removes client addresses and payers' addresses that are older than `before`; their rows stay. */
async function forgetAddresses(ctx: AuthorisedContext, before: Date): Promise<void> {
  for (let updated = BATCH; updated === BATCH; ) {
    const batch = sql`ctid = any (array(
      select ctid from ${auditEvents} where details ? 'ipAddress' and ${auditEvents.createdAt} < ${before} limit ${BATCH}))`;
    const { rowCount } = await ctx.db
      .update(auditEvents)
      .set({ details: sql`${auditEvents.details} - 'ipAddress'` })
      .where(batch);
    updated = rowCount ?? 0;
    if (updated > 0) changed(ctx.db, auditEvents);
  }
  // In one statement, because only a restored shop has unknown payments, and few.
  const { rowCount } = await ctx.db
    .update(unknownPayments)
    .set({ email: null, phone: null, ...NO_PAYER })
    .where(
      sql`state in ('refunded', 'assigned', 'charged-back') and num_nonnulls(email, phone, payer_sealed) > 0 and ${unknownPayments.updatedAt} < ${before}`,
    );
  if (rowCount) changed(ctx.db, unknownPayments);
}

/** Removes who has paid, of payments from before a moment; amounts and fees stay. */
async function forgetPayers(ctx: AuthorisedContext, before: Date): Promise<void> {
  for (let updated = BATCH; updated === BATCH; ) {
    const batch = sql`ctid = any (array(
      select ctid from ${paymentAttempts} where payer_sealed is not null and ${paymentAttempts.createdAt} < ${before}
      limit ${BATCH}))`;
    const { rowCount } = await ctx.db
      .update(paymentAttempts)
      .set({ ...NO_PAYER, updatedAt: sql`${paymentAttempts.updatedAt}` })
      .where(batch);
    updated = rowCount ?? 0;
    if (updated > 0) changed(ctx.db, paymentAttempts);
  }
}

/** The smallest UUIDv7 of a millisecond. */
function firstIdOf(moment: Date): string {
  const ms = moment.getTime().toString(16).padStart(12, "0");
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8000-000000000000`;
}
