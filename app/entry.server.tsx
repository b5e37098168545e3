import { PassThrough } from "node:stream";
import { createReadableStreamFromReadable } from "@react-router/node";
import { isbot } from "isbot";
import { renderToPipeableStream } from "react-dom/server";
import {
  type EntryContext,
  type HandleErrorFunction,
  isRouteErrorResponse,
  type RouterContextProvider,
  ServerRouter,
} from "react-router";
import { isDatabaseUnavailable } from "#core/errors.ts";
import { DATABASE_UNAVAILABLE, RETRY_SOON } from "./middleware/error-messages.ts";
import { databaseHealth, requestInfo, shopContext } from "./middleware/request-context.ts";
import { LowPriorityModulePreloads } from "./module-preloads.server.ts";
import { CAPTURE_PRE_HYDRATION_EVENTS } from "./pre-hydration-events.ts";

/** How long deferred data may take, in milliseconds. */
export const streamTimeout = 5_000;
/** The renderer waits a little longer, so that what timed out is still sent as an error. */
const RENDER_TIMEOUT = streamTimeout + 1_000;

export default async function handleRequest(
  request: Request,
  responseStatusCode: number,
  responseHeaders: Headers,
  routerContext: EntryContext,
  loadContext: RouterContextProvider,
): Promise<Response> {
  responseHeaders.set("Content-Type", "text/html; charset=utf-8");
  if (loadContext.get(databaseHealth).failed) {
    if (!saysUnavailable(routerContext)) throw unavailable();
    for (const [name, value] of Object.entries(RETRY_SOON)) responseHeaders.set(name, value);
  }
  if (request.method === "HEAD") {
    return new Response(null, { status: responseStatusCode, headers: responseHeaders });
  }
  const { nonce, renderTurn } = loadContext.get(requestInfo);
  // A crawler reads the document once, so it gets the finished one.
  const ready = isbot(request.headers.get("user-agent")) ? "onAllReady" : "onShellReady";

  const { signal } = request;
  const release = await renderTurn(signal);
  return new Promise((resolve, reject) => {
    let status = responseStatusCode;
    let shellSent = false;
    const giveUp = (reason: unknown) => {
      release();
      abort(reason);
    };
    const onLeave = () => giveUp(signal.reason);
    const timer = setTimeout(() => giveUp(new Error("The page took too long to render.")), RENDER_TIMEOUT);
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onLeave);
      release();
    };
    signal.addEventListener("abort", onLeave);
    const { pipe, abort } = renderToPipeableStream(
      <ServerRouter context={routerContext} url={request.url} nonce={nonce} />,
      {
        nonce,
        bootstrapScriptContent: CAPTURE_PRE_HYDRATION_EVENTS,
        onAllReady: () => {
          finish();
          if (ready === "onAllReady") send();
        },
        onShellReady: () => {
          if (ready === "onShellReady") send();
        },
        onShellError(error) {
          finish();
          reject(error);
        },
        onError(error) {
          status = 500;
          // Errors before the shell reject above and are reported by the server.
          if (shellSent && !signal.aborted)
            loadContext.get(shopContext).log.error({ err: error }, "rendering failed");
        },
      },
    );
    function send() {
      shellSent = true;
      const body = new PassThrough();
      pipe(new LowPriorityModulePreloads()).pipe(body);
      resolve(new Response(createReadableStreamFromReadable(body), { status, headers: responseHeaders }));
    }
  });
}

/** Faults of loaders, actions and rendering, once each. A request given up or wrongly asked is no fault of ours. */
export const handleError: HandleErrorFunction = (error, { request, context }) => {
  if (request.signal.aborted || error instanceof Response) return;
  if (isRouteErrorResponse(error) && error.status < 500) return;
  if (isDatabaseUnavailable(error)) context.get(databaseHealth).failed = true;
  context.get(shopContext).log.error({ err: error, path: new URL(request.url).pathname }, "request failed");
};

/**
 * The router hides from the page what an error of a loader was. An answer that is thrown while the page is rendered makes
 * it render once more, with that answer as the page's error, its status and its words.
 */
function unavailable(): Response {
  const { status, message } = DATABASE_UNAVAILABLE;
  return new Response(message, { status });
}

function saysUnavailable({ staticHandlerContext: { errors } }: EntryContext): boolean {
  return Object.values(errors ?? {}).some(
    (error) => isRouteErrorResponse(error) && error.status === DATABASE_UNAVAILABLE.status,
  );
}
