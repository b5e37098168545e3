import { and, eq } from "drizzle-orm";
import type { Authenticator, BrowserRequest, SessionRule } from "#core/accounts/authenticator.ts";
import { DomainError } from "#core/errors.ts";
import type { Database } from "#db/database.ts";
import { authAccounts, sessions, users } from "#db/tables/accounts.ts";
import { changed } from "#db/transaction.ts";
import {
  ADDRESS_HEADER,
  type BetterAuthOptions,
  createAuth,
  explainSignInFailure,
  hasSessionCookie,
  translateAuthError,
} from "./auth.ts";
import { googleAccountMethods } from "./google-accounts.ts";
import { importedAccountMethods } from "./imported-accounts.ts";
import { createHashQueue, HASH_COST, HASH_LIMITS, hashPassword, isOutdated } from "./password-hash.ts";
import { CREDENTIAL, isPasswordOf, passwordMethods } from "./passwords.ts";
import { resetMethods } from "./resets.ts";
import { createFreshSessionReader, createKnownBrowserCookie } from "./sessions.ts";

/**
 * Passwords and sessions by Better Auth: scrypt hashes, http-only SameSite=Lax cookies, and sessions of 30 days that
 * are prolonged once a day until 90 days after the sign-in. The session token leaves this adapter only in Set-Cookie
 * values.
 */
export function createBetterAuthAuthenticator(options: BetterAuthOptions): Authenticator {
  const { db, secret, log, hashCost = HASH_COST } = options;
  const runQueued = createHashQueue(options.hashLimits ?? HASH_LIMITS, options.clientOf);
  const auth = createAuth({ ...options, runQueued });
  const hasOwnCookie = (cookies: string | null) =>
    hasSessionCookie(cookies, [options.secureCookies ? "secure" : "plain"]);
  const readFresh = createFreshSessionReader({ auth, db, secret, log });
  const knownBrowser = createKnownBrowserCookie({ secret, secure: options.secureCookies });

  /**
   * The password may have been changed or removed while it was being checked; the session waited for that change. After
   * another sign-in has only made a new hash of the same password, it is still right.
   *
   * @param token of the new session, which is ended by a refusal
   */
  async function requireCurrentPassword(check: {
    email: string;
    password: string;
    hashBefore: string | null;
    token: string;
  }): Promise<void> {
    const { email, password, hashBefore, token } = check;
    const hash = await readPasswordHash(db, { email });
    if (hash === hashBefore) return;
    try {
      const context = await auth.$context;
      if (hash !== null && (await context.password.verify({ hash, password }))) return;
      throw new DomainError("wrong-password");
    } catch (error) {
      await db.delete(sessions).where(eq(sessions.token, token));
      changed(db, sessions);
      throw error;
    }
  }

  /** Stores a hash with today's parameters. On a busy shop the next sign-in does it, so that nobody waits for a turn. */
  async function replaceHash(outdated: {
    userId: string;
    password: string;
    hashBefore: string;
  }): Promise<void> {
    if (!runQueued.isFree()) return;
    const { userId, password, hashBefore } = outdated;
    try {
      const hash = await runQueued(() => hashPassword(password, hashCost));
      await db
        .update(authAccounts)
        .set({ password: hash })
        .where(and(isPasswordOf(userId), eq(authAccounts.password, hashBefore)));
    } catch (error) {
      // The session exists already, and the password is right.
      log.error({ err: error }, "an outdated hash was not replaced");
    }
  }

  return {
    ...passwordMethods(auth, db),
    ...resetMethods(auth, db),
    ...googleAccountMethods,
    ...importedAccountMethods,

    async startSession({ userId, passwordHash }, request) {
      try {
        const { headers, response } = await auth.api.startSession({
          body: { userId },
          headers: headersForBetterAuth(request),
          returnHeaders: true,
        });
        changed(db, sessions);
        // The account may have got another owner meanwhile, by Google. The session waited for that change.
        if (passwordHash !== undefined && (await readPasswordHash(db, { userId })) !== passwordHash) {
          await db.delete(sessions).where(eq(sessions.token, response.token));
          changed(db, sessions);
          throw new DomainError("wrong-password");
        }
        return { userId, setCookies: [...headers.getSetCookie(), knownBrowser.remember(userId, request)] };
      } catch (error) {
        throw translateAuthError(error);
      }
    },

    async signInEmail({ email, password }, request) {
      try {
        const hashBefore = await readPasswordHash(db, { email });
        const { headers, response } = await auth.api.signInEmail({
          body: { email, password },
          headers: headersForBetterAuth(request),
          returnHeaders: true,
        });
        changed(db, sessions);
        const { id: userId } = response.user;
        await requireCurrentPassword({ email, password, hashBefore, token: response.token });
        if (hashBefore !== null && isOutdated(hashBefore, hashCost)) {
          await replaceHash({ userId, password, hashBefore });
        }
        await db
          .update(sessions)
          .set({ passwordEnteredAt: new Date() })
          .where(eq(sessions.token, response.token));
        changed(db, sessions);
        return { userId, setCookies: [...headers.getSetCookie(), knownBrowser.remember(userId, request)] };
      } catch (error) {
        throw await explainSignInFailure(db, email, error);
      }
    },

    async signOut(request) {
      const { headers } = await auth.api.signOut({
        headers: headersForBetterAuth(request),
        returnHeaders: true,
      });
      changed(db, sessions);
      return { setCookies: headers.getSetCookie() };
    },

    knownAccounts: knownBrowser.knownAccounts,

    hasSessionCookie: ({ headers }) => hasOwnCookie(headers.get("cookie")),

    async resolveSession(request, rule = NO_RULE) {
      const cookies = request.headers.get("cookie");
      if (cookies === null || !hasOwnCookie(cookies)) return null;
      const fresh = await readFresh(cookies, rule);
      if (fresh) return { ...fresh, setCookies: [] };
      try {
        const { headers, response } = await auth.api.readSession({
          headers: headersForBetterAuth(request),
          body: { rule },
          returnHeaders: true,
        });
        changed(db, sessions);
        if (response === null) return null;
        const [row] = await db
          .select({ passwordEnteredAt: sessions.passwordEnteredAt })
          .from(sessions)
          .where(eq(sessions.id, response.sessionId));
        return {
          ...response,
          passwordEnteredAt: row?.passwordEnteredAt ?? null,
          setCookies: headers.getSetCookie(),
        };
      } catch (error) {
        throw translateAuthError(error);
      }
    },
  };
}

const NO_RULE: SessionRule = async () => ({ isEnded: false });

/** The request headers that Better Auth gets. Our server checks origins and addresses itself. */
function headersForBetterAuth({ headers, ipAddress }: BrowserRequest): Headers {
  const kept = new Headers({ [ADDRESS_HEADER]: ipAddress });
  for (const name of ["cookie", "user-agent"]) {
    const value = headers.get(name);
    if (value !== null) kept.set(name, value);
  }
  return kept;
}

/** The stored hash of an account's password; null without an account or a password. */
async function readPasswordHash(
  db: Database,
  by: { email: string } | { userId: string },
): Promise<string | null> {
  const [row] = await db
    .select({ hash: authAccounts.password })
    .from(authAccounts)
    .innerJoin(users, eq(users.id, authAccounts.userId))
    .where(
      and(
        "email" in by ? eq(users.email, by.email) : eq(users.id, by.userId),
        eq(authAccounts.providerId, CREDENTIAL),
      ),
    );
  return row?.hash ?? null;
}
