import type { Context } from "../context.ts";
import { parseInput } from "../parse.ts";
import { requireBrowser } from "./require-browser.ts";
import { credentialsSchema } from "./schemas.ts";
import { noteSignIn, type SignedInUser } from "./signed-in-user.server.ts";

/**
 * Signs in with e-mail and password. Failures count against the account and the address; a success forgives the
 * account's.
 *
 * @throws DomainError 'user-not-found', 'wrong-password', 'user-disabled', 'invalid-email', 'rate-limited'
 */
export async function signInWithEmail(ctx: Context, input: unknown): Promise<SignedInUser> {
  const browser = requireBrowser(ctx);
  const { email, password } = parseInput(credentialsSchema, input);
  const { authenticator, rateLimiter } = ctx.ports;
  await rateLimiter.consume("sign-in-address", browser.ipAddress);
  await rateLimiter.consume("sign-in-account", email);
  const signedIn = await authenticator.signInEmail({ email, password }, browser);
  await rateLimiter.forgive("sign-in-account", email);
  return noteSignIn(ctx, signedIn);
}
