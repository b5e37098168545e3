import { requireBrowser } from "../authorise.ts";
import type { Context } from "../context.ts";

/** Ends the session of this browser, if it has one. `setCookies` removes the cookie. */
export async function signOut(ctx: Context): Promise<{ setCookies: string[] }> {
  return ctx.ports.authenticator.signOut(requireBrowser(ctx));
}
