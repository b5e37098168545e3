import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createListener, type Server as Listener, type ListenOptions } from "node:net";
import { getRequestListener } from "@hono/node-server";
import type { Hono } from "hono";
import { createConnections } from "./connections.ts";
import { compressResponse } from "./files.ts";
import { HTTP_LIMITS, type HttpLimits } from "./http-limits.ts";
import { refusalResponse } from "./refusals.ts";
import { createRequestListener, type RequestListenerOptions } from "./request-listener.ts";
import { type AppEnv, currentRequest } from "./request-scope.ts";

export interface HttpServerOptions extends Omit<RequestListenerOptions, "answer" | "limits" | "connections"> {
  app: Hono<AppEnv>;
  /** Whether connections of this address carry the requests of many clients. */
  isTrustedProxy(address: string | undefined): boolean;
  /** Limits other than the shop's own, for tests. */
  limits?: HttpLimits;
  /** Called first, in development only. It answers the requests it knows and calls `next` for others. */
  middleware?: (incoming: IncomingMessage, outgoing: ServerResponse, next: () => void) => void;
}

/** Creates the shop's HTTP server with all its limits. It does not listen yet. */
export function createHttpServer(options: HttpServerOptions): Server {
  const { app, middleware, limits = HTTP_LIMITS } = options;
  const answer = getRequestListener(
    async (request, bindings) =>
      compressResponse(
        await app.fetch(request, bindings),
        request.headers.get("accept-encoding") ?? undefined,
      ),
    { errorHandler: errorResponse },
  );
  const server = createServer({
    headersTimeout: limits.headersWithinMs,
    // The limit for other bodies is shorter (request-body.ts).
    requestTimeout: Math.max(limits.requestWithinMs, limits.catalogueWithinMs),
    connectionsCheckingInterval: limits.checkConnectionsEveryMs,
    keepAliveTimeout: limits.keepAliveMs,
    // A request without a body has no stream to end.
    optimizeEmptyRequests: true,
  });
  server.timeout = limits.idleConnectionMs;
  const connections = createConnections(server, { ...options, limits });
  server.on("connection", connections.accept);
  const listener = createRequestListener({
    ...options,
    limits,
    connections,
    answer: async (incoming, outgoing) => {
      if (!middleware) return answer(incoming, outgoing);
      await new Promise<void>((resolve) => middleware(incoming, outgoing, resolve));
      return answer(incoming, outgoing);
    },
  });
  server.on("request", listener);
  return server;
}

/** The answer to a request that cannot be parsed, or whose handler failed. */
function errorResponse(error: unknown): Response {
  if (error instanceof Error && error.name === "RequestError") return refusalResponse(400);
  currentRequest()?.log.error({ err: error }, "request failed");
  return refusalResponse(500);
}

/**
 * Node accepts one connection of a listener in each iteration of the event loop. With a single listener, clients that
 * connect and leave at once delay all others by seconds.
 */
const LISTENERS = 8;

/** Some systems cannot share a port among listeners. */
const UNSUPPORTED = new Set(["ENOTSUP", "EOPNOTSUPP", "EINVAL", "ENOPROTOOPT"]);

/**
 * Makes the server listen, with several listeners on the same port where the system allows that.
 *
 * @returns all listeners, the server first; each has to be closed
 * @throws the error of a listener that cannot be bound; then nothing listens
 */
export async function listen(
  server: Server,
  { port, host }: { port: number; host: string },
): Promise<Listener[]> {
  try {
    await listenAt(server, { port, host, reusePort: true });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && UNSUPPORTED.has(String(error.code)))) throw error;
    await listenAt(server, { port, host });
    return [server];
  }
  const address = server.address();
  const shared = typeof address === "object" && address !== null ? address.port : port;
  const others = Array.from({ length: LISTENERS - 1 }, () => createListenerFor(server));
  const results = await Promise.allSettled(
    others.map((listener) => listenAt(listener, { port: shared, host, reusePort: true })),
  );
  const failed = results.find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") {
    await closeAll(server, [server, ...others]);
    throw failed.reason;
  }
  return [server, ...others];
}

/** Closes those listeners that are bound, and cuts off the connections that they have accepted. */
async function closeAll(server: Server, listeners: readonly Listener[]): Promise<void> {
  const closed = listeners.map((listener) => new Promise((resolve) => listener.close(resolve)));
  server.closeAllConnections();
  await Promise.all(closed);
}

/** Creates a listener that passes its connections to the HTTP server. */
function createListenerFor(server: Server): Listener {
  return createListener({ allowHalfOpen: true, noDelay: true }, (socket) => {
    // The client has already left.
    if (socket.remoteAddress === undefined) socket.destroy();
    else server.emit("connection", socket);
  });
}

async function listenAt(listener: Listener, options: ListenOptions): Promise<void> {
  listener.listen(options);
  await once(listener, "listening");
}

const DRAIN_MS = 10_000;
const CHECK_EVERY_MS = 100;

/**
 * Stops accepting connections and waits until every request is answered; after ten seconds the rest are cut off.
 *
 * @param listeners all that accept connections for the server, the server itself included
 */
export async function closeGracefully(
  server: Server,
  listeners: readonly Listener[] = [server],
): Promise<void> {
  const cutOff = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  // A kept-alive connection becomes idle only after its last answer, so this is repeated.
  const closingIdle = setInterval(() => server.closeIdleConnections(), CHECK_EVERY_MS);
  const closed = listeners.map((listener) => new Promise<void>((resolve) => listener.close(() => resolve())));
  server.closeIdleConnections();
  await Promise.all(closed);
  clearTimeout(cutOff);
  clearInterval(closingIdle);
}
