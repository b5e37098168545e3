import { and, desc, eq, gt, isNotNull, isNull, lte } from "drizzle-orm";
import type { Executor, Transaction } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { type GiveawayRound, giveawayRounds } from "#db/tables/giveaways.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { changed } from "#db/transaction.ts";

const runsAt = (now: Date) => and(lte(giveawayRounds.startsAt, now), gt(giveawayRounds.endsAt, now));

export async function selectRoundAt(executor: Executor, now: Date): Promise<GiveawayRound | null> {
  const [round] = await executor.select().from(giveawayRounds).where(runsAt(now));
  return round ?? null;
}

/** When the last round ended; null when none has. */
export async function selectLastEnd(executor: Executor, now: Date): Promise<Date | null> {
  const [last] = await executor
    .select({ endsAt: giveawayRounds.endsAt })
    .from(giveawayRounds)
    .where(lte(giveawayRounds.endsAt, now))
    .orderBy(desc(giveawayRounds.startsAt))
    .limit(1);
  return last?.endsAt ?? null;
}

/** Does nothing when another process has opened a round for this time. */
export async function insertRound(
  executor: Executor,
  round: Pick<GiveawayRound, "startsAt" | "endsAt" | "toolId" | "validityDays" | "createdAt">,
): Promise<void> {
  await executor.insert(giveawayRounds).values(round).onConflictDoNothing();
  changed(executor, giveawayRounds);
}

/**
 * Makes a user the winner of a round that runs now and that nobody has won. One of parallel calls succeeds: the others wait for
 * the row and then find a winner.
 *
 * @returns whether the user has won
 */
export async function takeRound(
  tx: Transaction,
  roundId: string,
  claim: { winnerUserId: string; claimedAt: Date; purchaseId: string },
): Promise<boolean> {
  const taken = await tx
    .update(giveawayRounds)
    .set(claim)
    .where(and(eq(giveawayRounds.id, roundId), isNull(giveawayRounds.winnerUserId), runsAt(claim.claimedAt)))
    .returning({ id: giveawayRounds.id });
  changed(tx, giveawayRounds);
  return taken.length > 0;
}

const winnerColumns = { name: users.name, email: users.email, deletedAt: users.deletedAt };

/** What `maskWinner` needs. It must not leave the server as it is. */
export async function selectWinner(executor: Executor, userId: string) {
  const [winner] = await executor.select(winnerColumns).from(users).where(eq(users.id, userId));
  return winner ?? null;
}

/** The newest first. The tool has the name that it had on the day. */
export async function selectWonRounds(executor: Executor, limit: number) {
  return executor
    .select({
      id: giveawayRounds.id,
      startsAt: giveawayRounds.startsAt,
      toolName: userPurchases.toolName,
      winner: winnerColumns,
    })
    .from(giveawayRounds)
    .innerJoin(users, eq(users.id, giveawayRounds.winnerUserId))
    .innerJoin(userPurchases, eq(userPurchases.id, giveawayRounds.purchaseId))
    .where(isNotNull(giveawayRounds.winnerUserId))
    .orderBy(desc(giveawayRounds.startsAt))
    .limit(limit);
}
