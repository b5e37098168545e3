import { eq } from "drizzle-orm";
import { deviceTickets } from "#db/tables/devices.ts";
import { addressOf, recordAudit } from "../../audit/record-audit.server.ts";
import { requireBrowser } from "../../authorise.ts";
import type { Context } from "../../context.ts";

/**
 * Ends the session of this browser, if it has one, and the unused tickets of its user. Audited. `setCookies` removes the cookie.
 */
export async function signOut(ctx: Context): Promise<{ setCookies: string[] }> {
  const browser = requireBrowser(ctx);
  const { actor } = ctx;
  const signedOut = await ctx.ports.authenticator.signOut(browser);
  // Afterwards, so that the session cannot get another one.
  if (actor.kind === "user" || actor.kind === "admin") {
    await ctx.db.delete(deviceTickets).where(eq(deviceTickets.userId, actor.userId));
    await recordAudit(ctx, ctx.db, {
      action: actor.kind === "admin" ? "admin.signed-out" : "account.signed-out",
      subjectType: "user",
      subjectId: actor.userId,
      details: addressOf(ctx),
    });
  }
  return signedOut;
}
