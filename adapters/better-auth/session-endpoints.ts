import { APIError, type BetterAuthPlugin } from "better-auth";
import { createAuthEndpoint } from "better-auth/api";
import { deleteSessionCookie, setSessionCookie } from "better-auth/cookies";
import { z } from "zod";
import type { SessionRule } from "#core/accounts/authenticator.ts";
import { prolongedEnd, sessionEnd } from "./session-lifetime.ts";

const READ_OPTIONS = {
  method: "POST",
  requireHeaders: true,
  body: z.object({ rule: z.custom<SessionRule>((value) => typeof value === "function") }),
} as const;

async function isEndedByRule(
  { userId, createdAt, updatedAt: seenAt }: { userId: string; createdAt: Date; updatedAt: Date },
  { rule }: { rule: SessionRule },
  now: Date,
): Promise<boolean> {
  return (await rule({ userId, createdAt, seenAt }, now)).isEnded;
}

/** Endpoints for sessions that Better Auth lacks. They use its own cookies. */
export const sessionEndpoints = {
  id: "daypass-sessions",
  endpoints: {
    /** Starts a session for an account without a check of its password. */
    startSession: createAuthEndpoint.serverOnly(
      { method: "POST", body: z.object({ userId: z.uuid() }) },
      async (ctx) => {
        const { internalAdapter } = ctx.context;
        const user = await internalAdapter.findUserById(ctx.body.userId);
        if (!user) throw new APIError("NOT_FOUND", { code: "USER_NOT_FOUND", message: "No such account" });
        const session = await internalAdapter.createSession(user.id);
        await setSessionCookie(ctx, { session, user }, false);
        return { token: session.token };
      },
    ),

    /**
     * Reads the session of a request and prolongs it when that is due. Better Auth's own endpoint has no absolute end
     * and would prolong it for ever.
     */
    readSession: createAuthEndpoint.serverOnly(READ_OPTIONS, async (ctx) => {
      const { internalAdapter, authCookies, secret } = ctx.context;
      const token = await ctx.getSignedCookie(authCookies.sessionToken.name, secret);
      if (!token) return null;
      const found = await internalAdapter.findSession(token);
      const now = new Date();
      if (!found || sessionEnd(found.session) <= now || (await isEndedByRule(found.session, ctx.body, now))) {
        deleteSessionCookie(ctx);
        if (found) await internalAdapter.deleteSession(token);
        return null;
      }
      const { id, userId } = found.session;
      const expiresAt = prolongedEnd(found.session, now);
      if (expiresAt === null) return { sessionId: id, userId };
      const session = await internalAdapter.updateSession(token, { expiresAt, updatedAt: now });
      // Another request has just ended the session.
      if (!session) return null;
      const maxAge = Math.floor((expiresAt.getTime() - now.getTime()) / 1000);
      await setSessionCookie(ctx, { session: { ...found.session, expiresAt }, user: found.user }, false, {
        maxAge,
      });
      return { sessionId: id, userId };
    }),
  },
} satisfies BetterAuthPlugin;
