import { timingSafeEqual } from "node:crypto";
import { and, eq, isNull } from "drizzle-orm";
import { z } from "zod";
import type { Executor } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { allowAnyone, requireSignedIn } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";

/** The path of the page where a buyer stops reminders without a sign-in. */
const STOP_PATH = "/reminders";

/** The address that a reminder has, with a signature in place of a sign-in. It is no way into the account. */
export function stopRemindersUrl(ctx: Context, userId: string): string {
  const parameters = new URLSearchParams({ account: userId, key: signatureOf(ctx, userId) });
  return `${ctx.store.origin}${STOP_PATH}?${parameters}`;
}

function signatureOf(ctx: Context, userId: string): string {
  return ctx.ports.cipher.lookupHash(`stop-reminders ${userId}`);
}

const linkInput = z.object({ account: z.uuid(), key: z.hash("sha256") });

/** Whether an address of `stopRemindersUrl` is genuine. Open to all; it changes nothing, because programs that check mails follow links. */
export function isStopRemindersLink(ctx: Context, input: UntrustedInput): boolean {
  allowAnyone(ctx);
  const { success, data } = linkInput.safeParse(input);
  return success && isSigned(ctx, data);
}

function isSigned(ctx: Context, { account, key }: z.output<typeof linkInput>): boolean {
  return timingSafeEqual(Buffer.from(key), Buffer.from(signatureOf(ctx, account)));
}

/**
 * Stops the reminders to the account of a link. Open to all who have the link. A repeated call changes nothing, nor does one about a
 * deleted account.
 *
 * @throws DomainError 'reminder-link-invalid'
 */
export async function stopReminders(ctx: Context, input: UntrustedInput): Promise<void> {
  allowAnyone(ctx);
  const { success, data } = linkInput.safeParse(input);
  if (!success || !isSigned(ctx, data)) throw new DomainError("reminder-link-invalid");
  await store(ctx.db, data.account, false);
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
}
