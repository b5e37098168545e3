import { z } from "zod";
import { settings } from "#db/tables/operations.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { type AuthorisedContext, requireAdmin } from "../authorise.ts";
import { saveSetting, selectSetting } from "../catalog/store-settings.server.ts";
import type { Context } from "../context.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";

const KEY = "reminders";

/** null: reminders are off. */
const settingSchema = z.object({ since: z.coerce.date().nullable() });

/** From when on reminders are sent; null: they are off. They are on by default, from the first question on. The caller authorises. */
export async function readRemindersSince(ctx: AuthorisedContext): Promise<Date | null> {
  const stored = settingSchema.safeParse(await selectSetting(ctx.db, KEY));
  if (stored.success) return stored.data.since;
  const since = ctx.clock.now();
  await ctx.db.insert(settings).values({ key: KEY, value: { since } }).onConflictDoNothing();
  changed(ctx.db, settings);
  return since;
}

/**
 * Whether buyers are reminded before a pass ends.
 *
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function readReminderSetting(ctx: Context): Promise<{ isOn: boolean }> {
  requireAdmin(ctx, "reads");
  return { isOn: (await readRemindersSince(ctx)) !== null };
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
  if (((await readRemindersSince(ctx)) !== null) === isOn) return { isOn };
  await inTransaction(ctx.db, async (tx) => {
    await saveSetting(tx, KEY, { since: isOn ? ctx.clock.now() : null });
    await recordAudit(ctx, tx, {
      action: isOn ? "reminders.turned-on" : "reminders.turned-off",
      subjectType: "settings",
      subjectId: KEY,
    });
  });
  return { isOn };
}
