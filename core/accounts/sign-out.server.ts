import type { Context } from "../context.ts";
import { requireBrowser } from "./require-browser.ts";

/** Ends the session of this browser, if it has one. `setCookies` remove its cookie. */
export async function signOut(ctx: Context): Promise<{ setCookies: string[] }> {
  return ctx.ports.authenticator.signOut(requireBrowser(ctx));
}
