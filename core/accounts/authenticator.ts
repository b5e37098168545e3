import type { Executor } from "#db/database.ts";

/** What of a browser's request the authenticator needs: cookies, address and user agent travel in the headers. */
export interface BrowserRequest {
  headers: Headers;
  /** The buyer's address as the trusted proxies tell it. */
  ipAddress: string;
}

/** `setCookies` are complete Set-Cookie values to hand to the browser. */
export interface SignedIn {
  userId: string;
  setCookies: string[];
}

/** How long a password reset link works. */
export const RESET_LINK_MINUTES = 60;

/**
 * Passwords and sessions. It knows nothing of roles or of what an account may do. Every `email` is given in lower case.
 *
 * @throws DomainError from each method, with the codes named there; 'sign-in-busy' from each one that checks or hashes a
 *   password, when too many are at it
 */
export interface Authenticator {
  /** user-not-found, wrong-password, user-disabled, invalid-email */
  signInEmail(input: { email: string; password: string }, request: BrowserRequest): Promise<SignedIn>;
  /** Signs in the browser of someone who has just proved, or made, the account. user-not-found, user-disabled */
  startSession(input: { userId: string }, request: BrowserRequest): Promise<SignedIn>;
  /** Whether the password is right, without making a session. user-not-found, wrong-password */
  checkPassword(input: { email: string; password: string }): Promise<{ userId: string }>;
  /** Ends the session of the request, if it has one. */
  signOut(request: BrowserRequest): Promise<{ setCookies: string[] }>;
  /** Who the request's cookie speaks for; null when there is no valid session. No cookie, no query. */
  resolveSession(
    request: BrowserRequest,
  ): Promise<{ userId: string; sessionId: string; setCookies: string[] } | null>;
  /** Makes a reset token for an account with a password; null when there is none. Used once, for RESET_LINK_MINUTES. */
  makeResetToken(email: string): Promise<string | null>;
  /** Whose token this is, while it is valid; does not use it up. */
  findResetToken(token: string): Promise<{ userId: string } | null>;
  /** Sets a new password and ends every session of the account. invalid-reset-link, weak-password */
  resetPassword(input: { token: string; newPassword: string }): Promise<{ userId: string }>;
  /** Takes a tenth of a second and much memory: done before a transaction begins, never within. */
  hashPassword(password: string): Promise<string>;
  /** Creates an account that signs in with a password, in the caller's transaction. email-in-use */
  createAccount(
    executor: Executor,
    input: { email: string; passwordHash: string },
  ): Promise<{ userId: string }>;
  /** Sets a password without the old one; ends every session and reset link of the account. In the caller's transaction. */
  setPassword(executor: Executor, input: { userId: string; passwordHash: string }): Promise<void>;
}
