import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  // biome-ignore lint/suspicious/noDeprecatedImports: only its other signature is deprecated
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { createdAt, moment, primaryId, updatedAt } from "./columns.ts";
import { userPurchases } from "./purchases.ts";

/** Settings of the shop, and marks of what was done once, by key. The code that reads a value checks its form. */
export const settings = pgTable("settings", {
  key: text("key").primaryKey(),
  value: jsonb("value").$type<unknown>().notNull(),
  updatedAt: updatedAt(),
});

/** When each job of the shop is due, whichever process runs it. */
export const jobRuns = pgTable("job_runs", {
  name: text("name").primaryKey(),
  nextRunAt: moment("next_run_at").notNull(),
});

/**
 * The outbox. Mail is written in the transaction that causes it, sent by a job, and readable by the admin. `html` and
 * `text` are emptied when a mail with a secret link has been sent. They are empty for a mail about a purchase until it is sent.
 */
export const mailMessages = pgTable(
  "mail_messages",
  {
    id: primaryId(),
    recipient: text("recipient").notNull(),
    kind: text("kind").notNull(),
    subject: text("subject").notNull(),
    html: text("html").notNull(),
    text: text("text").notNull(),
    status: text("status", { enum: ["queued", "sent", "failed"] })
      .notNull()
      .default("queued"),
    tries: integer("tries").notNull().default(0),
    lastError: text("last_error"),
    sentAt: moment("sent_at"),
    /** Until then no sender takes a queued mail: it was refused for now, or another sender is at work with it. */
    nextTryAt: moment("next_try_at").notNull().defaultNow(),
    /** When the last attempt to send it failed; null: none has. */
    lastFailedAt: moment("last_failed_at"),
    /** Not sent later than this, because its link no longer works then; null: it may be sent at any time. */
    validUntil: moment("valid_until"),
    /** The purchase of a receipt or of the mail about an assigned pass. Unique, so that a purchase has one such mail. */
    purchaseId: uuid("purchase_id")
      .unique()
      .references(() => userPurchases.id),
    createdAt: createdAt(),
  },
  (table) => [
    // For the deletion of an account, and the search of the admin.
    index("mail_messages_recipient_idx").on(table.recipient),
    index("mail_messages_due_idx").on(table.nextTryAt).where(sql`status = 'queued'`),
    index("mail_messages_created_idx").on(table.createdAt, table.id),
    index("mail_messages_failed_idx").on(table.createdAt, table.id).where(sql`status = 'failed'`),
    // For the question whether another mail was sent after one has failed.
    index("mail_messages_sent_idx").on(table.sentAt).where(sql`status = 'sent'`),
    // For purge-expired: the condition must be the same text as in its statement.
    index("mail_messages_unsent_resets_idx")
      .on(table.createdAt)
      .where(sql`kind = 'password-reset' and status <> 'sent'`),
  ],
);

export type MailMessage = typeof mailMessages.$inferSelect;

/** The reminders that were mailed: one for each pass, kind and end. A pass with another end is reminded of again. */
export const passReminders = pgTable(
  "pass_reminders",
  {
    id: primaryId(),
    purchaseId: uuid("purchase_id")
      .notNull()
      .references(() => userPurchases.id),
    kind: text("kind", { enum: ["days-before", "last-day"] }).notNull(),
    endsAt: moment("ends_at").notNull(),
    /** The mail, until it is deleted. Several passes of a buyer have one. */
    mailId: uuid("mail_id").references(() => mailMessages.id, { onDelete: "set null" }),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("pass_reminders_key").on(table.purchaseId, table.kind, table.endsAt),
    index("pass_reminders_mail_idx").on(table.mailId),
    // For the deletion of old ones.
    index("pass_reminders_ends_idx").on(table.endsAt),
  ],
);

/**
 * Who did what to which subject. Details never contain a password, code or token. Rows are kept, except the events of
 * `isShortLived` (purge-expired.server.ts), such as failed sign-ins; client addresses are kept for 90 days.
 */
