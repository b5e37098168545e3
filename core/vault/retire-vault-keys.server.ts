import { z } from "zod";
import type { Transaction } from "#db/database.ts";
import { lockEdits } from "#db/edit-lock.ts";
import { inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireSystem } from "../authorise.ts";
import type { Context } from "../context.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { countOlderSeals } from "./rotate-keys.server.ts";

const inputSchema = z.object({ keyIds: z.array(z.string()).min(1) });

/**
 * Ends the use of old keys when every value is sealed with the newest one. Codes and passwords are sealed under the edit
 * lock, so no edit that began before the rotation can still store a value with an old key.
 *
 * @param forget removes what the database knows of the keys, in the same transaction
 * @returns false when a value still needs an old key; then nothing has changed
 * @throws DomainError 'forbidden', 'invalid-input'
 */
export async function retireVaultKeys(
  ctx: Context,
  input: z.input<typeof inputSchema> | UntrustedInput,
  forget: (tx: Transaction, keyIds: readonly string[]) => Promise<void>,
): Promise<boolean> {
  requireSystem(ctx);
  const { keyIds } = parseInput(inputSchema, input);
  return inTransaction(ctx.db, async (tx) => {
    await lockEdits(tx);
    if ((await countOlderSeals(tx, ctx.ports.cipher)) > 0) return false;
    await forget(tx, keyIds);
    await recordAudit(ctx, tx, {
      action: "vault.keys-removed",
      subjectType: "vault",
      details: { keyIds },
    });
    return true;
  });
}
