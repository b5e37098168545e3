import { randomBytes } from "node:crypto";
import { Hono } from "hono";
import type { Log, Context as ShopContext } from "#core/context.ts";
import type { Env } from "../env.ts";
import type { Metrics } from "../metrics/create-metrics.ts";
import { mountMetrics } from "../metrics/mount-metrics.ts";
import { addCookies } from "./add-cookies.ts";
import { createPageQueue } from "./admission/page-queue.ts";
import { mountExtensionApi } from "./extension-endpoints.ts";
import { mountLive } from "./live/live-endpoint.ts";
import type { LiveStreams } from "./live/live-streams.ts";
import { isAllowedOrigin } from "./origin-check.ts";
import type { InlineSources, PageCache } from "./page-cache.ts";
import type { AppEnv } from "./request-scope.ts";
import { requireRequest } from "./request-scope.ts";
import { securityHeaders } from "./security-headers.ts";
import { mountWebhook } from "./webhook-endpoint.ts";

export interface PageRequest {
  request: Request;
  ctx: ShopContext;
  nonce: string;
  /** null for a page that is stored. */
  requestId: string | null;
  /** Tells which video the page may embed. */
  showsVideo(url: string | null): void;
  /** Waits until the page may be rendered. @returns a function to call when the page is rendered */
  waitToRender(signal: AbortSignal): Promise<() => void>;
}

export interface AppParts {
  env: Env;
  /** The context of a request, and renewed session cookies. Reads the database only when there is a session cookie. */
  contextFor(
    request: Request,
    ipAddress: string,
    log: Log,
    requestId: string,
  ): Promise<{ ctx: ShopContext; setCookies: string[] }>;
  /** The context of a request whose cookies are not read. */
  visitorContext(request: Request, ipAddress: string, log: Log, requestId: string): ShopContext;
  /** Renders pages and runs loaders and actions. */
  render(page: PageRequest): Promise<Response>;
  /** The context of the system actor, for requests that come from no browser, such as webhooks. */
  systemContext(log: Log): ShopContext;
  sandboxGateway: Hono | null;
  liveStreams: LiveStreams;
  mountFiles(app: Hono<AppEnv>): void;
  /** null: no pages are stored. */
  pageCache: PageCache | null;
  /** Served at /metrics when METRICS_TOKEN is set. */
  metrics: Metrics | null;
  development: boolean;
}

/** The HTTP app of the shop: the headers and checks of every request, and all endpoints. */
export function createApp(parts: AppParts): Hono<AppEnv> {
  const { env } = parts;
  const origins = [env.origin, ...env.extraOrigins];
  const app = new Hono<AppEnv>();

  app.use(async (c, next) => {
    const nonce = randomBytes(16).toString("base64");
    c.set("nonce", nonce);
    c.set("videoUrl", null);
    await next();
    const sources = [`'nonce-${nonce}'`];
    const headers = headersOf(parts, { scripts: sources, styles: sources }, c.get("videoUrl"));
    for (const [name, value] of Object.entries(headers)) {
      // The sandbox's checkout is a document of its own and sets its own policy.
      if (!c.res.headers.has(name)) c.res.headers.set(name, value);
    }
    c.res.headers.set("x-request-id", requireRequest().requestId);
  });

  app.use(async (c, next) => {
    const { method, path } = c.req;
    if (!isAllowedOrigin({ method, path, headers: c.req.raw.headers }, origins)) {
      requireRequest().countRefusal("request from another site");
      return c.text("This request did not come from a page of this shop.", 403);
    }
    return next();
  });
  parts.mountFiles(app);
  if (parts.metrics && env.metricsToken) mountMetrics(app, parts.metrics, env.metricsToken);
  if (parts.sandboxGateway) app.route("/sandbox-gateway", parts.sandboxGateway);
  mountWebhook(app, parts.systemContext);
  mountExtensionApi(app, parts.visitorContext);
  mountLive(app, parts);

  const pages = createPageQueue(env.limitsPerAddress);
  app.all("*", (c) =>
    pages.enter(c.req.raw, async () => {
      const { requestId, address, log } = requireRequest();
      const filling = (await parts.pageCache?.begin(c.req.raw)) ?? null;
      if (filling instanceof Response) return filling;
      const request = withPublicOrigin(filling?.request ?? c.req.raw, env);
      try {
        // A page that is stored is rendered for a visitor, whatever the cookies of the request.
        const { ctx, setCookies } = filling
          ? { ctx: parts.visitorContext(request, address, log, requestId), setCookies: [] }
          : await parts.contextFor(request, address, log, requestId);
        const response = await parts.render({
          request,
          ctx,
          nonce: c.get("nonce"),
          requestId: filling ? null : requestId,
          waitToRender: pages.waitToRender,
          showsVideo: (url) => c.set("videoUrl", url),
        });
        addCookies(response.headers, setCookies);
        // A page shows who is signed in, so a cached one must be validated before it is used.
        if (!response.headers.has("cache-control"))
          response.headers.set("cache-control", "private, no-cache");
        return (await filling?.store(response, c.var)) ?? response;
      } finally {
        filling?.end();
      }
    }),
  );

  app.onError((error, c) => {
    const { log, requestId } = requireRequest();
    log.error({ err: error }, "request failed");
    return c.text(`Something went wrong on our side; nothing was lost. Code: ${requestId}`, 500);
  });
  return app;
}

/** The security headers of an answer with these inline scripts and styles. */
export function headersOf(
  { env, development }: Pick<AppParts, "env" | "development">,
  inline: InlineSources,
  videoUrl: string | null,
): Record<string, string> {
  return securityHeaders({
    inline,
    https: env.origin.startsWith("https:"),
    gatewayHosts: env.paymentGateway === "razorpay",
    providerOrigin: env.google ? new URL(env.google.discoveryUrl).origin : null,
    videoUrl,
    development,
  });
}

/**
 * Returns the request with the shop's public address in its URL. The Host header is not trusted, and behind a proxy
 * that ends TLS the scheme would be wrong.
 */
function withPublicOrigin(request: Request, env: Env): Request {
  const url = new URL(request.url);
  const requested = `http://${request.headers.get("host") ?? ""}`;
  const origin = env.extraOrigins.includes(requested) ? requested : env.origin;
  const target = `${origin}${url.pathname}${url.search}`;
  return target === request.url ? request : new Request(target, request);
}
