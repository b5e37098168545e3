import { eq, sql } from "drizzle-orm";
import type { z } from "zod";
import { lockEdits } from "#db/edit-lock.ts";
import { accessCodes } from "#db/tables/vault.ts";
import { inTransaction } from "#db/transaction.ts";
import { changedFields } from "../audit/changed-fields.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { sealCodesOfRow } from "../vault/seal-access-code.ts";
import { findTakenHashes, lockAccessCode, selectToolName } from "./queries.server.ts";
import { updateAccessCodeSchema } from "./schemas.ts";

/**
 * Changes an access code. Both codes are sealed again. The audit event says whether a code changed, and no code.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'invalid-input', 'not-found', 'tool-not-found',
 *   'access-code-taken', 'changed-meanwhile' (the row no longer has `version`)
 */
export async function updateAccessCode(
  ctx: Context,
  input: z.input<typeof updateAccessCodeSchema> | UntrustedInput,
): Promise<{ version: number }> {
  requireAdmin(ctx);
  const { id, version, simpleCode, sessionCode, ...fields } = parseInput(updateAccessCodeSchema, input);
  return inTransaction(ctx.db, async (tx) => {
    await lockEdits(tx);
    const before = await lockAccessCode(tx, id);
    if (before === null) throw new DomainError("not-found");
    if (before.version !== version) throw new DomainError("changed-meanwhile");
    // A code of a deleted tool can be changed: its page still works for passes that run.
    const movesTo = fields.toolId === before.toolId ? undefined : await selectToolName(tx, fields.toolId);
    if (movesTo === null) throw new DomainError("tool-not-found");
    const sealed = sealCodesOfRow(ctx.ports.cipher, id, { simpleCode, sessionCode });
    if ((await findTakenHashes(tx, [sealed.simpleCodeHash], id)).size > 0)
      throw new DomainError("access-code-taken");
    const now = ctx.clock.now();
    const simpleCodeChanged = before.simpleCodeHash !== sealed.simpleCodeHash;
    await tx
      .update(accessCodes)
      .set({
        ...fields,
        ...sealed,
        ...(simpleCodeChanged && { codeChangedAt: now }),
        version: sql`${accessCodes.version} + 1`,
        updatedAt: now,
      })
      .where(eq(accessCodes.id, id));
    await recordAudit(ctx, tx, {
      action: "access-code.updated",
      subjectType: "access-code",
      subjectId: id,
      details: {
        ...changedFields(before, fields),
        simpleCodeChanged,
        sessionCodeChanged: before.sessionCodeHash !== sealed.sessionCodeHash,
      },
    });
    return { version: version + 1 };
  });
}
