import type { Context, Hono } from "hono";
import {
  createRequestHandler,
  type RequestHandler,
  RouterContextProvider,
  type ServerBuild,
} from "react-router";
import type { ViteDevServer } from "vite";
import { DATABASE_UNAVAILABLE, RETRY_SOON, toErrorCode, toErrorMessage } from "#app/errors/error-messages.ts";
import { methodNotAllowed } from "#app/request/json-response.ts";
import { databaseHealth, requestInfo, shopContext } from "#app/request/request-context.ts";
import { requireAdminRequest } from "#core/audit/require-admin-request.server.ts";
import { FairQueue } from "#core/concurrency.ts";
import type { Log, Context as ShopContext } from "#core/context.ts";
import { isDatabaseUnavailable, isDomainError } from "#core/errors.ts";
import { limitKeyOfAddress } from "#core/rate-limits/network.ts";
import type { DatabaseWatch } from "#db/watch-database.ts";
import type { Env } from "../env.ts";
import { HTTP_LIMITS } from "./http-limits.ts";
import type { InlineSources, PageCache } from "./page-cache.ts";
import { HEALTH_PATHS } from "./paths.ts";
import { refusalResponse } from "./refusals.ts";
import type { FindUploadRefusal } from "./request-body.ts";
import { type AppEnv, ownOriginOf, requireRequest } from "./request-scope.ts";

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

export interface PageParts {
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
  /** null: no pages are stored. */
  pageCache: PageCache | null;
}

/**
 * Answers all requests that no other part of the app answers: pages, loaders and actions.
 *
 * @param headersFor the security headers of a page with these inline scripts and styles and this video
 */
export function mountPages(
  app: Hono<AppEnv>,
  parts: PageParts,
  headersFor: (inline: InlineSources, videoUrl: string | null) => Record<string, string>,
): void {
  const { enter, waitToRender } = createPageQueue(parts.env.limitsPerAddress);

  async function render(
    c: Context<AppEnv>,
    page: Pick<PageRequest, "request" | "ctx" | "requestId">,
  ): Promise<Response> {
    const rendered = await parts.render({
      ...page,
      nonce: c.get("nonce"),
      waitToRender,
      showsVideo: (url) => c.set("videoUrl", url),
    });
    const response = rendered.status === 405 ? describeRefusedMethod(rendered) : rendered;
    // A page shows who is signed in, so a cached one must be validated before it is used.
    if (!response.headers.has("cache-control")) response.headers.set("cache-control", "private, no-cache");
    // A browser goes back to a cached page without validation, but not when its cookies have changed.
    response.headers.append("vary", "Cookie, Accept-Language");
    return response;
  }

  /** The answer for the person whose session the request has, or for a visitor. */
  async function answer(c: Context<AppEnv>): Promise<Response> {
    const { requestId, address, log } = requireRequest();
    const request = withPublicOrigin(c.req.raw, parts.env);
    const { ctx, setCookies } = await parts.contextFor(request, address, log, requestId);
    const response = await render(c, { request, ctx, requestId });
    addCookies(response.headers, setCookies);
    return response;
  }

  /** The page as visitors see it, whatever the cookies of the request; null when it is not stored. */
  async function findStored(c: Context<AppEnv>): Promise<Response | null> {
    const { requestId, address, language, log } = requireRequest();
    const response = await parts.pageCache?.share({
      request: c.req.raw,
      language,
      nonce: c.get("nonce"),
      render: (visit) => {
        const request = withPublicOrigin(visit, parts.env);
        const ctx = parts.visitorContext(request, address, log, requestId);
        return render(c, { request, ctx, requestId: null });
      },
      headersFor: (inline) => headersFor(inline, c.get("videoUrl")),
    });
    return response ?? null;
  }

  app.all("*", (c) => enter(c.req.raw, async () => (await findStored(c)) ?? answer(c)));
}

/**
 * The router refuses a POST request to an address without an action. It does not name the methods that are allowed, and
 * where there is no page it says "Unexpected Server Error".
 */
