import { requireBrowser } from "../../authorise.ts";
import type { Context } from "../../context.ts";
import { parseInput } from "../../parse.ts";
import { credentialsSchema } from "../schemas.ts";
import { attemptSignIn } from "./attempt-sign-in.server.ts";
import { recordSignIn, type SignedInUser } from "./record-sign-in.server.ts";

/**
 * Signs in with email and password, within the limits of `attemptSignIn`.
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
  return recordSignIn(ctx, signedIn, "password");
}
