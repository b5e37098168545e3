import { createHash, timingSafeEqual } from "node:crypto";
import type { Env, Hono } from "hono";
import type { Metrics } from "./create-metrics.ts";

/** Serves GET /metrics to callers that send `Authorization: Bearer <token>`; 401 to others. */
export function mountMetrics<E extends Env>(app: Hono<E>, metrics: Metrics, token: string): void {
  app.get("/metrics", async (c) => {
    c.header("cache-control", "no-store");
    if (!isSame(c.req.header("authorization") ?? "", `Bearer ${token}`)) {
      c.header("www-authenticate", "Bearer");
      return c.text("A token is needed.", 401);
    }
    const { text, contentType } = await metrics.read();
    c.header("content-type", contentType);
    return c.body(text);
  });
}

/** Compares in constant time. Digests are compared, because the comparison needs equal lengths. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
