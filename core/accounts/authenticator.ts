import type { Executor } from "#db/database.ts";
import type { Language } from "#languages/languages.ts";

/**
 * Starts the names of cookies about accounts. `__Host-`: the browser accepts such a cookie only over https, for this host and the
 * path /, so no other host of the domain can set it. `__Secure-` would be weaker.
 */
export const cookiePrefix = (isSecure: boolean) => (isSecure ? "__Host-daypass" : "daypass");

/** The parts of a browser's request that operations on accounts need. The headers hold cookies and user agent. */
export interface BrowserRequest {
  headers: Headers;
  /** The address of the browser, as the trusted proxies report it. */
  ipAddress: string;
  /** The language of its pages; absent: not known. */
  language?: Language;
}

/** `setCookies` are complete Set-Cookie values for the response. */
export interface SignedIn {
  userId: string;
  setCookies: string[];
}

/** An account that has signed in with a browser before, and the id of that browser there. */
export interface KnownAccount {
  userId: string;
  browserId: string;
}

/** What a rule for sessions is told. `seenAt`: when the use of the session was last recorded, before this request. */
export interface CheckedSession {
  userId: string;
  createdAt: Date;
  seenAt: Date;
}

/**
 * Whether a session has ended before its time, and how often its use is recorded (by default every hour). It is asked before
 * the request counts as a use.
 */
export type SessionRule = (
  session: CheckedSession,
  now: Date,
) => Promise<{ isEnded: boolean; seenEveryMs?: number }>;

/**
 * How the passwords of another shop were hashed, in the words of its export. `mem_cost`: N of scrypt is 2 to the power of it;
 * `rounds`: r of scrypt. The keys are in base64.
 */
export interface ImportedHashConfig {
  algorithm: string;
  base64_signer_key: string;
  base64_salt_separator: string;
  rounds: number;
  mem_cost: number;
}

/** The text to store; null with the reason, in words for a report, when such a hash cannot be checked. */
export type ImportedHash = { passwordHash: string } | { passwordHash: null; reason: string };

/** The ways to sign in of an imported account; null: it has none of the kind. */
export interface ImportedAccount {
  userId: string;
  /** From `importedPasswordHash`. */
  passwordHash: string | null;
  /** The id of the person at Google itself, whatever provider the shop is set up with. */
  googleSubject: string | null;
}

/** How long a password reset link is valid. */
export const RESET_LINK_MINUTES = 60;

/**
 * The port for the ways to sign in, and for sessions. It does not know roles or permissions. Every `email` is in lower case.
 *
 * @throws DomainError with the codes that each method names; methods that check or hash a password also throw
 *   'sign-in-busy' when too many passwords are being hashed
 */
export interface Authenticator {
  /**
   * Starts a session in which the password was just entered. An unknown email takes as long as a wrong password.
   * user-not-found, wrong-password, user-disabled
   */
  signInEmail(input: { email: string; password: string }, request: BrowserRequest): Promise<SignedIn>;
  /**
   * Starts a session without a password, for a caller that has created the account. With `passwordHash`, no session is left
   * when the account has another password by now, or none. user-not-found, user-disabled, wrong-password
   */
  startSession(input: { userId: string; passwordHash?: string }, request: BrowserRequest): Promise<SignedIn>;
  /** Checks a password without starting a session. `passwordHash`: of that password. user-not-found, wrong-password */
  checkPassword(input: {
    email: string;
    password: string;
  }): Promise<{ userId: string; passwordHash: string }>;
  /** Ends the session of the request, if it has one. */
  signOut(request: BrowserRequest): Promise<{ setCookies: string[] }>;
  /**
   * The session of the request's cookie; null without a valid one. Makes no query for a request without the cookie.
   * `passwordEnteredAt`: when the password was last entered in this session; null: it was not. A session that has ended by
   * `rule` is deleted.
   */
  resolveSession(
    request: BrowserRequest,
    rule?: SessionRule,
  ): Promise<{
    userId: string;
    sessionId: string;
    passwordEnteredAt: Date | null;
    setCookies: string[];
  } | null>;
  /** Whether the request has the cookie of a session, running or ended. Makes no query. A sign-out removes the cookie. */
  hasSessionCookie(request: BrowserRequest): boolean;
  /**
   * The accounts that have signed in with this browser, by its cookie, the last one first. Every sign-in adds one. Makes no
   * query.
   */
  knownAccounts(request: BrowserRequest): KnownAccount[];
  /**
   * A reset token for one use within RESET_LINK_MINUTES; null when no account has this email. An account without a password
   * gets one by it.
   */
  makeResetToken(email: string): Promise<string | null>;
  /** The account of a valid token. The token stays valid. */
  findResetToken(token: string): Promise<{ userId: string } | null>;
  /** Sets a new password and ends every session of the account. invalid-reset-link, weak-password */
  resetPassword(input: { token: string; newPassword: string }): Promise<{ userId: string }>;
  /** Takes about 250 ms and 32 MB, so call it before a transaction begins. */
  hashPassword(password: string): Promise<string>;
  /** Creates an account with a password, in the caller's transaction. email-in-use */
  createAccount(
    executor: Executor,
    input: { email: string; passwordHash: string },
  ): Promise<{ userId: string }>;
  /**
   * A password hash of another shop in the form in which it is stored. The password is checked with it at the first sign-in,
   * which replaces it by a hash of our own. Pure. Accepts url-safe base64.
   *
   * @param hash both in base64, as they are exported
   */
  importedPasswordHash(
    hash: { passwordHash: string; salt: string },
    config: ImportedHashConfig,
  ): ImportedHash;
  /**
   * Adds the ways to sign in of at most 1,000 accounts that exist in `users`, in the caller's transaction. An account keeps
   * the password and the link that it has, and a person at Google keeps the account that is linked to it.
   *
   * Whoever had the password in the other shop can sign in afterwards, so pass a password only for accounts that the import
   * itself has created.
   *
   * @returns `skipped`: what was not added, for that reason
   */
  createImportedAccounts(
    executor: Executor,
    rows: readonly ImportedAccount[],
  ): Promise<{ skipped: { userId: string; provider: "password" | "google" }[] }>;
  /** The link of an account with a provider, by the id of the person there or by the account. */
  findGoogleAccount(
    executor: Executor,
    by: { issuer: string } & ({ subject: string } | { userId: string }),
  ): Promise<{ userId: string; subject: string } | null>;
  linkGoogleAccount(
    executor: Executor,
    input: { userId: string; issuer: string; subject: string },
  ): Promise<void>;
  /** Creates an account without a password, in the caller's transaction. email-in-use, also for a known `subject` */
  createGoogleAccount(
    executor: Executor,
    input: { email: string; issuer: string; subject: string },
  ): Promise<{ userId: string }>;
  /** Whether the account has a password. Without one it opens with Google, until a reset link sets one. */
  hasPassword(executor: Executor, input: { userId: string }): Promise<boolean>;
  /** Removes the password and ends every session and reset link of the account, in the caller's transaction. */
  removePassword(executor: Executor, input: { userId: string }): Promise<void>;
  /** Sets a password and ends every session and reset link of the account, in the caller's transaction. */
  setPassword(executor: Executor, input: { userId: string; passwordHash: string }): Promise<void>;
  /**
   * Replaces a password that was just checked, and ends every reset link of the account, in the caller's transaction. Sessions
   * stay. wrong-password when the password has been changed or removed since the check
   */
  replacePassword(
    executor: Executor,
    input: { userId: string; checkedHash: string; passwordHash: string },
  ): Promise<void>;
}
