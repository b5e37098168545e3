import { uuidv7 } from "uuidv7";
import type { z } from "zod";
import type { Transaction } from "#db/database.ts";
import { lockEdits } from "#db/edit-lock.ts";
import { credentials } from "#db/tables/vault.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { sealPassword } from "../vault/seal-password.ts";
import { isCredentialTaken } from "./queries.server.ts";
import { createCredentialSchema } from "./schemas.ts";

/**
 * Adds a shared sign-in of a service. The password is sealed.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'invalid-input', 'credential-taken'
 */
export async function createCredential(
  ctx: Context,
  input: z.input<typeof createCredentialSchema> | UntrustedInput,
): Promise<{ id: string }> {
  requireAdmin(ctx, "replaces-secret");
  const credential = parseInput(createCredentialSchema, input);
  return inTransaction(ctx.db, async (tx) => {
    await lockEdits(tx);
    if (await isCredentialTaken(tx, credential)) throw new DomainError("credential-taken");
    return { id: await insertCredential(ctx, tx, credential) };
  });
}

/** Writes a credential with its audit event. The caller authorises, and has checked that there is no such one. */
export async function insertCredential(
  ctx: Context,
  tx: Transaction,
  { password, ...fields }: z.output<typeof createCredentialSchema>,
): Promise<string> {
  const id = uuidv7();
  const passwordSealed = sealPassword(ctx.ports.cipher, id, password);
  const now = ctx.clock.now();
  await tx
    .insert(credentials)
    .values({ id, ...fields, passwordSealed, signInChangedAt: now, createdAt: now });
  changed(tx, credentials);
  await recordAudit(ctx, tx, {
    action: "credential.created",
    subjectType: "credential",
    subjectId: id,
    details: { after: fields },
  });
  return id;
}
