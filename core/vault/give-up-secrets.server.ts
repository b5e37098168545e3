import { lockEdits } from "#db/edit-lock.ts";
import { accessCodes, credentials } from "#db/tables/vault.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireSystem } from "../authorise.ts";
import type { Context } from "../context.ts";
import type { Resealed } from "./reseal-secrets.server.ts";

/**
 * Deletes all access codes and credentials, because the key that opens them is lost. Passes and purchases stay.
 *
 * @returns how many there were
 * @throws DomainError 'forbidden'
 */
export async function giveUpSecrets(ctx: Context): Promise<Resealed> {
  requireSystem(ctx);
  return inTransaction(ctx.db, async (tx) => {
    await lockEdits(tx);
    const codes = await tx.delete(accessCodes).returning({ id: accessCodes.id });
    const signIns = await tx.delete(credentials).returning({ id: credentials.id });
    changed(tx, accessCodes, credentials);
    const given = { accessCodes: codes.length, credentials: signIns.length };
    await recordAudit(ctx, tx, { action: "vault.given-up", subjectType: "vault", details: { ...given } });
    return given;
  });
}
