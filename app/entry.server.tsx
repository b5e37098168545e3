import { renderToStringAsync } from "preact-render-to-string";
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
import { delayModules } from "./modules-after-styles.server.ts";
import { CAPTURE_PRE_HYDRATION_EVENTS } from "./pre-hydration-events.ts";
import { findRenderedCard } from "./storefront/catalogue/render-cards.server.tsx";
import { RenderedCards } from "./storefront/catalogue/rendered-cards.ts";

/** The modules of the development server depend on their order, and its stylesheets are modules. */
const waitsForStyles = import.meta.env.PROD;

const BODY_START = "<body>";
const BODY_END = "</body></html>";

/** The longest time for deferred data, in milliseconds. */
export const streamTimeout = 5_000;

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
  const { signal, url } = request;
  const { serverHandoffStream: data } = routerContext;
  const context = data
    ? { ...routerContext, serverHandoffStream: await inOneChunk(data, signal) }
    : routerContext;
  const release = await waitToRender(signal);
  try {
    const html = await renderDocument(context, url, nonce);
    // The document is sent as a whole, to every browser the same: a part that came later would need scripts.
    return new Response(html, { status: responseStatusCode, headers: responseHeaders });
  } finally {
    release();
  }
}

async function renderDocument(context: EntryContext, url: string, nonce: string): Promise<string> {
  const html = await renderToStringAsync(
    <RenderedCards value={findRenderedCard}>
      <ServerRouter context={context} url={url} nonce={nonce} />
    </RenderedCards>,
  );
  // The router renders the data of the page after the end of the document.
  const endsWithData = `${html.replace(BODY_END, "")}${BODY_END}`;
  const capture = `<script nonce="${nonce}">${CAPTURE_PRE_HYDRATION_EVENTS}</script>`;
  const document = `<!DOCTYPE html>${endsWithData.replace(BODY_START, `${BODY_START}${capture}`)}`;
  return waitsForStyles ? delayModules(document, nonce) : document;
}

/**
 * Reads the data of a page to its end, so that rendering does not wait for it. The router renders one component inside
 * another for each chunk, and the renderer only waits for 25 of them.
 */
async function inOneChunk(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const data = await new Response(stream.pipeThrough(new TransformStream(), { signal })).blob();
  return data.stream();
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
