import { eq } from "drizzle-orm";
import type { z } from "zod";
import { lockEdits } from "#db/edit-lock.ts";
import { tools } from "#db/tables/catalog.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { changedFields, recordAudit } from "../../audit/record-audit.server.ts";
import { requireAdmin } from "../../authorise.ts";
import type { Context } from "../../context.ts";
import { DomainError } from "../../errors.ts";
import { parseInput, type UntrustedInput } from "../../parse.ts";
import { lockTool } from "./queries.server.ts";
import { sellWhenNotReadySchema } from "./schemas.ts";

/**
 * The owner decides whether a tool whose pass would open nothing is sold all the same. The decision stays when the tool
 * becomes ready, and applies again when it stops being so.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'invalid-input', 'tool-not-found'
 */
export async function sellWhenNotReady(
  ctx: Context,
  input: z.input<typeof sellWhenNotReadySchema> | UntrustedInput,
): Promise<void> {
  requireAdmin(ctx, "redirects-buyers");
  const { toolId, sellsWhenNotReady } = parseInput(sellWhenNotReadySchema, input);
  await inTransaction(ctx.db, async (tx) => {
    await lockEdits(tx);
    const before = await lockTool(tx, toolId);
    if (before === null) throw new DomainError("tool-not-found");
    if (before.sellsWhenNotReady === sellsWhenNotReady) return;
    await tx.update(tools).set({ sellsWhenNotReady, updatedAt: ctx.clock.now() }).where(eq(tools.id, toolId));
    changed(tx, tools);
    await recordAudit(ctx, tx, {
      action: sellsWhenNotReady ? "tool.sold-when-not-ready" : "tool.not-sold-when-not-ready",
      subjectType: "tool",
      subjectId: toolId,
      details: changedFields(before, { sellsWhenNotReady }),
    });
  });
}
