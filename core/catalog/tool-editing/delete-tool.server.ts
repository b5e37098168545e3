import { eq, sql } from "drizzle-orm";
import { lockEdits } from "#db/edit-lock.ts";
import { tools } from "#db/tables/catalog.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../../audit/record-audit.server.ts";
import { requireAdmin } from "../../authorise.ts";
import type { Context } from "../../context.ts";
import { DomainError } from "../../errors.ts";
import { parseInput, type UntrustedInput } from "../../parse.ts";
import { lockTool, selectPageGrants } from "./queries.server.ts";
import { deleteToolSchema } from "./schemas.ts";
import { toToolRecord } from "./tool-record.ts";

/**
 * Takes a tool out of the catalogue and the admin's lists, for good. Its row, page, servers and codes stay for passes
 * that still run; purchases keep their name and price. An open checkout keeps its unit and can still be paid.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'invalid-input', 'tool-not-found'
 */
export async function deleteTool(ctx: Context, input: { toolId: string } | UntrustedInput): Promise<void> {
  requireAdmin(ctx, "deletes");
  const { toolId } = parseInput(deleteToolSchema, input);
  await inTransaction(ctx.db, async (tx) => {
    await lockEdits(tx);
    const tool = await lockTool(tx, toolId);
    if (tool === null) throw new DomainError("tool-not-found");
    const now = ctx.clock.now();
    await tx
      .update(tools)
      .set({ deletedAt: now, isActive: false, version: sql`${tools.version} + 1`, updatedAt: now })
      .where(eq(tools.id, toolId));
    changed(tx, tools);
    const grants = await selectPageGrants(tx, { slug: tool.slug, toolId });
    await recordAudit(ctx, tx, {
      action: "tool.deleted",
      subjectType: "tool",
      subjectId: toolId,
      details: { slug: tool.slug, before: toToolRecord(tool, grants) },
    });
  });
}
