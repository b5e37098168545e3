import { and, desc, eq, inArray, isNull, sql } from "drizzle-orm";
import { z } from "zod";
import type { Executor } from "#db/database.ts";
import { tools } from "#db/tables/catalog.ts";
import { auditEvents, type MailMessage, mailMessages, settings } from "#db/tables/operations.ts";
import { accessCodes } from "#db/tables/vault.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { findServersWithoutCode } from "../access-codes/find-server-codes.server.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin } from "../authorise.ts";
import { hasRecentBackup, selectBackups } from "../backups/backups.server.ts";
import {
  DEFAULT_STORE_NAME,
  readStorePageInAllLanguages,
  readStoreSettings,
} from "../catalog/store-settings.server.ts";
import type { Context } from "../context.ts";
import { TEST_MAIL } from "../mail/mail-templates.ts";
import {
  type ChecklistItem,
  CONFIRMATIONS,
  type Confirmation,
  findOpenItems,
  paymentModeOf,
} from "./go-live-checklist.ts";

const KEYS = Object.values(CONFIRMATIONS).map(({ key }) => key);

/**
 * What is left to do before the shop sells to real buyers, the most urgent first. Empty once all is done. The password and the
 * test mail belong to the admin who asks.
 *
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function readGoLiveChecklist(ctx: Context): Promise<ChecklistItem[]> {
  requireAdmin(ctx, "reads");
  const { userId, email } = ctx.actor;
  const hasMailServer = ctx.ports.mailTransport !== null;
  const [
    settings,
    texts,
    keys,
    mailsWaiting,
    lastTestMail,
    password,
    hasTools,
    hasCodes,
    withoutCode,
    backups,
  ] = await Promise.all([
    readStoreSettings(ctx),
    readStorePageInAllLanguages(ctx),
    selectSettingKeys(ctx.db, KEYS),
    hasMailServer ? null : ctx.db.$count(mailMessages, eq(mailMessages.status, "queued")),
    hasMailServer ? selectLastTestMail(ctx.db, email) : null,
    judgePassword(ctx.db, userId),
    hasTool(ctx.db),
    hasActiveAccessCode(ctx.db),
    findServersWithoutCode(ctx.db),
    selectBackups(ctx.db),
  ]);
  const isConfirmed = (confirmation: Confirmation) => keys.has(CONFIRMATIONS[confirmation].key);
  return findOpenItems({
    paymentMode: paymentModeOf(ctx.ports.gateway),
    hasTools,
    needsAccessCodes: !hasCodes && (!hasTools || withoutCode.length > 0),
    settings,
    hasDefaultName: settings.name === DEFAULT_STORE_NAME,
    texts,
    hasOwnPassword: !password.isGiven,
    hasWeakPassword: password.isWeak,
    variables: ctx.store,
    mailsWaiting,
    lastTestMail,
    hasRecentBackup: hasRecentBackup(backups?.stored ?? null, ctx.clock.now()),
    confirmed: {
      resale: isConfirmed("resale"),
      backup: isConfirmed("backup"),
      claims: isConfirmed("claims"),
      name: isConfirmed("name"),
      texts: isConfirmed("texts"),
      "test-mail": isConfirmed("test-mail"),
    },
  });
}

/** Whether the shop has a tool that is not deleted, on sale or not. */
async function hasTool(executor: Executor): Promise<boolean> {
  const rows = await executor.select({ id: tools.id }).from(tools).where(isNull(tools.deletedAt)).limit(1);
  return rows.length > 0;
}

async function hasActiveAccessCode(executor: Executor): Promise<boolean> {
  const { id, isActive } = accessCodes;
  const rows = await executor.select({ id }).from(accessCodes).where(eq(isActive, true)).limit(1);
  return rows.length > 0;
}

/** The keys that have a setting. */
async function selectSettingKeys(executor: Executor, keys: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await executor
    .select({ key: settings.key })
    .from(settings)
    .where(inArray(settings.key, [...keys]));
  return new Set(rows.map(({ key }) => key));
}

/** The last test mail to an address; null when there is none. */
async function selectLastTestMail(
  executor: Executor,
  email: string,
): Promise<Pick<MailMessage, "status" | "recipient"> | null> {
  const { status, recipient, kind, createdAt, id } = mailMessages;
  const [last] = await executor
    .select({ status, recipient })
    .from(mailMessages)
    .where(and(eq(recipient, email), eq(kind, TEST_MAIL)))
    .orderBy(desc(createdAt), desc(id))
    .limit(1);
  return last ?? null;
}

const judged = z.tuple([z.object({ isGiven: z.boolean(), isWeak: z.boolean() })]);

/**
 * Whether an admin's password comes from the first start or from a reset on the server, because the person has set none since;
 * and whether it was found to be weak when they signed in with it.
 */
async function judgePassword(executor: Executor, userId: string): Promise<z.output<typeof judged>[0]> {
  const { rows } = await executor.execute(sql`
    with password as (
      select action, created_at, id from ${auditEvents}
      where subject_id = ${userId} and action in (
        'admin.created', 'admin.password-reset', 'account.password-changed', 'account.password-reset'
      )
      order by created_at desc, id desc limit 1
    )
    select
      exists (select from password where action in ('admin.created', 'admin.password-reset')) as "isGiven",
      exists (
        select from ${auditEvents} signed
        where signed.subject_id = ${userId} and signed.action = 'admin.signed-in' and signed.details ? 'isWeak'
          and not exists (select from password where (created_at, id) > (signed.created_at, signed.id))
      ) as "isWeak"`);
  return judged.parse(rows)[0];
}

/**
 * Records that the admin confirms one thing about the shop. The first confirmation is kept and audited; later ones change
 * nothing.
 *
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function confirmSetup(ctx: Context, confirmation: Confirmation): Promise<void> {
  requireAdmin(ctx, "low-risk");
  const { userId } = ctx.actor;
  const { key, action } = CONFIRMATIONS[confirmation];
  await inTransaction(ctx.db, async (tx) => {
    const isFirst = await insertSettingOnce(tx, key, { userId, at: ctx.clock.now().toISOString() });
    if (isFirst) await recordAudit(ctx, tx, { action, subjectType: "store" });
  });
}

/** @returns false when the setting exists; its value is then unchanged */
async function insertSettingOnce(executor: Executor, key: string, value: unknown): Promise<boolean> {
  const inserted = await executor
    .insert(settings)
    .values({ key, value })
    .onConflictDoNothing()
    .returning({ key: settings.key });
  changed(executor, settings);
  return inserted.length > 0;
}
