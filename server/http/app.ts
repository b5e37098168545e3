import { randomBytes } from "node:crypto";
import { Hono } from "hono";
import type { Log, Context as ShopContext } from "#core/context.ts";
import type { Metrics } from "../metrics/create-metrics.ts";
import { mountMetrics } from "../metrics/mount-metrics.ts";
import { mountExtensionApi } from "./extension-endpoints.ts";
import { mountLive } from "./live/live-endpoint.ts";
import type { LiveStreams } from "./live/live-streams.ts";
import { isAllowedOrigin } from "./origin-check.ts";
import type { InlineSources } from "./pages/inline-sources.ts";
import { mountPages, type PageParts } from "./pages/mount-pages.ts";
import type { AppEnv } from "./request-scope.ts";
import { requireRequest } from "./request-scope.ts";
import { guardSandbox } from "./sandbox-guard.ts";
import { codeHeaders, securityHeaders } from "./security-headers.ts";
import { mountWebhook } from "./webhook-endpoint.ts";

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
