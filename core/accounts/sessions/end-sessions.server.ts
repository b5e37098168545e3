import { eq } from "drizzle-orm";
import { z } from "zod";
import { sessions } from "#db/tables/accounts.ts";
import { deviceTickets } from "#db/tables/devices.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { addressOf, recordAudit } from "../../audit/record-audit.server.ts";
import { requireBrowser, requireSignedIn, requireSystem } from "../../authorise.ts";
import type { Context } from "../../context.ts";
import { DomainError } from "../../errors.ts";
import { parseInput, type UntrustedInput } from "../../parse.ts";
import { deleteSessions } from "./queries.server.ts";

const endSessionInput = z.object({ sessionId: z.uuid() });

/**
 * The signed-in person signs another browser of theirs out, at once. A session that has ended, or is somebody else's, is
 * 'not-found'.
 *
 * @throws DomainError unauthenticated, not-found, invalid-input
 */
export async function endSession(
  ctx: Context,
  input: z.input<typeof endSessionInput> | UntrustedInput,
): Promise<void> {
  const { userId } = requireSignedIn(ctx, "own-account");
  const { sessionId } = parseInput(endSessionInput, input);
  await inTransaction(ctx.db, async (tx) => {
    const ended = await deleteSessions(tx, userId, { only: sessionId });
    if (ended === 0) throw new DomainError("not-found");
    await recordAudit(ctx, tx, {
      action: "account.session-ended",
      subjectType: "user",
      subjectId: userId,
      details: addressOf(ctx),
    });
  });
}

/**
 * The signed-in person signs all other browsers out, at once. Devices of the extension stay connected.
 *
 * @returns how many were signed out
 * @throws DomainError unauthenticated
 */
export async function endOtherSessions(ctx: Context): Promise<{ ended: number }> {
  const { userId, sessionId } = requireSignedIn(ctx, "own-account");
  return inTransaction(ctx.db, async (tx) => {
    const ended = await deleteSessions(tx, userId, { except: sessionId });
    if (ended > 0) {
      await recordAudit(ctx, tx, {
        action: "account.other-sessions-ended",
        subjectType: "user",
        subjectId: userId,
        details: { sessionsEnded: ended, ...addressOf(ctx) },
      });
    }
    return { ended };
  });
}

/** Signs everybody out, because the secret that signs their cookies is lost. @throws DomainError 'forbidden' */
export async function endAllSessions(ctx: Context): Promise<void> {
  requireSystem(ctx);
  await inTransaction(ctx.db, async (tx) => {
    await tx.delete(sessions);
    changed(tx, sessions);
    await recordAudit(ctx, tx, { action: "sessions.ended", subjectType: "store" });
  });
}

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
