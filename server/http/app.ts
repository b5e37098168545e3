import { randomBytes } from "node:crypto";
import { Hono } from "hono";
import type { Log, Context as ShopContext } from "#core/context.ts";
import type { Env } from "../env.ts";
import type { Metrics } from "../metrics/create-metrics.ts";
import { mountMetrics } from "../metrics/mount-metrics.ts";
import { guardSandbox, mountExtensionApi, mountWebhook } from "./endpoints.ts";
import { mountLive } from "./live/live-endpoint.ts";
import type { LiveStreams } from "./live/live-streams.ts";
import type { InlineSources } from "./page-cache.ts";
import { mountPages, type PageParts } from "./pages.ts";
import { type AppEnv, ownOriginOf, requireRequest } from "./request-scope.ts";
import { codeHeaders, securityHeaders } from "./security-headers.ts";

export interface AppParts extends PageParts {
  /** The context of the system actor, for requests that come from no browser, such as webhooks. */
  systemContext(log: Log): ShopContext;
  sandboxGateway: Hono | null;
  liveStreams: LiveStreams;
  mountFiles(app: Hono<AppEnv>): void;
  /** Served at /metrics when METRICS_TOKEN is set. */
  metrics: Metrics | null;
  development: boolean;
}

/** The HTTP app of the shop: the headers and checks of every request, and all endpoints. */
export function createApp(parts: AppParts): Hono<AppEnv> {
  const { env } = parts;
  const app = new Hono<AppEnv>();
  const https = env.origin.startsWith("https:");
  const headersFor = (inline: InlineSources, videoUrl: string | null) =>
    securityHeaders({
      inline,
      https,
      gatewayHosts: env.paymentGateway === "razorpay",
      providerOrigin: env.google ? new URL(env.google.discoveryUrl).origin : null,
      videoUrl,
      development: parts.development,
    });

  app.use(async (c, next) => {
    const nonce = randomBytes(16).toString("base64");
    c.set("nonce", nonce);
    c.set("videoUrl", null);
    c.set("isCode", false);
    await next();
    const sources = [`'nonce-${nonce}'`];
    const headers = c.get("isCode")
      ? codeHeaders({ https })
      : headersFor({ scripts: sources, styles: sources }, c.get("videoUrl"));
    for (const [name, value] of Object.entries(headers)) {
      // The sandbox's checkout is a document of its own and sets its own policy.
      if (!c.res.headers.has(name)) c.res.headers.set(name, value);
    }
    c.res.headers.set("x-request-id", requireRequest().requestId);
  });

  app.use(async (c, next) => {
    const { method, path } = c.req;
    if (!isAllowedOrigin({ method, path, headers: c.req.raw.headers }, env)) {
      requireRequest().countRefusal("request from another site");
      return c.text("This request did not come from a page of this shop.", 403);
    }
    return next();
  });
  parts.mountFiles(app);
  if (parts.metrics && env.metricsToken) mountMetrics(app, parts.metrics, env.metricsToken);
  if (parts.sandboxGateway) {
    if (!env.sandboxOnPublicOrigin) guardSandbox(app);
    app.route("/sandbox-gateway", parts.sandboxGateway);
  }
  mountWebhook(app, parts.systemContext);
  mountExtensionApi(app, parts.visitorContext);
  mountLive(app, parts);

  mountPages(app, parts, headersFor);

  app.onError((error, c) => {
    const { log, requestId } = requireRequest();
    log.error({ err: error }, "request failed");
    return c.text(`Something went wrong on our side; nothing was lost. Code: ${requestId}`, 500);
  });
  return app;
}

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
