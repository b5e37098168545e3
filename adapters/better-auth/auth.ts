import { APIError, type BetterAuthPlugin, betterAuth } from "better-auth";
import { drizzleAdapter } from "better-auth/adapters/drizzle";
import { createAuthEndpoint } from "better-auth/api";
import { deleteSessionCookie, parseCookies, setSessionCookie } from "better-auth/cookies";
import { eq } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import { z } from "zod";
import { cookiePrefix, RESET_LINK_MINUTES, type SessionRule } from "#core/accounts/authenticator.ts";
import { PASSWORD_MINIMUM } from "#core/accounts/rules.ts";
import type { Log } from "#core/context.ts";
import { DomainError, type ErrorCode } from "#core/errors.ts";
import type { Database } from "#db/database.ts";
import { authAccounts, sessions, users, verifications } from "#db/tables/accounts.ts";
import {
  HASH_COST,
  type HashCost,
  type HashQueue,
  type HashQueueLimits,
  hashPassword,
  verifyPassword,
} from "./password-hash.ts";

/** Contains the client's address as our server resolved it. A header of that name from a browser is not passed on. */
export const ADDRESS_HEADER = "x-daypass-address";

/** An imported account may have a longer password than a new one; core refuses a new one above PASSWORD_MAXIMUM. */
export const TYPED_PASSWORD_MAXIMUM = 4096;

const SESSION_COOKIES = [true, false].map((isSecure) => `${cookiePrefix(isSecure)}.session_token`);

/** Whether a Cookie header has the cookie of a session, running or ended, of a shop on http or on https. */
export function hasSessionCookie(cookies: string | null | undefined): boolean {
  const found = parseCookies(cookies ?? "");
  return SESSION_COOKIES.some((name) => found.has(name));
}

const DISABLED_CODE = "USER_DISABLED";

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
      maxPasswordLength: TYPED_PASSWORD_MAXIMUM,
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
      cookiePrefix: cookiePrefix(secureCookies),
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
    /** Starts a session. Better Auth's own sign-in checks the password in the same step. */
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

const CODES: Readonly<Record<string, ErrorCode>> = {
  [DISABLED_CODE]: "user-disabled",
  INVALID_TOKEN: "invalid-reset-link",
  PASSWORD_TOO_SHORT: "weak-password",
  PASSWORD_TOO_LONG: "weak-password",
  USER_NOT_FOUND: "user-not-found",
};

/** Translates an error of Better Auth into a refusal; returns any other error as it is. */
export function translateAuthError(error: unknown): unknown {
  const reported: unknown = error instanceof APIError ? error.body?.code : undefined;
  const code = typeof reported === "string" ? CODES[reported] : undefined;
  return code === undefined ? error : new DomainError(code, {}, { cause: error });
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** An unused session ends after this time. */
const SESSION_SECONDS = 30 * 24 * 60 * 60;
/** A session in use is prolonged when that adds at least this time. */
const REFRESH_MS = DAY_MS;
/** No session lasts longer than this, even when it is used. The person then signs in again. */
const ABSOLUTE_MS = 90 * DAY_MS;

/** The use of a session is recorded when the last record of it is older than this, unless its rule says otherwise. */
const SEEN_EVERY_MS = 60 * 60 * 1000;

interface SessionTimes {
  createdAt: Date;
  expiresAt: Date;
}

/** When a session ends. Rows of earlier versions may have a later end than is allowed. */
export function sessionEnd({ createdAt, expiresAt }: SessionTimes): Date {
  return new Date(Math.min(expiresAt.getTime(), createdAt.getTime() + ABSOLUTE_MS));
}

/** The new end of a session in use; null when it is not due to be prolonged or cannot be prolonged further. */
export function prolongedEnd(session: SessionTimes, now: Date): Date | null {
  const latest = new Date(now.getTime() + SESSION_SECONDS * 1000);
  const end = sessionEnd({ createdAt: session.createdAt, expiresAt: latest });
  return end.getTime() - session.expiresAt.getTime() >= REFRESH_MS ? end : null;
}

/** Whether the use of a session is recorded now, so that its owner sees where it is in use. */
export function isDueToBeSeen(
  { seenAt, seenEveryMs = SEEN_EVERY_MS }: { seenAt: Date; seenEveryMs?: number | undefined },
  now: Date,
): boolean {
  return now.getTime() - seenAt.getTime() >= seenEveryMs;
}
