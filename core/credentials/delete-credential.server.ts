import { eq } from "drizzle-orm";
import { lockEdits } from "#db/edit-lock.ts";
import { credentials } from "#db/tables/vault.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { lockCredential } from "./queries.server.ts";
import { credentialIdSchema } from "./schemas.ts";

/**
 * Removes a shared sign-in, for good.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'invalid-input', 'not-found'
 */
export async function deleteCredential(ctx: Context, input: { id: string } | UntrustedInput): Promise<void> {
  requireAdmin(ctx, "deletes");
  const { id } = parseInput(credentialIdSchema, input);
  await inTransaction(ctx.db, async (tx) => {
    await lockEdits(tx);
    const credential = await lockCredential(tx, id);
    if (credential === null) throw new DomainError("not-found");
    await tx.delete(credentials).where(eq(credentials.id, id));
    changed(tx, credentials);
    const { service, email, isActive } = credential;
    await recordAudit(ctx, tx, {
      action: "credential.deleted",
      subjectType: "credential",
      subjectId: id,
      details: { before: { service, email, isActive } },
    });
  });
}
