import { PassThrough } from "node:stream";
import { createReadableStreamFromReadable } from "@react-router/node";
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
import { ModulesAfterStyles } from "./modules-after-styles.server.ts";
import { CAPTURE_PRE_HYDRATION_EVENTS } from "./pre-hydration-events.ts";
import { findRenderedCard } from "./storefront/catalogue/render-cards.server.tsx";
import { RenderedCards } from "./storefront/catalogue/rendered-cards.ts";

/** The modules of the development server depend on their order, and its stylesheets are modules. */
const waitsForStyles = import.meta.env.PROD;

/** The longest time for deferred data, in milliseconds. */
export const streamTimeout = 5_000;
/** The renderer waits longer than the data, so that a timeout of the data is still sent as an error. */
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
    if (!showsUnavailable(routerContext)) throw unavailableResponse();
    for (const [name, value] of Object.entries(RETRY_SOON)) responseHeaders.set(name, value);
  }
  if (request.method === "HEAD") {
    return new Response(null, { status: responseStatusCode, headers: responseHeaders });
  }
  const { nonce, waitToRender } = loadContext.get(requestInfo);
  const { signal } = request;
  const release = await waitToRender(signal);
  return new Promise((resolve, reject) => {
    let status = responseStatusCode;
    let shellRendered = false;
    const giveUp = (reason: unknown) => {
      release();
      abort(reason);
    };
    const onAbort = () => giveUp(signal.reason);
    const timer = setTimeout(() => giveUp(new Error("rendering the page took too long")), RENDER_TIMEOUT);
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      release();
    };
    signal.addEventListener("abort", onAbort);
    const { pipe, abort } = renderToPipeableStream(
      <RenderedCards value={findRenderedCard}>
        <ServerRouter context={routerContext} url={request.url} nonce={nonce} />
      </RenderedCards>,
      {
        nonce,
        bootstrapScriptContent: CAPTURE_PRE_HYDRATION_EVENTS,
        onShellReady: () => {
          shellRendered = true;
        },
        // The document is sent as a whole, to every browser the same: a part that came later would need scripts.
        onAllReady: () => {
          finish();
          send();
        },
        onShellError(error) {
          finish();
          reject(error);
        },
        onError(error) {
          status = 500;
          // Errors before the shell reject above and are reported by the server.
          if (shellRendered && !signal.aborted)
            loadContext.get(shopContext).log.error({ err: error }, "rendering failed");
        },
      },
    );
    function send() {
      const body = waitsForStyles ? new ModulesAfterStyles(nonce) : new PassThrough();
      pipe(body);
      resolve(new Response(createReadableStreamFromReadable(body), { status, headers: responseHeaders }));
    }
  });
}

/** Logs each error of a loader, an action or rendering once. Aborted requests and client errors are not logged. */
export const handleError: HandleErrorFunction = (error, { request, context }) => {
  if (request.signal.aborted || error instanceof Response) return;
  if (isRouteErrorResponse(error) && error.status < 500) return;
  if (isDatabaseUnavailable(error)) context.get(databaseHealth).failed = true;
  context.get(shopContext).log.error({ err: error, path: new URL(request.url).pathname }, "request failed");
};

/**
 * The router hides the error of a loader from the page. Throwing a response while the page is rendered makes the router
 * render it again with that response as the page's error, so that the page has its status and message.
 */
function unavailableResponse(): Response {
  const { status, message } = DATABASE_UNAVAILABLE;
  return new Response(message, { status });
}

function showsUnavailable({ staticHandlerContext: { errors } }: EntryContext): boolean {
  return Object.values(errors ?? {}).some(
    (error) => isRouteErrorResponse(error) && error.status === DATABASE_UNAVAILABLE.status,
  );
}
