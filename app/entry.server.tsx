import type { ReactNode } from "react";
import { renderToReadableStream } from "react-dom/server";
import {
  type EntryContext,
  type HandleDataRequestFunction,
  type HandleErrorFunction,
  isRouteErrorResponse,
  type RouterContextProvider,
  ServerRouter,
} from "react-router";
import { isDatabaseUnavailable } from "#core/errors.ts";
import { documentParts } from "./document/document-parts.server.tsx";
import { DocumentPartsContext } from "./document/document-parts.ts";
import { DATABASE_UNAVAILABLE, RETRY_SOON } from "./errors/error-messages.ts";
import { databaseHealth, requestInfo, shopContext } from "./request/request-context.ts";

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
  if (hasRouterSentence(routerContext)) throw new Response(null, { status: 405 });
  if (request.method === "HEAD") {
    return new Response(null, { status: responseStatusCode, headers: responseHeaders });
  }
  const { nonce, waitToRender } = loadContext.get(requestInfo);
  const { serverHandoffStream, ...context } = routerContext;
  const data = serverHandoffStream ? await readText(serverHandoffStream, request.signal) : "";
  const release = await waitToRender(request.signal);
  try {
    const body = await renderDocument(
      <DocumentPartsContext value={documentParts(context, data, nonce, request.method === "GET")}>
        <ServerRouter context={context} url={request.url} nonce={nonce} />
      </DocumentPartsContext>,
      { nonce, signal: request.signal },
    );
    return new Response(body, { status: responseStatusCode, headers: responseHeaders });
  } finally {
    release();
  }
}

/** The same for the data of a page. The endpoints' own 405 names the methods that they answer. */
export const handleDataRequest: HandleDataRequestFunction = async (response) => {
  if (response.status !== 405 || response.headers.has("allow")) return response;
  await response.body?.cancel();
  return new Response("Method Not Allowed", {
    status: 405,
    headers: { allow: "GET, HEAD", "cache-control": "no-store", "content-type": "text/plain; charset=utf-8" },
  });
};

/** Renders the whole document, the same for every browser: a part that arrives later would need scripts. */
async function renderDocument(
  document: ReactNode,
  options: { nonce: string; signal: AbortSignal },
): Promise<ArrayBuffer> {
  const errors: unknown[] = [];
  const { signal, stopListening } = following(options.signal);
  try {
    const stream = await renderToReadableStream(document, {
      nonce: options.nonce,
      signal,
      // React would move a large boundary to the end of the document, where it needs a script.
      progressiveChunkSize: Number.POSITIVE_INFINITY,
      onError: (error) => void errors.push(error),
    });
    await stream.allReady;
    // An error inside a boundary does not reject the rendering: React would send the page without that part.
    if (errors.length > 0)
      throw errors.length === 1 ? errors[0] : new AggregateError(errors, "rendering failed in several parts");
    return await new Response(stream).arrayBuffer();
  } finally {
    stopListening();
  }
}

/**
 * React listens to its signal for ever, and the router makes a second Request after an action, for which Node holds the
 * signal of the first. Together they would hold the whole page in memory, so React gets a signal of its own.
 */
function following(source: AbortSignal): { signal: AbortSignal; stopListening(): void } {
  const own = new AbortController();
  const abort = () => own.abort(source.reason);
  if (source.aborted) abort();
  source.addEventListener("abort", abort);
  return { signal: own.signal, stopListening: () => source.removeEventListener("abort", abort) };
}

/** Ends when the client leaves. */
function readText(stream: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<string> {
  return new Response(stream.pipeThrough(new TransformStream(), { signal })).text();
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

/** Whether the page would carry what the router says to developers about a method that a page does not answer. */
function hasRouterSentence({ staticHandlerContext: { errors } }: EntryContext): boolean {
  return Object.values(errors ?? {}).some(
    (error) => isRouteErrorResponse(error) && error.status === 405 && Boolean(error.data),
  );
}

function showsUnavailable({ staticHandlerContext: { errors } }: EntryContext): boolean {
  return Object.values(errors ?? {}).some(
    (error) => isRouteErrorResponse(error) && error.status === DATABASE_UNAVAILABLE.status,
  );
}
