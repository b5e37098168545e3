import { requireBrowser } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";

/** Starts a sign-in with Google. @throws DomainError 'sign-in-method-disabled' always: no Google client is configured */
export async function startGoogleSignIn(ctx: Context): Promise<never> {
  requireBrowser(ctx);
  throw new DomainError("sign-in-method-disabled");
}