function describeRefusedMethod(response: Response): Response {
  const { headers } = response;
  if (headers.has("allow")) return response;
  if (headers.get("content-type")?.startsWith("application/json")) return methodNotAllowed("GET");
  headers.set("allow", "GET, HEAD");
  return response;
}

/**
 * Returns the request with the shop's public address in its URL. The Host header is not trusted, and behind a proxy
 * that ends TLS the scheme would be wrong.
 */
function withPublicOrigin(request: Request, env: Env): Request {
  const url = new URL(request.url);
  const target = `${ownOriginOf(request.headers, env)}${decodablePath(url.pathname)}${url.search}`;
  return target === request.url ? request : new Request(target, request);
}

/** The router would write warnings to the console for a path that is no UTF-8. No page has such an address. */
function decodablePath(path: string): string {
  try {
    // The result is used, because the build removes a call whose result is not.
    return decodeURIComponent(path) === "" ? "/" : path;
  } catch {
    return path.replaceAll("%", "%25");
  }
}

/** Renders pages and runs loaders and actions. In development the app is reloaded after each change. */
export function createRenderer(
  viteDevServer: ViteDevServer | undefined,
  databaseWatch: DatabaseWatch,
): (page: PageRequest) => Promise<Response> {
  const handler = createHandler(viteDevServer);
  return async ({ request, ctx, nonce, requestId, waitToRender, showsVideo }) => {
    const context = new RouterContextProvider();
    const health = { answers: databaseWatch.answers, failed: false };
    context.set(shopContext, ctx);
    context.set(requestInfo, { nonce, requestId, waitToRender, showsVideo });
    context.set(databaseHealth, health);
    const response = await handler(request, context);
    return health.failed && response.status === 500 ? unavailable(response) : response;
  };
}

/**
 * The router's handler. In production it gets the loaded build: with a function that loads it, the router would prepare
 * all routes again for every request.
 */
function createHandler(viteDevServer: ViteDevServer | undefined): RequestHandler {
  if (viteDevServer) {
    const loadAgain = () => loadBuild(viteDevServer.ssrLoadModule("virtual:react-router/server-build"));
    return createRequestHandler(loadAgain, "development");
  }
  let handler: RequestHandler | undefined;
  return async (request, context) => {
    handler ??= createRequestHandler(
      await loadBuild(import("virtual:react-router/server-build")),
      "production",
    );
    return handler(request, context);
  };
}

/** Replaces the router's 500 for data and for addresses that are no pages. A page shows the message itself. */
async function unavailable(response: Response): Promise<Response> {
  await response.body?.cancel();
  const { message, status } = DATABASE_UNAVAILABLE;
  return new Response(message, { status, headers: { ...RETRY_SOON, "cache-control": "no-store" } });
}

async function loadBuild(loading: Promise<unknown>): Promise<ServerBuild> {
  const build = await loading;
  if (!isServerBuild(build)) throw new Error("the build has no routes");
  return build;
}

function isServerBuild(value: unknown): value is ServerBuild {
  return typeof value === "object" && value !== null && "routes" in value && "entry" in value;
}

/** Checks the session of a request before its body is received. */
export function createUploadCheck(
  env: Env,
  { contextFor }: Pick<PageParts, "contextFor">,
): FindUploadRefusal {
  return async ({ headers }) => {
    const { path, address, log, requestId } = requireRequest();
    const { cookie = "", "user-agent": browser = "" } = headers;
    const request = new Request(new URL(path, env.origin), { headers: { cookie, "user-agent": browser } });
    try {
      const { ctx } = await contextFor(request, address, log, requestId);
      await requireAdminRequest(ctx);
      return null;
    } catch (error) {
      if (!isDomainError(error) && !isDatabaseUnavailable(error))
        log.error({ err: error }, "the session of an upload could not be checked");
      const { status, message } = toErrorMessage(error);
      return { status, code: toErrorCode(error, "failed"), message };
    }
  };
}

type ContextFor = PageParts["contextFor"];

/**
 * Resolves the actor of a request. When the database is unavailable, the request fails only where code reads the actor:
 * endpoints that need no actor still work, and each other endpoint shows the failure in its own way. A signed-in user
 * is not treated as a visitor in the meantime.
 *
 * @param visitorFor returns the context of a visitor, without use of the database
 */
