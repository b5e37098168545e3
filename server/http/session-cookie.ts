const SESSION_COOKIE = /(?:^|;\s*)(?:__Host-|__Secure-)?daypass\.session_token=/;

/** Whether a Cookie header has a session cookie, valid or not. */
export function hasSessionCookie(cookies: string | null | undefined): boolean {
  return SESSION_COOKIE.test(cookies ?? "");
}
