import { eq, sql } from "drizzle-orm";
import type { z } from "zod";
import { lockEdits } from "#db/edit-lock.ts";
import { credentials } from "#db/tables/vault.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { changedFields } from "../audit/changed-fields.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { openPassword, sealPassword } from "../vault/seal-password.ts";
import { isCredentialTaken, lockCredential } from "./queries.server.ts";
import { updateCredentialSchema } from "./schemas.ts";

/**
 * Changes a shared sign-in. Without a password the stored one stays. The audit event says whether it changed.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'invalid-input', 'not-found', 'credential-taken',
 *   'changed-meanwhile' (the row no longer has `version`)
 */
export async function updateCredential(
  ctx: Context,
  input: z.input<typeof updateCredentialSchema> | UntrustedInput,
): Promise<{ version: number }> {
  requireAdmin(ctx, "replaces-secret");
  const { id, version, password, ...fields } = parseInput(updateCredentialSchema, input);
  return inTransaction(ctx.db, async (tx) => {
    await lockEdits(tx);
    const before = await lockCredential(tx, id);
    if (before === null) throw new DomainError("not-found");
    if (before.version !== version) throw new DomainError("changed-meanwhile");
    if (await isCredentialTaken(tx, fields, id)) throw new DomainError("credential-taken");
    const { cipher } = ctx.ports;
    const passwordChanged = password !== null && password !== openPassword(cipher, before);
    const now = ctx.clock.now();
    const signInChanged = passwordChanged || before.email !== fields.email;
    await tx
      .update(credentials)
      .set({
        ...fields,
        ...(passwordChanged && { passwordSealed: sealPassword(cipher, id, password) }),
        ...(signInChanged && { signInChangedAt: now }),
        version: sql`${credentials.version} + 1`,
        updatedAt: now,
      })
      .where(eq(credentials.id, id));
    changed(tx, credentials);
    await recordAudit(ctx, tx, {
      action: "credential.updated",
      subjectType: "credential",
      subjectId: id,
      details: { ...changedFields(before, fields), passwordChanged },
    });
    return { version: version + 1 };
  });
}