export function tolerateUnknownActor(
  contextFor: ContextFor,
  visitorFor: (...request: Parameters<ContextFor>) => ShopContext,
): ContextFor {
  return async (...args) => {
    const [request, , log] = args;
    if (HEALTH_PATHS.has(new URL(request.url).pathname)) return { ctx: visitorFor(...args), setCookies: [] };
    try {
      return await contextFor(...args);
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      log.warn({ err: error }, "the signed-in user could not be determined: the database is unavailable");
      return { ctx: withUnknownActor(visitorFor(...args), error), setCookies: [] };
    }
  };
}

function withUnknownActor(ctx: ShopContext, reason: unknown): ShopContext {
  return Object.defineProperty({ ...ctx }, "actor", {
    enumerable: true,
    get() {
      throw reason;
    },
  });
}

/**
 * Adds renewed session cookies. A cookie of the same name that the response sets takes precedence (sign-in, sign-out).
 */
export function addCookies(headers: Headers, setCookies: readonly string[]): void {
  const nameOf = (cookie: string) => cookie.slice(0, cookie.indexOf("="));
  const set = new Set(headers.getSetCookie().map(nameOf));
  for (const cookie of setCookies) if (!set.has(nameOf(cookie))) headers.append("set-cookie", cookie);
}

/**
 * Paths that are not queued, because they cost little or wait for another service: Google, or the payment gateway,
 * which may be the sandbox in this process.
 */
const NOT_QUEUED = /^\/(?:api|auth\/diagnostics|checkout|healthz|readyz)(?:\/|$)|^\/tools\/[^/]+\/code$/;
const ALL_CLIENTS = "all clients";
/** Iterations of the event loop between two renders, in which connections are accepted and small requests answered. */
const ITERATIONS_BETWEEN_RENDERS = 2;

interface PageQueue {
  /** Runs `answer`: for a page when its turn has come, for other requests at once. */
  enter(request: Request, answer: () => Promise<Response>): Promise<Response>;
  /**
   * Waits until the page of the current request may be rendered. A render blocks the process, so pages are rendered one
   * after the other, in rotation of the client addresses.
   *
   * @returns a function to call when the page is rendered
   */
  waitToRender(signal: AbortSignal): Promise<() => void>;
}

/**
 * Builds a few pages at a time, in rotation of the client addresses: a client that requests hundreds of pages delays
 * the others by a few pages only (bench/attacks.ts). The limit on requests in flight bounds how many wait.
 *
 * @param perAddressFactor 0: all clients share one queue
 */
function createPageQueue(perAddressFactor: number): PageQueue {
  const pages = new FairQueue(HTTP_LIMITS.pagesAtOnce);
  const renders = new FairQueue(1);
  const client = () => (perAddressFactor === 0 ? ALL_CLIENTS : limitKeyOfAddress(requireRequest().address));

  return {
    async enter(request, answer) {
      // A post may wait for a password hash or for the gateway. It must not block pages meanwhile.
      const reads = request.method === "GET" || request.method === "HEAD";
      if (!reads || NOT_QUEUED.test(requireRequest().path)) return answer();
      const release = await pages.enter(client(), request.signal);
      // Nobody receives it.
      if (release === null) return refusalResponse(503);
      try {
        // The end of a connection is noticed between two iterations of the event loop. Without a pause the answers to
        // thousands of clients that have left follow each other, and each is built.
        await new Promise<void>((resolve) => afterLoopIterations(1, resolve));
        if (request.signal.aborted) return refusalResponse(503);
        return await answer();
      } finally {
        release();
      }
    },
    async waitToRender(signal) {
      const release = await renders.enter(client(), signal);
      if (release === null) throw signal.reason;
      return () => afterLoopIterations(ITERATIONS_BETWEEN_RENDERS, release);
    },
  };
}

function afterLoopIterations(count: number, act: () => void): void {
  if (count === 0) act();
  else setImmediate(() => afterLoopIterations(count - 1, act));
}
