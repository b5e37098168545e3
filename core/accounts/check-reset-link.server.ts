import type { Context } from "../context.ts";
import { holdsNul } from "../parse.ts";
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
  const parsed = resetPasswordSchema.pick({ token: true }).safeParse(input);
  // The token comes from an address that anyone can write: one that cannot be a token is a link that does not work.
  if (!parsed.success || parsed.data.token === "" || holdsNul(parsed.data.token)) return false;
  const { token } = parsed.data;
  const owner = await ctx.ports.authenticator.findResetToken(token);
  const account = owner ? await findAccountById(ctx.db, owner.userId) : undefined;
  return account?.isActive ?? false;
}
