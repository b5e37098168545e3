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

/**
 * Passwords and sessions. It knows nothing of roles or of what an account may do.
 *
 * @throws DomainError from each method, with the codes named there
 */
export interface Authenticator {
  /** email-in-use, invalid-email, weak-password */
  signUpEmail(input: { email: string; password: string }, request: BrowserRequest): Promise<SignedIn>;
  /** user-not-found, wrong-password, user-disabled, invalid-email */
  signInEmail(input: { email: string; password: string }, request: BrowserRequest): Promise<SignedIn>;
  /** Ends the session of the request, if it has one. */
  signOut(request: BrowserRequest): Promise<{ setCookies: string[] }>;
  /** Who the request's cookie speaks for; null when there is no valid session. */
  resolveSession(request: BrowserRequest): Promise<{ userId: string; sessionId: string; setCookies: string[] } | null>;
  /** Makes a reset token for an existing e-mail account; null when there is none. Valid for 60 minutes, used once. */
  makeResetToken(email: string): Promise<string | null>;
  /** Sets a new password and ends every session of the account. invalid-reset-link, weak-password */
  resetPassword(input: { token: string; newPassword: string }): Promise<{ userId: string }>;
  /** Creates an account without a browser (the first admin). email-in-use */
  createAccount(input: { email: string; password: string }): Promise<{ userId: string }>;
  setPassword(input: { userId: string; newPassword: string }): Promise<void>;
}
