import {
  createRequestHandler,
  type RequestHandler,
  RouterContextProvider,
  type ServerBuild,
} from "react-router";
import type { ViteDevServer } from "vite";
import { DATABASE_UNAVAILABLE, RETRY_SOON } from "#app/middleware/error-messages.ts";
import { databaseHealth, requestInfo, shopContext } from "#app/middleware/request-context.ts";
import type { DatabaseWatch } from "#db/watch-database.ts";
import type { PageRequest } from "./pages.ts";

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
