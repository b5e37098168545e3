import { z } from "zod";
import { recordAudit } from "../../audit/record-audit.server.ts";
import { requireAdmin } from "../../authorise.ts";
import type { Context } from "../../context.ts";
import { DomainError } from "../../errors.ts";
import { parseInput, type UntrustedInput } from "../../parse.ts";
import { RESET_LINK_MINUTES } from "../authenticator.ts";
import { findAccountById } from "../queries.server.ts";

const createResetLinkInput = z.object({ userId: z.uuid() });

export interface ResetLink {
  resetUrl: string;
  /** From now on. */
  validMinutes: number;
}

/**
 * A link with which a user sets a new password, for an admin who passes it on. Only for a shop without a mail server:
 * otherwise the user gets the link by mail, and no admin sees it, because it opens the account. Audited, without the link.
 *
 * @throws DomainError 'unauthenticated', 'forbidden' (also with a mail server, and for an admin's account),
 *   'password-needed', 'invalid-input', 'not-found', 'user-disabled'
 */
export async function createResetLink(
  ctx: Context,
  input: z.input<typeof createResetLinkInput> | UntrustedInput,
): Promise<ResetLink> {
  requireAdmin(ctx, "reveals-secret");
  const { userId } = parseInput(createResetLinkInput, input);
  const { authenticator, mailTransport } = ctx.ports;
  const account = await findAccountById(ctx.db, userId);
  if (account === undefined) throw new DomainError("not-found");
  if (mailTransport !== null || account.role === "admin") throw new DomainError("forbidden");
  if (!account.isActive) throw new DomainError("user-disabled");
  // Before the link exists: without the event nobody gets it.
  await recordAudit(ctx, ctx.db, {
    action: "user.reset-link-created",
    subjectType: "user",
    subjectId: userId,
  });
  const token = await authenticator.makeResetToken(account.email);
  if (token === null) throw new DomainError("not-found");
  return { resetUrl: resetUrlOf(ctx, token), validMinutes: RESET_LINK_MINUTES };
}

/** The address of the page that sets a new password. */
export function resetUrlOf({ store }: Context, token: string): string {
  return `${store.origin}/reset-password?token=${encodeURIComponent(token)}`;
}
