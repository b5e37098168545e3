import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import type { Hono } from "hono";
import { HTTP_LIMITS, type HttpLimits } from "./admission/http-limits.ts";
import { refusalResponse } from "./admission/refuse-request.ts";
import { createSharedLimit } from "./admission/shared-limit.ts";
import { closeSlowReaders } from "./admission/slow-readers.ts";
import { compressResponse } from "./compress-response.ts";
import { createRequestListener, type RequestListenerOptions } from "./request-listener.ts";
import type { AppEnv } from "./request-scope.ts";
import { currentRequest } from "./request-scope.ts";

export interface HttpServerOptions extends Omit<RequestListenerOptions, "answer" | "limits"> {
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
  const listener = createRequestListener({
    ...options,
    limits,
    answer: async (incoming, outgoing) => {
      if (!middleware) return answer(incoming, outgoing);
      await new Promise<void>((resolve) => middleware(incoming, outgoing, resolve));
      return answer(incoming, outgoing);
    },
  });
  const server = createServer(
    {
      headersTimeout: limits.headersWithinMs,
      requestTimeout: limits.requestWithinMs,
      connectionsCheckingInterval: limits.checkConnectionsEveryMs,
      keepAliveTimeout: limits.keepAliveMs,
      // A request without a body has no stream to end.
      optimizeEmptyRequests: true,
    },
    listener,
  );
  server.timeout = limits.idleConnectionMs;
  server.maxRequestsPerSocket = limits.requestsPerConnection;
  server.maxConnections = limits.connections;
  limitConnections(server, options, limits);
  const stopWatching = closeSlowReaders(server, limits.slowReaderMs);
  server.once("close", stopWatching);
  return server;
}

/** Limits the connections of one address, so that it cannot use all of them. */
function limitConnections(
  server: Server,
  { isTrustedProxy, env, refusals }: HttpServerOptions,
  limits: HttpLimits,
): void {
  const shared = createSharedLimit({
    most: limits.connections,
    mostPerAddress: limits.connectionsPerAddress,
    perAddressFactor: env.limitsPerAddress,
  });
  server.on("connection", (socket: Socket) => {
    const { remoteAddress } = socket;
    if (isTrustedProxy(remoteAddress)) return;
    const release = shared.enter(remoteAddress ?? "unknown");
    if (release === null) {
      refusals.count("too many connections", remoteAddress ?? "unknown");
      socket.destroy();
    } else socket.once("close", release);
  });
}

/** The answer to a request that cannot be parsed, or whose handler failed. */
function errorResponse(error: unknown): Response {
  if (error instanceof Error && error.name === "RequestError") return refusalResponse(400);
  currentRequest()?.log.error({ err: error }, "request failed");
  return refusalResponse(500);
}
