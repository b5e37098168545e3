import { inTransaction } from "#db/transaction.ts";
import { addressOf, recordAudit } from "../../audit/record-audit.server.ts";
import { requireSignedIn } from "../../authorise.ts";
import type { Context } from "../../context.ts";
import { deleteSessions } from "./queries.server.ts";

/**
 * The signed-in person signs all other browsers out, at once. Devices of the extension stay connected.
 *
 * @returns how many were signed out
 * @throws DomainError unauthenticated
 */
export async function endOtherSessions(ctx: Context): Promise<{ ended: number }> {
  const { userId, sessionId } = requireSignedIn(ctx, "own-account");
  return inTransaction(ctx.db, async (tx) => {
    const ended = await deleteSessions(tx, userId, { except: sessionId });
    if (ended > 0) {
      await recordAudit(ctx, tx, {
        action: "account.other-sessions-ended",
        subjectType: "user",
        subjectId: userId,
        details: { sessionsEnded: ended, ...addressOf(ctx) },
      });
    }
    return { ended };
  });
}
