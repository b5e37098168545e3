import { randomBytes, randomUUID } from "node:crypto";
import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { compress } from "hono/compress";
import type { Log, Context as ShopContext } from "#core/context.ts";
import type { Env } from "../env.ts";
import type { Metrics } from "../metrics/create-metrics.ts";
import { mountMetrics } from "../metrics/mount-metrics.ts";
import { isAllowedOrigin } from "./origin-check.ts";
import { securityHeaders } from "./security-headers.ts";

export interface PageRequest {
  request: Request;
  ctx: ShopContext;
  nonce: string;
  requestId: string;
}

export interface AppParts {
  env: Env;
  log: Log & { child(facts: object): Log };
  /** The actor of a request and cookies to refresh; asks the database only when there is a session cookie. */
  contextFor(
    request: Request,
    ipAddress: string,
    log: Log,
    requestId: string,
  ): Promise<{ ctx: ShopContext; setCookies: string[] }>;
  /** The page renderer. */
  render(page: PageRequest): Promise<Response>;
  addressOf(socketAddress: string | undefined, forwardedFor: string | undefined): string;
  sandboxGateway: Hono | null;
  mountFiles(app: Hono<AppEnv>): void;
  /** Shown at /metrics when METRICS_TOKEN is set. */
  metrics: Metrics | null;
  development: boolean;
}

export interface AppEnv {
  Bindings: HttpBindings;
  Variables: { requestId: string; nonce: string; log: Log };
}

const MAX_BODY_BYTES = 1024 * 1024;

/** The HTTP side of the shop: what every request passes through, whatever answers it in the end. */
export function createApp(parts: AppParts): Hono<AppEnv> {
  const { env } = parts;
  const origins = [env.origin, ...env.extraOrigins];
  const app = new Hono<AppEnv>();

  app.use(async (c, next) => {
    const started = performance.now();
    const requestId = randomUUID();
    const log = parts.log.child({ requestId });
    const nonce = randomBytes(16).toString("base64");
    c.set("requestId", requestId);
    c.set("nonce", nonce);
    c.set("log", log);
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
    c.res.headers.set("x-request-id", requestId);
    const seconds = (performance.now() - started) / 1000;
    // Nobody waits for the answer any more, which is no fault of ours.
    const givenUp = c.req.raw.signal.aborted;
    const answered = { method: c.req.method, path: c.req.path, status: givenUp ? 499 : c.res.status };
    parts.metrics?.observe({ ...answered, seconds });
    const facts = { ...answered, ms: Math.round(seconds * 1000) };
    if (givenUp) log.info(facts, "request given up by the browser");
    else if (c.res.status >= 500) log.error(facts, "request");
    else if (c.req.path.startsWith("/assets/")) log.debug(facts, "request");
    else log.info(facts, "request");
  });

  app.use(async (c, next) => {
    const { method, path } = c.req;
    if (!isAllowedOrigin({ method, path, headers: c.req.raw.headers }, origins)) {
      c.get("log").warn({ method, path }, "request from another site refused");
      return c.text("This request did not come from a page of this shop.", 403);
    }
    return next();
  });
  app.use(bodyLimit({ maxSize: MAX_BODY_BYTES, onError: (c) => c.text("Too large.", 413) }));
  parts.mountFiles(app);
  app.use(compress());
  if (parts.metrics && env.metricsToken) mountMetrics(app, parts.metrics, env.metricsToken);
  if (parts.sandboxGateway) app.route("/sandbox-gateway", parts.sandboxGateway);

  app.all("*", async (c) => {
    const log = c.get("log");
    const requestId = c.get("requestId");
    const request = atOrigin(c.req.raw, env);
    const forwarded = c.req.header("x-forwarded-for");
    const address = parts.addressOf(c.env.incoming.socket.remoteAddress, forwarded);
    const { ctx, setCookies } = await parts.contextFor(request, address, log, requestId);
    const response = await parts.render({ request, ctx, nonce: c.get("nonce"), requestId });
    addCookies(response.headers, setCookies);
    // A page tells who is signed in; one that is kept must be asked for again before it is shown.
    if (!response.headers.has("cache-control")) response.headers.set("cache-control", "private, no-cache");
    return response;
  });

  app.onError((error, c) => {
    c.get("log").error({ err: error }, "request failed");
    return c.text(`Something went wrong on our side; nothing was lost. Code: ${c.get("requestId")}`, 500);
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
