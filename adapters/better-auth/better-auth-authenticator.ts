import { getCookies, setRequestCookie } from "better-auth/cookies";
import { and, eq } from "drizzle-orm";
import type { Authenticator, BrowserRequest, SessionRule, SignedIn } from "#core/accounts/authenticator.ts";
import { DomainError } from "#core/errors.ts";
import { authAccounts, sessions } from "#db/tables/accounts.ts";
import { changed } from "#db/transaction.ts";
import { ADDRESS_HEADER, type BetterAuthOptions, createAuth, translateAuthError } from "./auth.ts";
import { googleAccountMethods } from "./google-accounts.ts";
import { importedAccountMethods } from "./imported-accounts.ts";
import { createHashQueue, HASH_COST, HASH_LIMITS, hashPassword, isOutdated } from "./password-hash.ts";
import {
  checkPasswordOfSignIn,
  findPassword,
  isPasswordOf,
  isRightPassword,
  passwordMethods,
} from "./passwords.ts";
import { resetMethods } from "./resets.ts";
import { createFreshSessionReader, createKnownBrowserCookie, readCookie } from "./sessions.ts";

/**
 * Passwords and sessions by Better Auth: scrypt hashes, http-only SameSite=Lax cookies, and sessions of 30 days that
 * are prolonged once a day until 90 days after the sign-in. The session token leaves this adapter only in Set-Cookie
 * values.
 */
export function createBetterAuthAuthenticator(options: BetterAuthOptions): Authenticator {
  const { db, secret, log, hashCost = HASH_COST } = options;
  const runQueued = createHashQueue(options.hashLimits ?? HASH_LIMITS, options.clientOf);
  const auth = createAuth({ ...options, runQueued });
  const readFresh = createFreshSessionReader({ db, secret, log });
  const knownBrowser = createKnownBrowserCookie({ secret, secure: options.secureCookies });

  const sessionCookieName = getCookies(auth.options).sessionToken.name;
  const sessionCookieOf = (request: BrowserRequest) => readCookie(request, sessionCookieName);

  /**
   * The request headers that Better Auth gets. Our server checks origins and addresses itself. With two session cookies it would
   * take another cookie than this adapter, so it gets the cookie that is read here.
   */
  function headersForBetterAuth(request: BrowserRequest): Headers {
    const kept = new Headers({ [ADDRESS_HEADER]: request.ipAddress });
    const userAgent = request.headers.get("user-agent");
    if (userAgent !== null) kept.set("user-agent", userAgent);
    const cookie = sessionCookieOf(request);
    if (cookie !== undefined) setRequestCookie(kept, sessionCookieName, cookie);
    return kept;
  }

  /** What is stored now; null: no password. */
  const readHash = async (userId: string) => (await findPassword(db, { userId }))?.hash ?? null;

  /**
   * @param isStillRight is given the stored hash after the session has begun, which waits for a change of the password or of the
   *   owner that is under way. Unless it agrees, the session is ended and the password refused. Absent: nothing is read
   */
  async function openSession(
    userId: string,
    request: BrowserRequest,
    isStillRight?: (hash: string | null) => boolean | Promise<boolean>,
  ): Promise<SignedIn & { token: string }> {
    const { headers, response } = await auth.api
      .startSession({ body: { userId }, headers: headersForBetterAuth(request), returnHeaders: true })
      .catch((error: unknown) => {
        throw translateAuthError(error);
      });
    changed(db, sessions);
    const { token } = response;
    try {
      if (isStillRight && !(await isStillRight(await readHash(userId))))
        throw new DomainError("wrong-password");
    } catch (error) {
      await db.delete(sessions).where(eq(sessions.token, token));
      changed(db, sessions);
      throw error;
    }
    return { userId, token, setCookies: [...headers.getSetCookie(), knownBrowser.remember(userId, request)] };
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
      const isSame = (hash: string | null) => hash === passwordHash;
      const opened = await openSession(userId, request, passwordHash === undefined ? undefined : isSame);
      return { userId, setCookies: opened.setCookies };
    },

    async signInEmail({ email, password }, request) {
      const { userId, passwordHash } = await checkPasswordOfSignIn(auth, db, { email, password });
      const { token, setCookies } = await openSession(userId, request, async (hash) => {
        if (hash === passwordHash) return true;
        // Another sign-in may have only made a new hash of the same password.
        return hash !== null && (await isRightPassword(auth, { hash, password }));
      });
      if (isOutdated(passwordHash, hashCost))
        await replaceHash({ userId, password, hashBefore: passwordHash });
      await db.update(sessions).set({ passwordEnteredAt: new Date() }).where(eq(sessions.token, token));
      changed(db, sessions);
      return { userId, setCookies };
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

    hasSessionCookie: (request) => sessionCookieOf(request) !== undefined,

    async resolveSession(request, rule = NO_RULE) {
      const cookie = sessionCookieOf(request);
      if (cookie === undefined) return null;
      const fresh = await readFresh(cookie, rule);
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
