import { eq } from "drizzle-orm";
import { z } from "zod";
import { mailMessages } from "#db/tables/operations.ts";
import { inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { canBeSentAgain } from "./list-mail.server.ts";

const sendMailAgainInput = z.object({ mailId: z.uuid("Mail not found") });

/**
 * Puts a mail that has failed back into the queue, with all its tries.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', invalid-input, not-found; changed-meanwhile when it has not failed, or
 *   holds a link that no longer works
 */
export async function sendMailAgain(
  ctx: Context,
  input: z.input<typeof sendMailAgainInput> | UntrustedInput,
): Promise<void> {
  requireAdmin(ctx, "keeps-house");
  const { mailId } = parseInput(sendMailAgainInput, input);
  await inTransaction(ctx.db, async (tx) => {
    const [message] = await tx.select().from(mailMessages).where(eq(mailMessages.id, mailId)).for("update");
    if (!message) throw new DomainError("not-found");
    if (!canBeSentAgain(message)) throw new DomainError("changed-meanwhile");
    await tx
      .update(mailMessages)
      .set({ status: "queued", tries: 0, lastError: null, lastFailedAt: null, nextTryAt: ctx.clock.now() })
      .where(eq(mailMessages.id, mailId));
    await recordAudit(ctx, tx, {
      action: "mail.queued-again",
      subjectType: "mail",
      subjectId: mailId,
      details: { kind: message.kind },
    });
  });
  ctx.ports.jobs.triggerSoon("send-mail");
}
