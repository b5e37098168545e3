import { z } from "zod";
import type { GiveawayRound } from "#db/tables/giveaways.ts";
import { inTransaction, isExclusionViolation } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { type AuthorisedContext, requireSignedIn } from "../authorise.ts";
import { requireConfirmedShop } from "../backups/restored-shop.server.ts";
import { recountForNewPass } from "../catalog/stock.server.ts";
import type { Context } from "../context.ts";
import { DomainError, isDomainError } from "../errors.ts";
import { queueMail } from "../mail/queue-mail.server.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { findActivePass } from "../passes/access.server.ts";
import { givePass } from "../passes/give-pass.server.ts";
import { formatDateTime } from "../time.ts";
import { selectRoundAt, takeRound } from "./queries.server.ts";
import { openTodaysRound } from "./read-giveaways.server.ts";

const claimGiveawayInput = z.object({
  /** The round that the page showed, so that nobody claims another tool just after midnight. */
  roundId: z.uuid("Please reload the page and try again."),
});

export interface ClaimedGiveaway {
  toolName: string;
  toolSlug: string;
  /** When the pass ends. */
  expiresAt: Date;
}

/**
 * Claims the giveaway of today: the first claim gets the pass, which takes no stock, and a code where each buyer gets a code. Any
 * active account without a running pass for the tool may claim; an admin may not. The winner may repeat the claim and gets the
 * same response, because the first one may have been lost.
 *
 * @throws DomainError unauthenticated (also for a deleted account), forbidden for an admin, invalid-input, shop-not-confirmed,
 *   claims-too-fast, no-giveaway, giveaway-ended, giveaway-taken, already-owned, user-disabled,
 *   tool-out-of-stock (no code is left)
 */
export async function claimGiveaway(
  ctx: Context,
  input: z.input<typeof claimGiveawayInput> | UntrustedInput,
): Promise<ClaimedGiveaway> {
  requireSignedIn(ctx, "own-account");
  const { userId, kind } = ctx.actor;
  if (kind === "admin") throw new DomainError("forbidden");
  const { roundId } = parseInput(claimGiveawayInput, input);
  await requireConfirmedShop(ctx.db);
  const today = await openTodaysRound(ctx);
  if (today === null) throw new DomainError("no-giveaway");
  const { round, tool } = today;
  if (round.id !== roundId) throw new DomainError("giveaway-ended");
  const claimed = { toolName: tool.name, toolSlug: tool.slug };
  const won = await findOwnWin(ctx, round, userId);
  if (won) return { ...claimed, expiresAt: won.expiresAt };
  // Most claims are refused without a transaction. They cost less than the limiter's own write, so it does not count them.
  if (round.winnerUserId !== null) throw new DomainError("giveaway-taken");
  await ctx.ports.rateLimiter.consume("giveaway-account", userId);
  try {
    return { ...claimed, expiresAt: await takePass(ctx, round, userId) };
  } catch (error) {
    const refusal = toRefusal(error);
    // A second click or another tab of the winner.
    const now = isDomainError(refusal) ? await selectRoundAt(ctx.db, ctx.clock.now()) : null;
    const own = now && (await findOwnWin(ctx, now, userId));
    if (own) return { ...claimed, expiresAt: own.expiresAt };
    throw refusal;
  }
}

async function findOwnWin(ctx: AuthorisedContext, round: GiveawayRound, userId: string) {
  if (round.winnerUserId !== userId) return null;
  return findActivePass(ctx, ctx.db, { userId, toolId: round.toolId });
}

/**
 * The pass and the round that it was won in, in one transaction. The round is the last lock, so that claims wait for each
 * other as short as possible.
 */
async function takePass(ctx: AuthorisedContext, round: GiveawayRound, userId: string): Promise<Date> {
  return inTransaction(ctx.db, async (tx) => {
    const { purchaseId, expiresAt, account, tool } = await givePass(ctx, tx, {
      userId,
      toolId: round.toolId,
      validityDays: round.validityDays,
      source: "giveaway",
      assignedBy: null,
      notes: "Won in the daily giveaway",
      stockState: "none",
    });
    if (!(await recountForNewPass(ctx, tx, { toolId: tool.id, purchaseId })))
      throw new DomainError("tool-out-of-stock", { tool: tool.name });
    const claim = { winnerUserId: userId, claimedAt: ctx.clock.now(), purchaseId };
    if (!(await takeRound(tx, round.id, claim))) throw new DomainError("giveaway-taken");
    await recordAudit(ctx, tx, {
      action: "giveaway.claimed",
      subjectType: "purchase",
      subjectId: purchaseId,
      details: { before: null, after: { userId, toolId: tool.id, toolName: tool.name, expiresAt } },
    });
    await queueMail(ctx, tx, {
      to: account.email,
      kind: "giveaway-won",
      facts: {
        toolName: tool.name,
        until: formatDateTime(expiresAt, ctx.store.timeZone),
        toolUrl: `${ctx.store.origin}/tools/${tool.slug}`,
      },
    });
    return expiresAt;
  });
}

function toRefusal(error: unknown): unknown {
  // A payment of the user became a pass for this tool at the same time.
  if (isExclusionViolation(error)) return new DomainError("already-owned");
  if (isDomainError(error, "not-found")) return new DomainError("unauthenticated");
  return isDomainError(error, "tool-not-found") ? new DomainError("no-giveaway") : error;
}
