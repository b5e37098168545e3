import { randomBytes } from "node:crypto";
import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import type { Log, Context as ShopContext } from "#core/context.ts";
import type { Env } from "../env.ts";
import type { Metrics } from "../metrics/create-metrics.ts";
import { mountMetrics } from "../metrics/mount-metrics.ts";
import { createPageQueue } from "./admission/page-queue.ts";
import { isAllowedOrigin } from "./origin-check.ts";
import { requireRequest } from "./request-scope.ts";
import { securityHeaders } from "./security-headers.ts";
import { mountWebhook } from "./webhook-endpoint.ts";

export interface PageRequest {
  request: Request;
  ctx: ShopContext;
  nonce: string;
  requestId: string;
  /** Waits until the page may be rendered. @returns to be called when it is rendered */
  renderTurn(signal: AbortSignal): Promise<() => void>;
}

export interface AppParts {
  env: Env;
  /** The actor of a request and cookies to refresh; asks the database only when there is a session cookie. */
  contextFor(
    request: Request,
    ipAddress: string,
    log: Log,
    requestId: string,
  ): Promise<{ ctx: ShopContext; setCookies: string[] }>;
  /** The page renderer. */
  render(page: PageRequest): Promise<Response>;
  /** The shop acting by itself, for what no visitor does. */
  systemContext(log: Log): ShopContext;
  sandboxGateway: Hono | null;
  mountFiles(app: Hono<AppEnv>): void;
  /** Shown at /metrics when METRICS_TOKEN is set. */
  metrics: Metrics | null;
  development: boolean;
}

export interface AppEnv {
  Bindings: HttpBindings;
  Variables: { nonce: string };
}

/** The HTTP side of the shop: what every request passes through, whatever answers it in the end. */
export function createApp(parts: AppParts): Hono<AppEnv> {
  const { env } = parts;
  const origins = [env.origin, ...env.extraOrigins];
  const app = new Hono<AppEnv>();

  app.use(async (c, next) => {
    const nonce = randomBytes(16).toString("base64");
    c.set("nonce", nonce);
    await next();
    const headers = securityHeaders({
      nonce,
      https: env.origin.startsWith("https:"),
      gatewayHosts: env.paymentGateway === "razorpay",
      videoOrigin: env.demoVideoUrl ? new URL(env.demoVideoUrl).origin : null,
      development: parts.development,
    });
    for (const [name, value] of Object.entries(headers)) {
      // A part that is a document of its own (the sandbox's checkout) brings its own policy.
      if (!c.res.headers.has(name)) c.res.headers.set(name, value);
    }
    c.res.headers.set("x-request-id", requireRequest().requestId);
  });

  app.use(async (c, next) => {
    const { method, path } = c.req;
    if (!isAllowedOrigin({ method, path, headers: c.req.raw.headers }, origins)) {
      requireRequest().noteRefusal("request from another site");
      return c.text("This request did not come from a page of this shop.", 403);
    }
    return next();
  });
  parts.mountFiles(app);
  if (parts.metrics && env.metricsToken) mountMetrics(app, parts.metrics, env.metricsToken);
  if (parts.sandboxGateway) app.route("/sandbox-gateway", parts.sandboxGateway);
  mountWebhook(app, parts.systemContext);

  const pages = createPageQueue(env.limitsPerAddress);
  app.all("*", (c) =>
    pages.make(c.req.raw, async () => {
      const { requestId, address, log } = requireRequest();
      const request = atOrigin(c.req.raw, env);
      const { ctx, setCookies } = await parts.contextFor(request, address, log, requestId);
      const response = await parts.render({
        request,
        ctx,
        nonce: c.get("nonce"),
        requestId,
        renderTurn: pages.renderTurn,
      });
      addCookies(response.headers, setCookies);
      // A page tells who is signed in; one that is kept must be asked for again before it is shown.
      if (!response.headers.has("cache-control")) response.headers.set("cache-control", "private, no-cache");
      return response;
    }),
  );

  app.onError((error, c) => {
    const { log, requestId } = requireRequest();
    log.error({ err: error }, "request failed");
    return c.text(`Something went wrong on our side; nothing was lost. Code: ${requestId}`, 500);
  });
  return app;
}

/** Renewed session cookies, unless the answer itself sets one of that name: a sign-in or sign-out has the last word. */
export function addCookies(headers: Headers, setCookies: readonly string[]): void {
  const nameOf = (cookie: string) => cookie.slice(0, cookie.indexOf("="));
  const set = new Set(headers.getSetCookie().map(nameOf));
  for (const cookie of setCookies) if (!set.has(nameOf(cookie))) headers.append("set-cookie", cookie);
}

/**
 * The request as it would look at the shop's public address: the Host header is the caller's word, and behind a proxy
 * that ends TLS even the scheme would be wrong.
 */
function atOrigin(request: Request, env: Env): Request {
  const url = new URL(request.url);
  const said = `http://${request.headers.get("host") ?? ""}`;
  const origin = env.extraOrigins.includes(said) ? said : env.origin;
  const target = `${origin}${url.pathname}${url.search}`;
  return target === request.url ? request : new Request(target, request);
}
