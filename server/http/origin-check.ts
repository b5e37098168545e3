import type { Env } from "../env.ts";

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/** Paths whose callers are not pages. They authenticate by a signature, by Basic auth or by a device token, never by cookies. */
const EXEMPT = [/^\/webhooks\/razorpay$/, /^\/sandbox-gateway\/v1\//, /^\/extension\//];

/**
 * Whether a request that may change something was sent by a page of ours. A browser always reports the origin of such a
 * request: without ORIGIN the shop has two, and a page of one may not write to the other. A request without one is allowed
 * only when it has no cookies, so that it cannot misuse a session.
 */
export function isAllowedOrigin(
  request: { method: string; path: string; headers: Headers },
  own: Pick<Env, "origin" | "extraOrigins">,
): boolean {
  if (SAFE_METHODS.has(request.method)) return true;
  if (EXEMPT.some((pattern) => pattern.test(request.path))) return true;
  const origin = request.headers.get("origin");
  if (origin !== null) return origin === ownOriginOf(request.headers, own);
  const site = request.headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  return !request.headers.has("cookie");
}

/** The origin of the shop that a request was sent to. The Host header chooses among the shop's own only. */
export function ownOriginOf(
  headers: Headers,
  { origin, extraOrigins }: Pick<Env, "origin" | "extraOrigins">,
): string {
  const requested = `http://${headers.get("host") ?? ""}`;
  return extraOrigins.includes(requested) ? requested : origin;
}
