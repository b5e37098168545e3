import { eq, sql } from "drizzle-orm";
import type { z } from "zod";
import type { Transaction } from "#db/database.ts";
import { lockEdits } from "#db/edit-lock.ts";
import { accessCodes } from "#db/tables/vault.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { changedFields } from "../audit/changed-fields.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin } from "../authorise.ts";
import { normaliseServerName, recountStock } from "../catalog/code-stock.server.ts";
import { markServersPerBuyer, refuseMixedCodes } from "../catalog/server-kinds.server.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { sealCodesOfRow } from "../vault/seal-access-code.ts";
import { findTakenHashes, hasOtherCode, lockAccessCode, selectToolName } from "./queries.server.ts";
import { requireServer } from "./require-server.server.ts";
import { updateAccessCodeSchema } from "./schemas.ts";

/**
 * Changes an access code. Both codes are sealed again. The audit event says whether a code changed, and no code.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'invalid-input', 'not-found', 'tool-not-found',
 *   'access-code-taken', 'access-code-in-use', 'access-code-replaced', 'server-has-shared-codes',
 *   'server-has-codes-per-buyer', 'changed-meanwhile' (the row no longer has `version`)
 */
export async function updateAccessCode(
  ctx: Context,
  input: z.input<typeof updateAccessCodeSchema> | UntrustedInput,
): Promise<{ version: number }> {
  requireAdmin(ctx, "replaces-secret");
  const { id, version, simpleCode, sessionCode, ...sent } = parseInput(updateAccessCodeSchema, input);
  return inTransaction(ctx.db, async (tx) => {
    await lockEdits(tx);
    const before = await lockAccessCode(tx, id);
    if (before === null) throw new DomainError("not-found");
    if (before.version !== version) throw new DomainError("changed-meanwhile");
    // A code of a deleted tool can be changed: its page still works for passes that run.
    const movesTo = sent.toolId === before.toolId ? undefined : await selectToolName(tx, sent.toolId);
    if (movesTo === null) throw new DomainError("tool-not-found");
    const fields = { ...sent, serverName: await checkPlace(tx, before, sent) };
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
    changed(tx, accessCodes);
    await markServersPerBuyer(tx, fields.toolId);
    await recountStock(ctx, tx, before.toolId);
    if (fields.toolId !== before.toolId) await recountStock(ctx, tx, fields.toolId);
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

type Code = NonNullable<Awaited<ReturnType<typeof lockAccessCode>>>;

/**
 * Refuses a place where the code would reach nobody, or where it would mix with codes of the other kind.
 *
 * @returns the name of its server
 */
async function checkPlace(
  tx: Transaction,
  before: Code,
  { toolId, serverName: chosen, isActive }: Pick<Code, "toolId" | "serverName" | "isActive">,
): Promise<string> {
  const stays =
    toolId === before.toolId && normaliseServerName(chosen) === normaliseServerName(before.serverName);
  // A server that is gone, or a deleted tool, is no reason to refuse another change of its code.
  const serverName = stays ? before.serverName : await requireServer(tx, { toolId, serverName: chosen });
  if (before.passId !== null && !stays) throw new DomainError("access-code-in-use");
  const { passId, perBuyer } = before;
  if (!isActive || (stays && before.isActive)) return serverName;
  if (passId !== null && (await hasOtherCode(tx, before, passId)))
    throw new DomainError("access-code-replaced");
  await refuseMixedCodes(tx, { toolId, serverName, perBuyer });
  return serverName;
}