export const auditEvents = pgTable(
  "audit_events",
  {
    id: primaryId(),
    actorKind: text("actor_kind", { enum: ["visitor", "user", "admin", "system"] }).notNull(),
    actorId: uuid("actor_id"),
    action: text("action").notNull(),
    subjectType: text("subject_type").notNull(),
    subjectId: text("subject_id"),
    details: jsonb("details").$type<Record<string, unknown>>().notNull().default({}),
    requestId: text("request_id"),
    createdAt: createdAt(),
  },
  (table) => [
    index("audit_events_subject_idx").on(table.subjectType, table.subjectId),
    index("audit_events_actor_idx").on(table.actorId, table.createdAt, table.id),
    index("audit_events_created_idx").on(table.createdAt, table.id),
    index("audit_events_actor_kind_idx").on(table.actorKind, table.createdAt, table.id),
    index("audit_events_action_idx").on(table.action, table.createdAt, table.id),
    index("audit_events_subject_id_idx").on(table.subjectId, table.createdAt, table.id),
    // For purge-expired: the condition must be the same text as in its statement.
    index("audit_events_failed_sign_ins_idx")
      .on(table.createdAt)
      .where(
        sql`action in ('account.sign-in-failed', 'account.password-change-failed', 'account.owner-confirmation-failed', 'account.signed-in', 'account.signed-out', 'admin.sign-in-failed', 'admin.password-confirmation-failed', 'admin.request-refused')`,
      ),
    // For purge-expired, in the same way.
    index("audit_events_addresses_idx").on(table.createdAt).where(sql`details ? 'ipAddress'`),
  ],
);

/**
 * The requests of the admin area that were refused to one address in one hour of the clock, and the audit event that says how
 * many.
 */
export const adminRefusals = pgTable(
  "admin_refusals",
  {
    eventId: uuid("event_id").primaryKey(),
    /** What limits by address count: the address, or the network of an IPv6 address. */
    addressKey: text("address_key").notNull(),
    /** Its beginning. */
    hour: moment("hour").notNull(),
    count: integer("count").notNull(),
  },
  (table) => [uniqueIndex("admin_refusals_hour_key").on(table.addressKey, table.hour)],
);

/**
 * What an admin does to many rows at once. `startedAt` is null until the admin has confirmed what was counted. Ids only: nothing
 * personal.
 */
export const bulkActions = pgTable(
  "bulk_actions",
  {
    id: primaryId(),
    /** The admin. */
    actorId: uuid("actor_id").notNull(),
    /** One of `BULK_ACTIONS`. */
    action: text("action").notNull(),
    /** What was entered, such as the days; it is the same for each row. */
    input: jsonb("input").$type<unknown>().notNull().default({}),
    rowCount: integer("row_count").notNull(),
    createdAt: createdAt(),
    startedAt: moment("started_at"),
    finishedAt: moment("finished_at"),
  },
  (table) => [index("bulk_actions_unfinished_idx").on(table.createdAt).where(sql`finished_at is null`)],
);

/** The rows of a bulk action, as they were counted, and what became of each. */
export const bulkActionRows = pgTable(
  "bulk_action_rows",
  {
    bulkActionId: uuid("bulk_action_id")
      .notNull()
      .references(() => bulkActions.id, { onDelete: "cascade" }),
    /** The order in which they are done. */
    position: integer("position").notNull(),
    rowId: uuid("row_id").notNull(),
    /** What the row was when it was counted: a row that is something else by now is not done. */
    state: text("state").notNull(),
    /** null: not yet. */
    isDone: boolean("is_done"),
    /** Why it is not done. */
    reason: text("reason"),
  },
  (table) => [
    primaryKey({ columns: [table.bulkActionId, table.position] }),
    index("bulk_action_rows_waiting_idx").on(table.bulkActionId, table.position).where(sql`is_done is null`),
  ],
);

/** Counters of the rate limiter, in the shape that its Postgres store expects; `expire` in epoch milliseconds. */
export const rateLimits = pgTable("rate_limits", {
  key: text("key").primaryKey(),
  points: integer("points").notNull().default(0),
  expire: bigint("expire", { mode: "number" }),
});
