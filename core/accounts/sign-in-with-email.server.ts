import type { Context } from "../context.ts";
import { parseInput } from "../parse.ts";
import { attemptSignIn } from "./attempt-sign-in.server.ts";
import { requireBrowser } from "./require-browser.ts";
import { credentialsSchema } from "./schemas.ts";
import { noteSignIn, type SignedInUser } from "./signed-in-user.server.ts";

/**
 * Signs in with e-mail and password. Failures count against the account and the address; a success forgives the
 * account's.
 *
 * @throws DomainError 'user-not-found', 'wrong-password', 'user-disabled', 'invalid-email', 'sign-in-rate-limited',
 *   'sign-in-busy'
 */
export async function signInWithEmail(ctx: Context, input: unknown): Promise<SignedInUser> {
  requireBrowser(ctx);
  const { email, password } = parseInput(credentialsSchema, input);
  const signedIn = await attemptSignIn(ctx, { email, failedAction: "account.sign-in-failed" }, (browser) =>
    ctx.ports.authenticator.signInEmail({ email, password }, browser),
  );
  return noteSignIn(ctx, signedIn);
}
