import { and, asc, eq, gt, inArray, isNull, lte, not, type SQL, sql } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { tools } from "#db/tables/catalog.ts";
import { mailMessages, passReminders } from "#db/tables/operations.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { requireSystem } from "../authorise.ts";
import { isUnconfirmedRestore } from "../backups/restored-shop.server.ts";
import { IS_ON_SALE } from "../catalog/on-sale.server.ts";
import type { Context } from "../context.ts";
import { REMINDER_MAIL } from "../mail/mail-templates.ts";
import { queueMail } from "../mail/queue-mail.server.ts";
import { stopRemindersUrl } from "../mail/stop-reminders-link.ts";
import { IN_LOCK_ORDER, IS_BEING_RENEWED, IS_RENEWED, isActivePass } from "../pass-validity.server.ts";
import { addDays, formatEnd } from "../time.ts";
import { areRemindersOn, beginReminders, suspendReminders } from "./reminder-setting.server.ts";
import {
  dueReminder,
  EARLIEST_REMINDER_DAYS,
  endOfReminderHours,
  isReminderHour,
  LONG_PASS,
  SHORTEST_PASS,
} from "./reminder-times.ts";

/** More are left to the next run. */
const MOST_PASSES = 10_000;

/**
 * Mails buyers before a pass ends, all passes of one buyer in one mail, between 9 and 20 o'clock in the store. There is one mail for
 * each pass, kind and end. Nobody is reminded of a pass that has a renewal or an open checkout for one, of a test pass, or after the
 * person has asked for no reminders. A shop without a mail server, or one that was restored and not confirmed, reminds nobody, also
 * not later of what was due meanwhile.
 *
 * @returns how many mails were written
 * @throws DomainError 'forbidden' unless the actor is the system
 */
export async function remindBuyers(ctx: Context): Promise<number> {
  requireSystem(ctx);
  if (ctx.ports.mailTransport === null || (await isUnconfirmedRestore(ctx.db))) {
    await suspendReminders(ctx);
    return 0;
  }
  const since = await beginReminders(ctx);
  if (since === null || !isReminderHour(ctx.clock.now(), ctx.store.timeZone)) return 0;
  const passes = await ctx.db
    .select({
      id: userPurchases.id,
      userId: userPurchases.userId,
      startsAt: userPurchases.startsAt,
      expiresAt: userPurchases.expiresAt,
    })
    .from(userPurchases)
    .innerJoin(users, eq(users.id, userPurchases.userId))
    .where(and(mayBeReminded(ctx), not(wasReminded(ctx))))
    .orderBy(asc(userPurchases.expiresAt))
    .limit(MOST_PASSES);
  const due = passes.filter((pass) => reminderOf(ctx, pass, since) !== null);
  let written = 0;
  for (const [userId, own] of Map.groupBy(due, ({ userId }) => userId)) {
    const ids = own.map(({ id }) => id);
    try {
      if (await inTransaction(ctx.db, (tx) => remind(ctx, tx, { userId, ids, since }))) written += 1;
    } catch (error) {
      // The next run tries again. The other buyers do not wait for this one.
      ctx.log.error({ err: error, userId }, "a buyer cannot be reminded");
    }
  }
  return written;
}

/**
 * Gives up reminders that wait for the mail server and are no news any more: since they were written, the pass was renewed or has
 * ended, its buyer wants none, or the owner has turned them off. It runs before mails are sent.
 *
 * @throws DomainError 'forbidden' unless the actor is the system
 */
export async function dropOutdatedReminders(ctx: Context): Promise<void> {
  requireSystem(ctx);
  const isNews = sql`exists (select from ${passReminders}
    join ${userPurchases} on ${userPurchases.id} = ${passReminders.purchaseId}
    join ${users} on ${users.id} = ${userPurchases.userId}
    where ${passReminders.mailId} = ${mailMessages.id} and ${userPurchases.expiresAt} = ${passReminders.endsAt}
      and ${mayBeReminded(ctx)})`;
  const waits = and(eq(mailMessages.status, "queued"), eq(mailMessages.kind, REMINDER_MAIL));
  const dropped = await ctx.db
    .update(mailMessages)
    .set({ status: "failed", lastError: "Not sent: it was no news any more." })
    .where((await areRemindersOn(ctx.db)) ? and(waits, not(isNews)) : waits)
    .returning({ id: mailMessages.id });
  if (dropped.length > 0) changed(ctx.db, mailMessages);
}

