import type { z } from "zod";
import { lockEdits } from "#db/edit-lock.ts";
import { accessCodes } from "#db/tables/vault.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin } from "../authorise.ts";
import { recountStock } from "../catalog/code-stock.server.ts";
import { isServerPerBuyer } from "../catalog/server-kinds.server.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { sealAccessCode } from "../vault/seal-access-code.ts";
import { findTakenHashes, selectToolName } from "./queries.server.ts";
import { requireServer } from "./require-server.server.ts";
import { createAccessCodeSchema } from "./schemas.ts";

/**
 * Adds an access code for one server of a tool: for one buyer when the server hands out one for each, otherwise for all.
 * Generates a session code when none is given.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'invalid-input', 'tool-not-found', 'access-code-taken'
 */
export async function createAccessCode(
  ctx: Context,
  input: z.input<typeof createAccessCodeSchema> | UntrustedInput,
): Promise<{ id: string }> {
  requireAdmin(ctx, "replaces-secret");
  const { toolId, serverName: chosen, isActive, ...codes } = parseInput(createAccessCodeSchema, input);
  return inTransaction(ctx.db, async (tx) => {
    await lockEdits(tx);
    const toolName = await selectToolName(tx, toolId);
    if (toolName === null) throw new DomainError("tool-not-found");
    const serverName = await requireServer(tx, { toolId, serverName: chosen });
    const perBuyer = await isServerPerBuyer(tx, { toolId, serverName });
    const now = ctx.clock.now();
    const sealed = sealAccessCode(ctx.ports.cipher, { ...codes, toolName }, now);
    if ((await findTakenHashes(tx, [sealed.simpleCodeHash])).size > 0)
      throw new DomainError("access-code-taken");
    await tx
      .insert(accessCodes)
      .values({ ...sealed, toolId, serverName, isActive, perBuyer, codeChangedAt: now, createdAt: now });
    changed(tx, accessCodes);
    await recountStock(ctx, tx, toolId);
    await recordAudit(ctx, tx, {
      action: "access-code.created",
      subjectType: "access-code",
      subjectId: sealed.id,
      details: { after: { toolId, serverName, isActive } },
    });
    return { id: sealed.id };
  });
}
