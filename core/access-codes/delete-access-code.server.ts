import { eq } from "drizzle-orm";
import { lockEdits } from "#db/edit-lock.ts";
import { accessCodes } from "#db/tables/vault.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin } from "../authorise.ts";
import { recountStock } from "../catalog/code-stock.server.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { lockAccessCode } from "./queries.server.ts";
import { accessCodeIdSchema } from "./schemas.ts";

/**
 * Removes an access code, for good. A pass that had it takes another one when its buyer asks for the code again.
 *
 * @returns `waitingPasses`: how many held or sold passes of the tool have no code coming any more
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'invalid-input', 'not-found'
 */
export async function deleteAccessCode(
  ctx: Context,
  input: { id: string } | UntrustedInput,
): Promise<{ waitingPasses: number }> {
  requireAdmin(ctx, "deletes");
  const { id } = parseInput(accessCodeIdSchema, input);
  return inTransaction(ctx.db, async (tx) => {
    await lockEdits(tx);
    const code = await lockAccessCode(tx, id);
    if (code === null) throw new DomainError("not-found");
    await tx.delete(accessCodes).where(eq(accessCodes.id, id));
    changed(tx, accessCodes);
    const { toolId, serverName, isActive } = code;
    const units = await recountStock(ctx, tx, toolId);
    await recordAudit(ctx, tx, {
      action: "access-code.deleted",
      subjectType: "access-code",
      subjectId: id,
      details: { before: { toolId, serverName, isActive } },
    });
    return { waitingPasses: Math.max(0, -(units ?? 0)) };
  });
}
