import { inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { openPassword } from "../vault/seal-password.ts";
import { lockCredential } from "./queries.server.ts";
import { credentialIdSchema } from "./schemas.ts";

/**
 * The password of a shared sign-in, in plain text. Audited, without the password.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'invalid-input', 'not-found'
 */
export async function revealCredential(
  ctx: Context,
  input: { id: string } | UntrustedInput,
): Promise<{ password: string }> {
  requireAdmin(ctx, "reveals-secret");
  const { id } = parseInput(credentialIdSchema, input);
  return inTransaction(ctx.db, async (tx) => {
    const credential = await lockCredential(tx, id);
    if (credential === null) throw new DomainError("not-found");
    const password = openPassword(ctx.ports.cipher, credential);
    await recordAudit(ctx, tx, {
      action: "credential.revealed",
      subjectType: "credential",
      subjectId: id,
      details: { service: credential.service, email: credential.email },
    });
    return { password };
  });
}
