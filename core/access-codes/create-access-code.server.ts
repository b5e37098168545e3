import { and, eq, isNull } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import type { z } from "zod";
import { tools } from "#db/tables/catalog.ts";
import { accessCodes } from "#db/tables/vault.ts";
import { inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput } from "../parse.ts";
import { createAccessCodeSchema } from "./schemas.ts";
import { makeSessionCode } from "./session-code.ts";

/**
 * Adds a code for one server of a tool; without a session code one is made. Both are sealed before they are written.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'invalid-input', 'tool-not-found'
 */
export async function createAccessCode(
  ctx: Context,
  input: z.input<typeof createAccessCodeSchema>,
): Promise<{ id: string }> {
  requireAdmin(ctx);
  const given = parseInput(createAccessCodeSchema, input);
  return inTransaction(ctx.db, async (tx) => {
    const [tool] = await tx
      .select({ name: tools.name })
      .from(tools)
      .where(and(eq(tools.id, given.toolId), isNull(tools.deletedAt)));
    if (tool === undefined) throw new DomainError("tool-not-found");
    const { cipher } = ctx.ports;
    const id = uuidv7();
    const sessionCode = given.sessionCode ?? makeSessionCode(tool.name, ctx.clock.now());
    const place = (column: string) => ({ table: "access_codes", rowId: id, column });
    await tx.insert(accessCodes).values({
      id,
      toolId: given.toolId,
      serverName: given.serverName,
      simpleCodeSealed: cipher.seal(given.simpleCode, place("simple_code_sealed")),
      simpleCodeHash: cipher.lookupHash(given.simpleCode),
      sessionCodeSealed: cipher.seal(sessionCode, place("session_code_sealed")),
      sessionCodeHash: cipher.lookupHash(sessionCode),
      isActive: given.isActive,
      createdAt: ctx.clock.now(),
    });
    await recordAudit(ctx, tx, {
      action: "access-code.created",
      subjectType: "access-code",
      subjectId: id,
      details: { toolId: given.toolId, serverName: given.serverName },
    });
    return { id };
  });
}
