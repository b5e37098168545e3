import { and, desc, eq, gt, inArray, isNull, ne } from "drizzle-orm";
import type { Executor } from "#db/database.ts";
import { sessions, users } from "#db/tables/accounts.ts";
import { deviceTickets } from "#db/tables/devices.ts";
import { changed } from "#db/transaction.ts";

/** More than these nobody reads. Ending all others ends those too that are not listed. */
const MOST_LISTED = 50;

/** The running sessions of an account, the one that was seen last first. */
export function selectSessions(executor: Executor, { userId, now }: { userId: string; now: Date }) {
  return executor
    .select({
      id: sessions.id,
      userAgent: sessions.userAgent,
      createdAt: sessions.createdAt,
      updatedAt: sessions.updatedAt,
    })
    .from(sessions)
    .where(and(eq(sessions.userId, userId), gt(sessions.expiresAt, now)))
    .orderBy(desc(sessions.updatedAt), desc(sessions.id))
    .limit(MOST_LISTED);
}

/**
 * Ends sessions of an account, and then its unused device tickets, which one of them may have got.
 *
 * @param which one session, or all except one
 * @returns how many were ended
 */
export async function deleteSessions(
  executor: Executor,
  userId: string,
  which: { only: string } | { except: string },
): Promise<number> {
  const chosen = "only" in which ? eq(sessions.id, which.only) : ne(sessions.id, which.except);
  const ended = await executor
    .delete(sessions)
    .where(and(eq(sessions.userId, userId), chosen))
    .returning({ id: sessions.id });
  changed(executor, sessions);
  await executor.delete(deviceTickets).where(eq(deviceTickets.userId, userId));
  return ended.length;
}

/** Which of these sessions run and belong to an account that may use them. */
export async function selectRunningSessions(
  executor: Executor,
  { ids, now }: { ids: readonly string[]; now: Date },
): Promise<string[]> {
  const running = await executor
    .select({ id: sessions.id })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(
      and(
        inArray(sessions.id, [...ids]),
        gt(sessions.expiresAt, now),
        eq(users.isActive, true),
        isNull(users.deletedAt),
      ),
    );
  return running.map(({ id }) => id);
}