function reminderOf(ctx: Context, pass: { startsAt: Date | null; expiresAt: Date | null }, since: Date) {
  const { startsAt, expiresAt } = pass;
  if (startsAt === null || expiresAt === null) return null;
  return dueReminder({ startsAt, expiresAt }, { now: ctx.clock.now(), since, timeZone: ctx.store.timeZone });
}

/** Passes of so many days, rounded as `dueReminder` does. */
const isAtLeast = (days: number): SQL =>
  sql`${userPurchases.expiresAt} - ${userPurchases.startsAt} >= make_interval(hours => ${days * 24 - 12})`;
const IS_LONG = isAtLeast(LONG_PASS);

/** Passes that end soon, of buyers who want to know, and who have not paid or begun to pay for a renewal. */
function mayBeReminded(ctx: Context): SQL | undefined {
  return and(
    isActivePass(ctx),
    lte(userPurchases.expiresAt, addDays(ctx.clock.now(), EARLIEST_REMINDER_DAYS)),
    isAtLeast(SHORTEST_PASS),
    eq(userPurchases.testMode, false),
    eq(users.isActive, true),
    eq(users.wantsReminders, true),
    isNull(users.deletedAt),
    not(IS_RENEWED),
    not(IS_BEING_RENEWED),
  );
}

/** Whether no further reminder can be due now for this end: of a long pass after its first one, until its last day begins. */
function wasReminded({ clock, store }: Context): SQL {
  const lastDay = sql`(date_trunc('day', (${userPurchases.expiresAt} - interval '12 hours') at time zone ${store.timeZone})
    + interval '9 hours') at time zone ${store.timeZone}`;
  return sql`exists (select from ${passReminders}
    where ${passReminders.purchaseId} = ${userPurchases.id} and ${passReminders.endsAt} = ${userPurchases.expiresAt}
      and (${passReminders.kind} = 'last-day' or not ${IS_LONG} or ${lastDay} > ${clock.now()}))`;
}

/**
 * Writes one mail about the passes that are still to be reminded of. A renewal locks the passes too, so one that is paid meanwhile
 * is seen.
 */
async function remind(
  ctx: Context,
  tx: Transaction,
  { userId, ids: purchaseIds, since }: { userId: string; ids: readonly string[]; since: Date },
): Promise<boolean> {
  const isOne = inArray(userPurchases.id, [...purchaseIds]);
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
    .returning({ id: passReminders.id, purchaseId: passReminders.purchaseId });
  const reminded = passes.filter(({ id }) => written.some(({ purchaseId }) => purchaseId === id));
  const [first] = reminded;
  if (first === undefined) return false;
  const { origin, timeZone } = ctx.store;
  const mailId = await queueMail(ctx, tx, {
    to: first.email,
    kind: REMINDER_MAIL,
    facts: {
      passes: reminded.flatMap(({ toolName, expiresAt, slug, isSold }) =>
        expiresAt === null
          ? []
          : {
              toolName,
              until: formatEnd(expiresAt, timeZone),
              renewUrl: isSold && slug !== null ? `${origin}/shop/${slug}?renew` : null,
            },
      ),
      stopUrl: stopRemindersUrl(ctx, userId),
    },
    validUntil: endOfReminderHours(ctx.clock.now(), timeZone),
  });
  if (mailId === null) throw new Error("the mail has no text");
  const ids = written.map(({ id }) => id);
  await tx.update(passReminders).set({ mailId }).where(inArray(passReminders.id, ids));
  changed(tx, passReminders);
  return true;
}
