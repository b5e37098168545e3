import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { requireBrowser } from "./require-browser.ts";

/** Begins a sign-in with Google. @throws DomainError 'sign-in-method-disabled': no Google client is configured */
export async function startGoogleSignIn(ctx: Context): Promise<never> {
  requireBrowser(ctx);
  throw new DomainError("sign-in-method-disabled");
}
