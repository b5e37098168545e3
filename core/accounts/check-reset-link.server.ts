import type { Context } from "../context.ts";
import { parseInput } from "../parse.ts";
import { findAccountById } from "./queries.server.ts";
import { requireBrowser } from "./require-browser.ts";
import { resetPasswordSchema } from "./schemas.ts";

/**
 * Whether a reset link still sets a password: neither used, expired nor of a closed account. Does not use it up.
 *
 * @throws DomainError 'forbidden' without a browser
 */
export async function checkResetLink(ctx: Context, input: unknown): Promise<boolean> {
  requireBrowser(ctx);
  const { token } = parseInput(resetPasswordSchema.pick({ token: true }), input);
  if (token === "") return false;
  const owner = await ctx.ports.authenticator.findResetToken(token);
  const account = owner ? await findAccountById(ctx.db, owner.userId) : undefined;
  return account?.isActive ?? false;
}
