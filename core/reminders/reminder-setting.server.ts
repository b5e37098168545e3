import { and, eq, sql } from "drizzle-orm";
import { z } from "zod";
import type { Executor } from "#db/database.ts";
import { lockEdits } from "#db/edit-lock.ts";
import { settings } from "#db/tables/operations.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { type AuthorisedContext, requireAdmin } from "../authorise.ts";
import { saveSetting, selectSetting } from "../catalog/store-settings.server.ts";
import type { Context } from "../context.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";

const KEY = "reminders";

/** null: the owner has turned reminders off. */
const settingSchema = z.object({ since: z.coerce.date().nullable() });

/** `since`: undefined while the job has not begun. */
async function readSetting(executor: Executor): Promise<{ since?: Date | null }> {
  return settingSchema.safeParse(await selectSetting(executor, KEY)).data ?? {};
}

/**
 * From when on reminders are sent; null: they are off. They are on by default, from the first run of the job on that can send any.
 * The caller authorises.
 */
export async function beginReminders(ctx: AuthorisedContext): Promise<Date | null> {
  const { since } = await readSetting(ctx.db);
  if (since !== undefined) return since;
  const now = ctx.clock.now();
  await ctx.db
    .insert(settings)
    .values({ key: KEY, value: { since: now } })
    .onConflictDoNothing();
  changed(ctx.db, settings);
  return now;
}

/** While none can be sent, they have not begun: what becomes due meanwhile belongs to the past. The caller authorises. */
export async function suspendReminders(ctx: AuthorisedContext): Promise<void> {
  const { since } = await readSetting(ctx.db);
  if (!since) return;
  await ctx.db
    .delete(settings)
    .where(and(eq(settings.key, KEY), sql`${settings.value} ->> 'since' is not null`));
  changed(ctx.db, settings);
}

/**
 * Whether buyers are reminded before a pass ends.
 *
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function readReminderSetting(ctx: Context): Promise<{ isOn: boolean }> {
  requireAdmin(ctx, "reads");
  return { isOn: await areRemindersOn(ctx.db) };
}

/** The caller authorises. */
export async function areRemindersOn(executor: Executor): Promise<boolean> {
  return (await readSetting(executor)).since !== null;
}

const setInput = z.object({ isOn: z.stringbool().or(z.boolean()) });

/**
 * The owner turns reminders on or off for the whole shop. Turned on again, they begin with what becomes due from now on. A repeated
 * call changes nothing.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'invalid-input'
 */
export async function setReminders(ctx: Context, input: UntrustedInput): Promise<{ isOn: boolean }> {
  requireAdmin(ctx, "changes-shop");
  const { isOn } = parseInput(setInput, input);
  await inTransaction(ctx.db, async (tx) => {
    await lockEdits(tx);
    if ((await areRemindersOn(tx)) === isOn) return;
    await saveSetting(tx, KEY, { since: isOn ? ctx.clock.now() : null });
    await recordAudit(ctx, tx, {
      action: isOn ? "reminders.turned-on" : "reminders.turned-off",
      subjectType: "settings",
      subjectId: KEY,
    });
  });
  return { isOn };
}
