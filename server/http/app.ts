import { randomBytes } from "node:crypto";
import { BlockList, isIP } from "node:net";
import { Hono } from "hono";
import { respondToExtension } from "#app/extension-api/extension-api.ts";
import { receiveRazorpayWebhook } from "#app/webhooks/razorpay.ts";
import type { Log, Context as ShopContext } from "#core/context.ts";
import { limitKeyOfAddress, normaliseAddress } from "#core/rate-limits/network.ts";
import { isLoopback } from "../env/formats.ts";
import type { Env } from "../env.ts";
import { type Metrics, mountMetrics } from "../metrics.ts";
import { type LiveStreams, mountLive } from "./live.ts";
import { mountLogos } from "./logos.ts";
import type { InlineSources } from "./page-cache.ts";
import { mountPages, type PageParts } from "./pages.ts";
import { EXTENSION_PATH, WEBHOOK_PATH } from "./paths.ts";
import { refusalResponse } from "./refusals.ts";
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
  mountLogos(app, parts.visitorContext);
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
    return c.text(`Something went wrong on our side. Request id: ${requestId}`, 500);
  });
  return app;
}

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/** Paths whose callers are not pages. They authenticate by a signature, by Basic auth or by a device token, never by cookies. */
const EXEMPT = [/^\/webhooks\/razorpay$/, /^\/sandbox-gateway\/v1\//, /^\/extension\//];

/**
 * Whether a request that may change something was sent by a page of ours. A browser always reports the origin of such a
 * request: without ORIGIN the shop has two, and a page of one may not write to the other. A request without an origin is allowed
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

/** Wrong signatures of one address within a minute that are answered without delay. */
const REFUSED_AT_ONCE = 20;
const WINDOW_MS = 60_000;
const DELAY_MS = 1_000;
/** Refusals that may be delayed at the same time; further ones are answered 429. */
const MAX_DELAYED = 100;
const MAX_ADDRESSES = 10_000;

/**
 * POST /webhooks/razorpay, outside the page framework: the gateway expects an answer within seconds, and anybody can
 * send requests to this address. After 20 wrong signatures of an address within a minute, each further one is answered
 * a second later. A right signature is never delayed.
 */
export function mountWebhook(
  app: Hono<AppEnv>,
  systemContext: (log: ShopContext["log"]) => ShopContext,
): void {
  const delayRefusal = createRefusalDelay();
  app.all(WEBHOOK_PATH, async (c) => {
    const scope = requireRequest();
    const answer = await receiveRazorpayWebhook(systemContext(scope.log), c.req.raw);
    if (answer.status !== 401) return answer;
    scope.countRefusal("webhook with a wrong signature");
    return (await delayRefusal(limitKeyOfAddress(scope.address)))
      ? answer
      : refusalResponse(429, "application/json");
  });
}

/**
 * @returns a function that waits for the delay of the address; it resolves to false when too many answers are delayed
 */
function createRefusalDelay(): (address: string) => Promise<boolean> {
  const refused = new Map<string, number>();
  let windowEnds = 0;
  let delayed = 0;
  return async (address) => {
    if (performance.now() > windowEnds || refused.size >= MAX_ADDRESSES) {
      refused.clear();
      windowEnds = performance.now() + WINDOW_MS;
    }
    const count = (refused.get(address) ?? 0) + 1;
    refused.set(address, count);
    if (count <= REFUSED_AT_ONCE) return true;
    if (delayed >= MAX_DELAYED) return false;
    delayed++;
    await new Promise((resolve) => setTimeout(resolve, DELAY_MS));
    delayed--;
    return true;
  };
}

/**
 * The endpoints of the browser extension, outside the page framework: their actor is a visitor, whatever cookies the
 * request has, and the device token decides.
 */
function mountExtensionApi(
  app: Hono<AppEnv>,
  visitorContext: (
    request: Request,
    address: string,
    log: ShopContext["log"],
    requestId: string,
  ) => ShopContext,
): void {
  app.all(`${EXTENSION_PATH}/*`, (c) => {
    const { address, log, requestId } = requireRequest();
    return respondToExtension(visitorContext(c.req.raw, address, log, requestId), c.req.raw);
  });
}

interface ReceivedRequest {
  /** As the client sent them; `headers` has another Host by now. */
  readonly rawHeaders: readonly string[];
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** The reason of a refusal in the log. */
const REASON =
  "test payment through a proxy, from a public address or under another name than localhost: set ORIGIN to the public address";

/** What proxies, load balancers and content networks add to the requests that they forward. */
const FORWARDING =
  /^(?:forwarded|via|cdn-loop|true-client-ip|do-connecting-ip|x-scheme|x-real-ip|x-client-ip|x-cluster-client-ip|x-azure-.+|x-cloud-trace-context|x-forwarded|(?:x-forwarded|x-original|x-envoy|x-amzn|x-vercel|cf|fastly|fly)-.+)$/;

/** This machine and private networks: a shop in a container is tried from one of these. */
const NEARBY = new BlockList();
NEARBY.addSubnet("127.0.0.0", 8, "ipv4");
NEARBY.addSubnet("10.0.0.0", 8, "ipv4");
NEARBY.addSubnet("172.16.0.0", 12, "ipv4");
NEARBY.addSubnet("192.168.0.0", 16, "ipv4");
NEARBY.addSubnet("169.254.0.0", 16, "ipv4");
NEARBY.addAddress("::1", "ipv6");
NEARBY.addSubnet("fc00::", 7, "ipv6");
NEARBY.addSubnet("fe80::", 10, "ipv6");

/**
 * Refuses the requests of a buyer's browser to the sandbox that are from elsewhere. A public shop whose ORIGIN was
 * forgotten counts as one of this machine, and a script can claim its origin. The shop's own requests (`/v1`) have a secret.
 */
function guardSandbox(app: Hono<AppEnv>): void {
  app.use("/sandbox-gateway/*", async (c, next) => {
    if (c.req.path.startsWith("/sandbox-gateway/v1/") || !isFromElsewhere(c.env.incoming)) return next();
    requireRequest().countRefusal(REASON);
    return c.text("Test payments of this shop work at localhost only, and not through a proxy.", 403);
  });
}

/**
 * Whether a proxy has forwarded the request, it came from a public address, or its Host is no name of this machine.
 * Another machine of a private network is not told apart from a container.
 */
export function isFromElsewhere({ rawHeaders, socket }: ReceivedRequest): boolean {
  const names = rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
  const hosts = names.flatMap((name, at) => (name === "host" ? [rawHeaders[2 * at + 1] ?? ""] : []));
  const isForwarded = names.some((name) => FORWARDING.test(name));
  return isForwarded || hosts.length === 0 || !hosts.every(isLocalHost) || !isNearby(socket.remoteAddress);
}

function isLocalHost(host: string): boolean {
  const url = `http://${host}`;
  return !host.includes("@") && URL.canParse(url) && isLoopback(new URL(url).hostname);
}

function isNearby(remoteAddress = ""): boolean {
  const address = normaliseAddress(remoteAddress);
  const family = isIP(address);
  return family !== 0 && NEARBY.check(address, family === 6 ? "ipv6" : "ipv4");
}
