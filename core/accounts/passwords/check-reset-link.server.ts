import { requireBrowser } from "../../authorise.ts";
import type { Context } from "../../context.ts";
import { containsNul } from "../../parse.ts";
import { findAccountById } from "../queries.server.ts";
import { resetPasswordSchema } from "../schemas.ts";

/**
 * Whether a reset link is valid: not used, not expired, and its account is active. The link stays valid.
 *
 * @throws DomainError 'forbidden' without a browser
 */
export async function checkResetLink(ctx: Context, input: unknown): Promise<boolean> {
  requireBrowser(ctx);
  const parsed = resetPasswordSchema.pick({ token: true }).safeParse(input);
  // The token comes from the URL. Input that cannot be a token is an invalid link, not an error.
  if (!parsed.success || parsed.data.token === "" || containsNul(parsed.data.token)) return false;
  const { token } = parsed.data;
  const owner = await ctx.ports.authenticator.findResetToken(token);
  const account = owner ? await findAccountById(ctx.db, owner.userId) : undefined;
  return account?.isActive ?? false;
}
