import { and, asc, eq, gt, gte, ne } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { type Purchase, userPurchases } from "#db/tables/purchases.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import type { Context } from "../context.ts";
import { IN_LOCK_ORDER, isRunningPass } from "../pass-validity.server.ts";
import { updatePassTimes } from "./queries.server.ts";

interface RenewedPass {
  /** When the active pass ends, which is the start of the renewal; null: there is none any more, and the renewal starts now. */
  endsAt: Date | null;
  /** The pass has a renewal already. It can have only one. */
  hasRenewal: boolean;
}

/**
 * Locks the buyer's passes of the tool of a renewal that is paid now, so that none of them ends or moves meanwhile, and says
 * where the renewal starts. Two renewals that are paid at the same time start at the same moment, so the
 * constraint `user_purchases_no_overlap` refuses the second one.
 */
export async function lockRenewedPass(
  ctx: Context,
  tx: Transaction,
  { id, userId, toolId }: Purchase,
): Promise<RenewedPass> {
  if (toolId === null) return { endsAt: null, hasRenewal: false };
  const passes = await tx
    .select({ startsAt: userPurchases.startsAt, expiresAt: userPurchases.expiresAt })
    .from(userPurchases)
    .where(
      and(
        eq(userPurchases.userId, userId),
        eq(userPurchases.toolId, toolId),
        ne(userPurchases.id, id),
        isRunningPass(ctx),
      ),
    )
    .orderBy(...IN_LOCK_ORDER)
    .for("update");
  const now = ctx.clock.now();
  const ends = passes.flatMap(({ expiresAt }) => expiresAt?.getTime() ?? []);
  return {
    endsAt: ends.length > 0 ? new Date(Math.max(...ends)) : null,
    hasRenewal: passes.some(({ startsAt }) => startsAt !== null && startsAt > now),
  };
}

/**
 * Moves the renewal that waits for the end of a pass, because that end has changed: the renewal starts at `startsAt` and keeps
 * its days. So do passes that wait for the end of the renewal, as an import may have left them. Each move is audited. The
 * caller has locked the pass.
 *
 * @param pass with its end before the change
 */
export async function moveRenewal(
  ctx: Context,
  tx: Transaction,
  pass: Pick<Purchase, "id" | "userId" | "toolId" | "expiresAt">,
  startsAt: Date,
): Promise<void> {
  const { id, userId, toolId, expiresAt } = pass;
  if (toolId === null || expiresAt === null) return;
  const waiting = await tx
    .select()
    .from(userPurchases)
    .where(
      and(
        eq(userPurchases.userId, userId),
        eq(userPurchases.toolId, toolId),
        ne(userPurchases.id, id),
        gte(userPurchases.startsAt, expiresAt),
        // A renewal that has begun has used a part of its days, and stays.
        gt(userPurchases.startsAt, ctx.clock.now()),
        isRunningPass(ctx),
      ),
    )
    .orderBy(asc(userPurchases.startsAt))
    .for("update");
  const moves: { purchaseId: string; before: Times; after: Times }[] = [];
  let [end, movedEnd] = [expiresAt, startsAt];
  for (const renewal of waiting) {
    if (renewal.startsAt?.getTime() !== end.getTime() || renewal.expiresAt === null) break;
    const before = { startsAt: renewal.startsAt, expiresAt: renewal.expiresAt };
    const length = before.expiresAt.getTime() - before.startsAt.getTime();
    const after = { startsAt: movedEnd, expiresAt: new Date(movedEnd.getTime() + length) };
    moves.push({ purchaseId: renewal.id, before, after });
    [end, movedEnd] = [before.expiresAt, after.expiresAt];
  }
  // The last renewal makes room for the renewal before it when they move to a later time.
  for (const { purchaseId, before, after } of startsAt > expiresAt ? moves.toReversed() : moves) {
    await updatePassTimes(tx, purchaseId, after);
    const subject = { subjectType: "purchase", subjectId: purchaseId };
    await recordAudit(ctx, tx, { action: "purchase.renewal-moved", ...subject, details: { before, after } });
  }
}

interface Times {
  startsAt: Date;
  expiresAt: Date;
}
