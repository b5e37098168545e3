import { createRequestHandler, RouterContextProvider, type ServerBuild } from "react-router";
import type { ViteDevServer } from "vite";
import { requestInfo, shopContext } from "#app/middleware/request-context.ts";
import type { PageRequest } from "./app.ts";

/** Renders pages and runs loaders and actions. In development the app is loaded anew after each change. */
export function createRenderer(
  viteDevServer: ViteDevServer | undefined,
): (page: PageRequest) => Promise<Response> {
  const handler = createRequestHandler(
    () => loadBuild(viteDevServer),
    viteDevServer ? "development" : "production",
  );
  return ({ request, ctx, nonce, requestId, renderTurn }) => {
    const context = new RouterContextProvider();
    context.set(shopContext, ctx);
    context.set(requestInfo, { nonce, requestId, renderTurn });
    return handler(request, context);
  };
}

async function loadBuild(viteDevServer: ViteDevServer | undefined): Promise<ServerBuild> {
  const build: unknown = viteDevServer
    ? await viteDevServer.ssrLoadModule("virtual:react-router/server-build")
    : await import("virtual:react-router/server-build");
  if (!isServerBuild(build)) throw new Error("the build has no routes");
  return build;
}

function isServerBuild(value: unknown): value is ServerBuild {
  return typeof value === "object" && value !== null && "routes" in value && "entry" in value;
}
