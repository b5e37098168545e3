import { inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { openAccessCode } from "../vault/seal-access-code.ts";
import { lockAccessCode } from "./queries.server.ts";
import { accessCodeIdSchema } from "./schemas.ts";

/** What the form that edits an access code shows. */
export interface RevealedAccessCode {
  id: string;
  version: number;
  toolId: string;
  serverName: string;
  isActive: boolean;
  simpleCode: string;
  sessionCode: string;
}

/**
 * An access code with both codes in plain text. Audited, without the codes.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'invalid-input', 'not-found'
 */
export async function revealAccessCodeToAdmin(
  ctx: Context,
  input: { id: string } | UntrustedInput,
): Promise<RevealedAccessCode> {
  requireAdmin(ctx, "reveals-secret");
  const { id } = parseInput(accessCodeIdSchema, input);
  return inTransaction(ctx.db, async (tx) => {
    const code = await lockAccessCode(tx, id);
    if (code === null) throw new DomainError("not-found");
    const { version, toolId, serverName, isActive } = code;
    const plain = openAccessCode(ctx.ports.cipher, code);
    await recordAudit(ctx, tx, {
      action: "access-code.revealed",
      subjectType: "access-code",
      subjectId: id,
      details: { toolId, serverName },
    });
    return { id, version, toolId, serverName, isActive, ...plain };
  });
}
