const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/** Paths whose callers are not pages. They authenticate by a signature, by Basic auth or by a device token, never by cookies. */
const EXEMPT = [/^\/webhooks\/razorpay$/, /^\/sandbox-gateway\/v1\//, /^\/extension\//];

/**
 * Whether a request that may change something was sent by a page of ours. A browser always reports the origin of such a
 * request. A request without one is allowed only when it has no cookies, so that it cannot misuse a session.
 */
export function isAllowedOrigin(
  request: { method: string; path: string; headers: Headers },
  origins: readonly string[],
): boolean {
  if (SAFE_METHODS.has(request.method)) return true;
  if (EXEMPT.some((pattern) => pattern.test(request.path))) return true;
  const origin = request.headers.get("origin");
  if (origin !== null) return origins.includes(origin);
  const site = request.headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  return !request.headers.has("cookie");
}
