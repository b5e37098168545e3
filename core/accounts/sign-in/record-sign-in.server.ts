import { addressOf, recordAudit } from "../../audit/record-audit.server.ts";
import type { Context } from "../../context.ts";
import { DomainError } from "../../errors.ts";
import type { SignedIn } from "../authenticator.ts";
import { findAccountById, setLastLogin } from "../queries.server.ts";
import { deleteSessions } from "../sessions/queries.server.ts";

/** The account that has signed in, and the cookies for the response. */
export interface SignedInUser {
  user: { id: string; email: string; displayName: string; role: "user" | "admin" };
  setCookies: string[];
}

/**
 * Audits the sign-in with its address, stores its time, ends the session that the browser had before, of whatever account, and
 * returns the account. A failed write of the time is only logged.
 *
 * @param method null: the sign-up is audited already
 */
export async function recordSignIn(
  ctx: Context,
  { userId, setCookies }: SignedIn,
  method: "password" | "google" | null,
): Promise<SignedInUser> {
  const found = await findAccountById(ctx.db, userId);
  if (found === undefined) throw new DomainError("user-not-found");
  if (method !== null) {
    await recordAudit(ctx, ctx.db, {
      action: found.role === "admin" ? "admin.signed-in" : "account.signed-in",
      subjectType: "user",
      subjectId: userId,
      details: { method, ...addressOf(ctx) },
    });
  }
  try {
    await setLastLogin(ctx.db, userId, ctx.clock.now());
  } catch (error) {
    ctx.log.warn({ userId, err: error }, "time of sign-in not recorded");
  }
  // At the end, because the open pages of this browser hear of it and load again.
  const { actor } = ctx;
  if (actor.kind === "user" || actor.kind === "admin")
    await deleteSessions(ctx.db, actor.userId, { only: actor.sessionId });
  const { id, email, displayName, role } = found;
  return { user: { id, email, displayName, role }, setCookies };
}
