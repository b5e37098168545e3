import { APIError, type BetterAuthPlugin, betterAuth } from "better-auth";
import { drizzleAdapter } from "better-auth/adapters/drizzle";
import { createAuthEndpoint } from "better-auth/api";
import { deleteSessionCookie, setSessionCookie } from "better-auth/cookies";
import { eq } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import { z } from "zod";
import { RESET_LINK_MINUTES, type SessionRule } from "#core/accounts/authenticator.ts";
import { PASSWORD_MAXIMUM, PASSWORD_MINIMUM } from "#core/accounts/rules.ts";
import type { Log } from "#core/context.ts";
import type { Database } from "#db/database.ts";
import { authAccounts, sessions, users, verifications } from "#db/tables/accounts.ts";
import type { HashQueue, HashQueueLimits } from "./hash-queue.ts";
import { HASH_COST, type HashCost, hashPassword, verifyPassword } from "./password-hash.ts";
import { prolongedEnd, SESSION_SECONDS, sessionEnd } from "./session-lifetime.ts";

/** Contains the client's address as our server resolved it. A header of that name from a browser is not passed on. */
export const ADDRESS_HEADER = "x-daypass-address";

export const DISABLED_CODE = "USER_DISABLED";

export interface BetterAuthOptions {
  db: Database;
  /** Signs the session cookies. */
  secret: string;
  /** The shop's public address. */
  origin: string;
  /** Further addresses of the shop. */
  trustedOrigins?: string[];
  /** Restricts the cookies to https; true whenever `origin` is https. */
  secureCookies: boolean;
  log: Log;
  /** How many passwords are hashed at once, and how many requests may wait for that. */
  hashLimits?: HashQueueLimits;
  /** The client that the running code works for: clients take turns with their hashes. Absent: all are one. */
  clientOf?: () => string;
  /** What one hash costs; tests that are not about it make it cheap. */
  hashCost?: HashCost;
}

/** Creates Better Auth with the shop's tables. None of its routes is mounted: only the authenticator calls it. */
export function createAuth({
  db,
  secret,
  origin,
  trustedOrigins = [],
  secureCookies,
  log,
  hashCost = HASH_COST,
  runQueued,
}: BetterAuthOptions & { runQueued: HashQueue }) {
  return betterAuth({
    appName: "Daypass",
    baseURL: origin,
    basePath: "/api/auth",
    secret,
    trustedOrigins: [origin, ...trustedOrigins],
    database: drizzleAdapter(db, {
      provider: "pg",
      transaction: true,
      schema: { user: users, session: sessions, account: authAccounts, verification: verifications },
    }),
    emailAndPassword: {
      enabled: true,
      // Better Auth hashes at sign-up inside its transaction, and the hook below would need a second connection there.
      disableSignUp: true,
      minPasswordLength: PASSWORD_MINIMUM,
      maxPasswordLength: PASSWORD_MAXIMUM,
      resetPasswordTokenExpiresIn: RESET_LINK_MINUTES * 60,
      revokeSessionsOnPasswordReset: true,
      // Every hash and every check goes through the queue.
      password: {
        hash: (password) => runQueued(() => hashPassword(password, hashCost)),
        verify: (attempt) => runQueued(() => verifyPassword(attempt)),
      },
    },
    // Our own endpoint prolongs sessions: Better Auth has no absolute end of a session.
    session: { expiresIn: SESSION_SECONDS, disableSessionRefresh: true },
    verification: { storeIdentifier: "hashed" },
    plugins: [sessionEndpoints],
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    advanced: {
      // `__Host-`: the browser accepts such a cookie only over https, for this host and the path /, so no other host of
      // the domain can set it. `useSecureCookies` would add the weaker `__Secure-`.
      cookiePrefix: secureCookies ? "__Host-daypass" : "daypass",
      useSecureCookies: false,
      defaultCookieAttributes: { secure: secureCookies },
      database: { generateId: () => uuidv7() },
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
    },
    databaseHooks: {
      session: {
        create: {
          // Checked here and not with the password, so that it applies to every way of signing in.
          before: async ({ userId }) => {
            const [user] = await db
              .select({ isActive: users.isActive, deletedAt: users.deletedAt })
              .from(users)
              .where(eq(users.id, userId));
            if (user && (!user.isActive || user.deletedAt)) {
              throw new APIError("FORBIDDEN", { code: DISABLED_CODE, message: "This account is disabled" });
            }
          },
        },
      },
    },
    logger: {
      level: "error",
      // Its further arguments are left out: they contain queries with their parameters.
      log: (_level, message) => log.error({ source: "better-auth" }, message),
    },
  });
}

export type Auth = ReturnType<typeof createAuth>;

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
const sessionEndpoints = {
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
