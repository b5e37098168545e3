import { and, eq, isNull } from "drizzle-orm";
import { z } from "zod";
import { tools } from "#db/tables/catalog.ts";
import { accessCodes } from "#db/tables/vault.ts";
import { inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput } from "../parse.ts";
import { sealAccessCode } from "../vault/seal-access-code.ts";

/** Codes are pasted, so outer spaces are removed. */
const inputSchema = z.object({
  toolId: z.uuid(),
  serverName: z.string().trim().min(1, "Enter the server's name.").max(60),
  simpleCode: z.string().trim().min(1, "Enter the simple code.").max(200),
  sessionCode: z.string().trim().min(1).max(500).optional(),
  isActive: z.boolean().default(true),
});

/**
 * Adds an access code for one server of a tool. Makes a session code when none is given.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'invalid-input', 'tool-not-found'
 */
export async function createAccessCode(
  ctx: Context,
  input: z.input<typeof inputSchema>,
): Promise<{ id: string }> {
  requireAdmin(ctx);
  const { toolId, serverName, simpleCode, sessionCode, isActive } = parseInput(inputSchema, input);
  return inTransaction(ctx.db, async (tx) => {
    const [tool] = await tx
      .select({ name: tools.name })
      .from(tools)
      .where(and(eq(tools.id, toolId), isNull(tools.deletedAt)));
    if (tool === undefined) throw new DomainError("tool-not-found");
    const now = ctx.clock.now();
    const sealed = sealAccessCode(ctx.ports.cipher, { simpleCode, sessionCode, toolName: tool.name }, now);
    await tx.insert(accessCodes).values({ ...sealed, toolId, serverName, isActive, createdAt: now });
    await recordAudit(ctx, tx, {
      action: "access-code.created",
      subjectType: "access-code",
      subjectId: sealed.id,
      details: { toolId, serverName },
    });
    return { id: sealed.id };
  });
}
