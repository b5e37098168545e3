import { z } from "zod";
import { inTransaction } from "#db/transaction.ts";
import { addressOf, recordAudit } from "../../audit/record-audit.server.ts";
import { requireSignedIn } from "../../authorise.ts";
import type { Context } from "../../context.ts";
import { DomainError } from "../../errors.ts";
import { parseInput, type UntrustedInput } from "../../parse.ts";
import { deleteSessions } from "./queries.server.ts";

const endSessionInput = z.object({ sessionId: z.uuid() });

/**
 * The signed-in person signs another browser of theirs out, at once. A session that has ended, or is somebody else's, is
 * 'not-found'.
 *
 * @throws DomainError unauthenticated, not-found, invalid-input
 */
export async function endSession(
  ctx: Context,
  input: z.input<typeof endSessionInput> | UntrustedInput,
): Promise<void> {
  const { userId } = requireSignedIn(ctx, "own-account");
  const { sessionId } = parseInput(endSessionInput, input);
  await inTransaction(ctx.db, async (tx) => {
    const ended = await deleteSessions(tx, userId, { only: sessionId });
    if (ended === 0) throw new DomainError("not-found");
    await recordAudit(ctx, tx, {
      action: "account.session-ended",
      subjectType: "user",
      subjectId: userId,
      details: addressOf(ctx),
    });
  });
}
