import { z } from "zod";
import { inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireSignedIn } from "../authorise.ts";
import type { Context } from "../context.ts";
import { requirePageAccess } from "../passes/access.server.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { openPassword } from "../vault/seal-password.ts";
import { secretVersion } from "../vault/secret-version.ts";
import { findToolCredential } from "./tool-credential-queries.server.ts";

const inputSchema = z.object({ page: z.string().min(1).max(80), field: z.enum(["email", "password"]) });

/**
 * The e-mail address or the password that a tool page offers. Checks the access again, because a page can stay open in the browser after its pass has expired. Audited, without the
 * value.
 *
 * @returns also the version of the sign-in, which the tool page has too
 * @throws DomainError 'unauthenticated', 'password-needed', 'user-disabled', 'invalid-input', 'reveals-too-fast', 'not-found' (no such
 *   page), 'access-required', 'credential-not-found' with { tool: its name }
 */
export async function revealToolCredential(
  ctx: Context,
  input: { page: string; field: "email" | "password" } | UntrustedInput,
): Promise<{ value: string; version: string }> {
  const { userId } = requireSignedIn(ctx, "reveals-secret");
  const { page, field } = parseInput(inputSchema, input);
  await ctx.ports.rateLimiter.consume("reveal-account", userId);
  return inTransaction(ctx.db, async (tx) => {
    const { tool } = await requirePageAccess(ctx, tx, page);
    const { credential: found } = await findToolCredential(tx, tool);
    if (found === null) throw new DomainError("credential-not-found", { tool: tool.name });
    const value = field === "email" ? found.email : openPassword(ctx.ports.cipher, found);
    await recordAudit(ctx, tx, {
      action: "credential.revealed",
      subjectType: "credential",
      subjectId: found.id,
      details: { service: found.service, page, field },
    });
    return { value, version: secretVersion({ id: found.id, changedAt: found.signInChangedAt }) };
  });
}
