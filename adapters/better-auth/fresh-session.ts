import { createHmac, timingSafeEqual } from "node:crypto";
import { eq } from "drizzle-orm";
import type { SessionRule } from "#core/accounts/authenticator.ts";
import type { Log } from "#core/context.ts";
import type { Database } from "#db/database.ts";
import { sessions } from "#db/tables/accounts.ts";
import { changed } from "#db/transaction.ts";
import type { Auth } from "./auth.ts";
import { isDueToBeSeen, prolongedEnd, sessionEnd } from "./session-lifetime.ts";

export interface FreshSession {
  userId: string;
  sessionId: string;
  passwordEnteredAt: Date | null;
}

/**
 * Reads the session of nearly every request with one statement, at a sixth of the cost of Better Auth. Better Auth is
 * used only when a session has ended, also by the rule, or is due to be prolonged.
 *
 * @returns null when Better Auth must read the session
 */
export function createFreshSessionReader({
  auth,
  db,
  secret,
  log,
}: {
  auth: Auth;
  db: Database;
  secret: string;
  log: Log;
}) {
  let cookieName: Promise<string> | undefined;
  const markSeen = async (id: string, now: Date) => {
    // The account page shows it. A request is answered without it too.
    await db
      .update(sessions)
      .set({ updatedAt: now })
      .where(eq(sessions.id, id))
      .catch((error: unknown) => log.warn({ err: error }, "the use of a session was not recorded"));
    changed(db, sessions);
  };
  return async (cookies: string, rule: SessionRule): Promise<FreshSession | null> => {
    cookieName ??= auth.$context.then(({ authCookies }) => authCookies.sessionToken.name);
    const token = readSignedCookie(cookies, await cookieName, secret);
    if (token === null) return null;
    const [session] = await db
      .select({
        id: sessions.id,
        userId: sessions.userId,
        expiresAt: sessions.expiresAt,
        createdAt: sessions.createdAt,
        updatedAt: sessions.updatedAt,
        passwordEnteredAt: sessions.passwordEnteredAt,
      })
      .from(sessions)
      .where(eq(sessions.token, token));
    if (!session) return null;
    const now = new Date();
    if (sessionEnd(session) <= now || prolongedEnd(session, now) !== null) return null;
    const { id: sessionId, userId, createdAt, updatedAt: seenAt, passwordEnteredAt } = session;
    const { isEnded, seenEveryMs } = await rule({ userId, createdAt, seenAt }, now);
    if (isEnded) return null;
    if (isDueToBeSeen({ seenAt, seenEveryMs }, now)) await markSeen(sessionId, now);
    return { userId, sessionId, passwordEnteredAt };
  };
}

/** The value of a cookie that Better Auth signed, `value.base64 of HMAC-SHA256`; null when the signature is wrong. */
function readSignedCookie(cookies: string, name: string, secret: string): string | null {
  const start = `${name}=`;
  const found = cookies.split(/;\s*/).filter((cookie) => cookie.startsWith(start));
  const [only] = found;
  if (only === undefined || found.length > 1) return null;
  const text = decode(only.slice(start.length));
  const dot = text.lastIndexOf(".");
  if (dot < 1) return null;
  const value = text.slice(0, dot);
  const signature = Buffer.from(text.slice(dot + 1), "base64");
  const expected = createHmac("sha256", secret).update(value).digest();
  return signature.length === expected.length && timingSafeEqual(signature, expected) ? value : null;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
