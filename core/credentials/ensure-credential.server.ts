import type { z } from "zod";
import { lockEdits } from "#db/edit-lock.ts";
import { inTransaction } from "#db/transaction.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { insertCredential } from "./create-credential.server.ts";
import { findCredential } from "./queries.server.ts";
import { ensureCredentialSchema } from "./schemas.ts";

/**
 * Adds an active shared sign-in unless the service has one with this e-mail address, which then stays as it is.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'invalid-input'
 */
export async function ensureCredential(
  ctx: Context,
  input: z.input<typeof ensureCredentialSchema> | UntrustedInput,
): Promise<{ id: string; isNew: boolean }> {
  requireAdmin(ctx, "replaces-secret");
  const wanted = parseInput(ensureCredentialSchema, input);
  return inTransaction(ctx.db, async (tx) => {
    await lockEdits(tx);
    const found = await findCredential(tx, wanted);
    if (found !== null) return { id: found.id, isNew: false };
    return { id: await insertCredential(ctx, tx, { ...wanted, isActive: true }), isNew: true };
  });
}
