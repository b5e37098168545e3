import { and, desc, eq, inArray, isNull, sql } from "drizzle-orm";
import { z } from "zod";
import type { Executor } from "#db/database.ts";
import { tools } from "#db/tables/catalog.ts";
import { auditEvents, type MailMessage, mailMessages, settings } from "#db/tables/operations.ts";
import { accessCodes } from "#db/tables/vault.ts";
import { changed } from "#db/transaction.ts";
import { TEST_MAIL } from "../mail/mail-templates.ts";

/** @returns false when the setting exists; its value is then unchanged */
export async function insertSettingOnce(executor: Executor, key: string, value: unknown): Promise<boolean> {
  const inserted = await executor
    .insert(settings)
    .values({ key, value })
    .onConflictDoNothing()
    .returning({ key: settings.key });
  changed(executor, settings);
  return inserted.length > 0;
}

/** Whether the shop has a tool that is not deleted, on sale or not. */
export async function hasTool(executor: Executor): Promise<boolean> {
  const rows = await executor.select({ id: tools.id }).from(tools).where(isNull(tools.deletedAt)).limit(1);
  return rows.length > 0;
}

export async function hasActiveAccessCode(executor: Executor): Promise<boolean> {
  const { id, isActive } = accessCodes;
  const rows = await executor.select({ id }).from(accessCodes).where(eq(isActive, true)).limit(1);
  return rows.length > 0;
}

/** Those of the keys that have a setting. */
export async function selectSettingKeys(
  executor: Executor,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await executor
    .select({ key: settings.key })
    .from(settings)
    .where(inArray(settings.key, [...keys]));
  return new Set(rows.map(({ key }) => key));
}

/** The last test mail to an address; null when there is none. */
export async function selectLastTestMail(
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

const givenRows = z.tuple([z.object({ isGiven: z.boolean() })]);

/** Whether an admin's password is the one of the first start or of a reset on the server: the person has set none since. */
export async function hasGivenPassword(executor: Executor, userId: string): Promise<boolean> {
  const { rows } = await executor.execute(sql`
    select exists (
      select from ${auditEvents} given
      where given.subject_id = ${userId} and given.action in ('admin.created', 'admin.password-reset')
        and not exists (
          select from ${auditEvents} own
          where own.subject_id = given.subject_id and (own.created_at, own.id) > (given.created_at, given.id)
            and own.action in ('account.password-changed', 'account.password-reset')
        )
    ) as "isGiven"`);
  return givenRows.parse(rows)[0].isGiven;
}
