import { and, eq, isNull } from "drizzle-orm";
import { z } from "zod";
import type { Executor } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { changed } from "#db/transaction.ts";
import { allowAnyone, requireSignedIn } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { readStopRemindersUrl } from "../mail/stop-reminders-link.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";

/** Whether an address of `stopRemindersUrl` is genuine. Open to all; it changes nothing, because programs that check mails follow links. */
export function isStopRemindersLink(ctx: Context, parameters: UntrustedInput): boolean {
  allowAnyone(ctx);
  return readStopRemindersUrl(ctx, parameters) !== null;
}

/**
 * Stops the reminders to the account of a link. Open to all who have the link. A repeated call changes nothing, nor does one about a
 * deleted account.
 *
 * @throws DomainError 'reminder-link-invalid'
 */
export async function stopReminders(ctx: Context, parameters: UntrustedInput): Promise<void> {
  allowAnyone(ctx);
  const userId = readStopRemindersUrl(ctx, parameters);
  if (userId === null) throw new DomainError("reminder-link-invalid");
  await store(ctx.db, userId, false);
}

/** Whether the person wants reminders. @throws DomainError 'unauthenticated' */
export async function readWantsReminders(ctx: Context): Promise<boolean> {
  requireSignedIn(ctx, "reads");
  const [account] = await ctx.db
    .select({ wantsReminders: users.wantsReminders })
    .from(users)
    .where(eq(users.id, ctx.actor.userId));
  return account?.wantsReminders ?? false;
}

const wantsInput = z.object({ wanted: z.stringbool().or(z.boolean()) });

/**
 * The person wants reminders, or wants none.
 *
 * @throws DomainError 'unauthenticated', 'invalid-input'
 */
export async function setWantsReminders(ctx: Context, input: UntrustedInput): Promise<{ wanted: boolean }> {
  requireSignedIn(ctx, "own-account");
  const { wanted } = parseInput(wantsInput, input);
  await store(ctx.db, ctx.actor.userId, wanted);
  return { wanted };
}

async function store(executor: Executor, userId: string, wantsReminders: boolean): Promise<void> {
  await executor
    .update(users)
    .set({ wantsReminders })
    .where(and(eq(users.id, userId), isNull(users.deletedAt)));
  changed(executor, users);
}
