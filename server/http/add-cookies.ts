/**
 * Adds renewed session cookies. A cookie of the same name that the response sets takes precedence (sign-in, sign-out).
 */
export function addCookies(headers: Headers, setCookies: readonly string[]): void {
  const nameOf = (cookie: string) => cookie.slice(0, cookie.indexOf("="));
  const set = new Set(headers.getSetCookie().map(nameOf));
  for (const cookie of setCookies) if (!set.has(nameOf(cookie))) headers.append("set-cookie", cookie);
}
