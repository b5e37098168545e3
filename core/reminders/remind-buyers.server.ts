import { and, asc, eq, gt, inArray, isNull, lte, not, type SQL, sql } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { tools } from "#db/tables/catalog.ts";
import { passReminders, userPurchases } from "#db/tables/purchases.ts";
import { inTransaction } from "#db/transaction.ts";
import { requireSystem } from "../authorise.ts";
import { isUnconfirmedRestore } from "../backups/restored-shop.server.ts";
import { IS_ON_SALE } from "../catalog/on-sale.server.ts";
import type { Context } from "../context.ts";
import { REMINDER_MAIL } from "../mail/mail-templates.ts";
import { queueMail } from "../mail/queue-mail.server.ts";
import { stopRemindersUrl } from "../mail/stop-reminders-link.ts";
import { IN_LOCK_ORDER, IS_BEING_RENEWED, IS_RENEWED, isActivePass } from "../pass-validity.server.ts";
import { addDays, formatEnd, HOUR } from "../time.ts";
import { readRemindersSince } from "./reminder-setting.server.ts";
import { dueReminder, EARLIEST_REMINDER_DAYS, isReminderHour } from "./reminder-times.ts";

/** More are left to the next run. */
const MOST_PASSES = 10_000;

/**
 * Mails buyers before a pass ends, all passes of one buyer in one mail, between 9 and 20 o'clock in the store. There is one mail for
 * each pass, kind and end. Nobody is reminded of a pass that has a renewal or an open checkout for one, of a test pass, or after the
 * person has asked for no reminders. A shop without a mail server, or one that was restored and not confirmed, reminds nobody.
 *
 * @returns how many mails were written
 * @throws DomainError 'forbidden' unless the actor is the system
 */
export async function remindBuyers(ctx: Context): Promise<number> {
  requireSystem(ctx);
  const since = await readRemindersSince(ctx);
  const now = ctx.clock.now();
  if (since === null || ctx.ports.mailTransport === null) return 0;
  if (!isReminderHour(now, ctx.store.timeZone) || (await isUnconfirmedRestore(ctx.db))) return 0;
  const passes = await ctx.db
    .select({
      id: userPurchases.id,
      userId: userPurchases.userId,
      startsAt: userPurchases.startsAt,
      expiresAt: userPurchases.expiresAt,
    })
    .from(userPurchases)
    .innerJoin(users, eq(users.id, userPurchases.userId))
    .where(and(mayBeReminded(ctx), not(wasReminded(now))))
    .orderBy(asc(userPurchases.expiresAt))
    .limit(MOST_PASSES);
  const due = passes.filter((pass) => reminderOf(ctx, pass, since) !== null);
  let written = 0;
  for (const [userId, own] of Map.groupBy(due, ({ userId }) => userId)) {
    const ids = own.map(({ id }) => id);
    if (await inTransaction(ctx.db, (tx) => remind(ctx, tx, { userId, ids, since }))) written += 1;
  }
  return written;
}

function reminderOf(ctx: Context, pass: { startsAt: Date | null; expiresAt: Date | null }, since: Date) {
  const { startsAt, expiresAt } = pass;
  if (startsAt === null || expiresAt === null) return null;
  return dueReminder({ startsAt, expiresAt }, { now: ctx.clock.now(), since, timeZone: ctx.store.timeZone });
}

/** Passes that end soon, of buyers who want to know, and who have not paid or begun to pay for a renewal. */
function mayBeReminded(ctx: Context): SQL | undefined {
  return and(
    isActivePass(ctx),
    lte(userPurchases.expiresAt, addDays(ctx.clock.now(), EARLIEST_REMINDER_DAYS)),
    eq(userPurchases.testMode, false),
    eq(users.isActive, true),
    eq(users.wantsReminders, true),
    isNull(users.deletedAt),
    not(IS_RENEWED),
    not(IS_BEING_RENEWED),
  );
}

/** No reminder can be due for this end: the last one was mailed, or the first one, and the last day has not begun. */
function wasReminded(now: Date): SQL {
  return sql`exists (select from ${passReminders}
    where ${passReminders.purchaseId} = ${userPurchases.id} and ${passReminders.endsAt} = ${userPurchases.expiresAt}
      and (${passReminders.kind} = 'last-day' or ${userPurchases.expiresAt} > ${new Date(now.getTime() + 36 * HOUR)}))`;
}

/**
 * Writes one mail about the passes that are still to be reminded of. A renewal locks the passes too, so one that is paid meanwhile
 * is seen.
 */
async function remind(
  ctx: Context,
  tx: Transaction,
  { userId, ids, since }: { userId: string; ids: readonly string[]; since: Date },
): Promise<boolean> {
  const isOne = inArray(userPurchases.id, [...ids]);
  await tx
    .select({ id: userPurchases.id })
    .from(userPurchases)
    .where(isOne)
    .orderBy(...IN_LOCK_ORDER)
    .for("update");
  const passes = await tx
    .select({
      id: userPurchases.id,
      startsAt: userPurchases.startsAt,
      expiresAt: userPurchases.expiresAt,
      toolName: userPurchases.toolName,
      slug: tools.slug,
      isSold: sql<boolean>`coalesce(${and(IS_ON_SALE, gt(tools.availableStock, 0), eq(tools.contactOnly, false))}, false)`,
      email: users.email,
    })
    .from(userPurchases)
    .innerJoin(users, eq(users.id, userPurchases.userId))
    .leftJoin(tools, eq(tools.id, userPurchases.toolId))
    .where(and(isOne, mayBeReminded(ctx)))
    .orderBy(asc(userPurchases.expiresAt));
  const reminders = passes.flatMap(({ id, startsAt, expiresAt }) => {
    const kind = reminderOf(ctx, { startsAt, expiresAt }, since);
    return kind === null || expiresAt === null ? [] : [{ purchaseId: id, kind, endsAt: expiresAt }];
  });
  if (reminders.length === 0) return false;
  const written = await tx
    .insert(passReminders)
    .values(reminders.map((reminder) => ({ ...reminder, createdAt: ctx.clock.now() })))
    .onConflictDoNothing()
    .returning({ id: passReminders.purchaseId });
  const reminded = passes.filter(({ id }) => written.some((one) => one.id === id));
  const [first] = reminded;
  if (first === undefined) return false;
  await queueMail(ctx, tx, {
    to: first.email,
    kind: REMINDER_MAIL,
    facts: {
      passes: reminded.flatMap(({ toolName, expiresAt, slug, isSold }) =>
        expiresAt === null
          ? []
          : {
              toolName,
              until: formatEnd(expiresAt, ctx.store.timeZone),
              renewUrl: isSold && slug !== null ? `${ctx.store.origin}/shop/${slug}` : null,
            },
      ),
      stopUrl: stopRemindersUrl(ctx, userId),
    },
    // It says when a pass ends.
    ...(first.expiresAt !== null && { validUntil: first.expiresAt }),
  });
  return true;
}
