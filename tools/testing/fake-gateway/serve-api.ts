import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { API_ROUTES, type ApiRequest, type createApi } from "./api.ts";
import type { ArrivedRequest, Fault, Faults } from "./faults.ts";
import { readBody, sendJson } from "./http.ts";
import { errorBody, Refusal } from "./refusal.ts";

interface ApiResult {
  status: number;
  body: object;
}

export interface ServeApiOptions {
  api: ReturnType<typeof createApi>;
  faults: Faults;
  keyId: string;
  keySecret: string;
}

/** Serves the API under /v1 that the shop calls. */
export function serveApi({ api, faults, keyId, keySecret }: ServeApiOptions) {
  const authorization = `Basic ${Buffer.from(`${keyId}:${keySecret}`).toString("base64")}`;
  /** Idempotency keys of refunds in progress: the same key is a conflict meanwhile. */
  const keysInProgress = new Set<string>();

  function process(name: keyof typeof api, request: ApiRequest): ApiResult {
    try {
      return { status: 200, body: api[name](request) };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { status: error.status, body: errorBody(error.message, error.field) };
    }
  }

  return async (request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> => {
    const rawBody = await readBody(request);
    if (!isSame(request.headers.authorization ?? "", authorization)) {
      return sendJson(response, 401, errorBody("Authentication failed"));
    }
    const found = findRoute(request.method ?? "", url.pathname);
    if (!found) return sendJson(response, 404, errorBody("The requested URL was not found on the server."));
    const key = request.headers["x-refund-idempotency"];
    const refundKey = typeof key === "string" ? key : null;
    if (refundKey !== null && keysInProgress.has(refundKey)) {
      return sendJson(
        response,
        409,
        errorBody("Another request with the same idempotency key is in progress."),
      );
    }
    if (refundKey !== null) keysInProgress.add(refundKey);
    const apiRequest = { name: found.name, line: `${request.method} ${url.pathname}`, processed: false };
    const closed = new Promise<void>((resolve) => {
      response.once("close", () => {
        faults.requestEnded(apiRequest);
        resolve();
      });
    });
    const input = { id: found.id, query: url.searchParams, rawBody, refundKey };
    const fault = faults.requestArrived(apiRequest);
    try {
      await respond({
        faults,
        apiRequest,
        fault,
        request,
        response,
        closed,
        process: () => process(found.name, input),
      });
    } finally {
      if (refundKey !== null) keysInProgress.delete(refundKey);
    }
  };
}

interface Exchange {
  faults: Faults;
  apiRequest: ArrivedRequest;
  fault: Fault | null;
  request: IncomingMessage;
  response: ServerResponse;
  /** Resolves when the client has disconnected or has the response. */
  closed: Promise<void>;
  process: () => ApiResult;
}

async function respond(exchange: Exchange): Promise<void> {
  const { faults, apiRequest, fault, request, response } = exchange;
  if (fault !== null && !appliesAfterProcessing(fault) && (await applyFault(exchange, fault)) === "ended")
    return;
  const { status, body } = exchange.process();
  faults.requestProcessed(apiRequest);
  if (fault !== null && appliesAfterProcessing(fault)) {
    if (fault.what === "drop-after") return void request.socket.destroy();
    if (fault.what === "garbage") return void response.end("<html>It works!</html>");
    if ((await applyFault(exchange, fault)) === "ended") return;
  }
  sendJson(response, status, body);
}

function appliesAfterProcessing(fault: Fault): boolean {
  return (
    fault.what === "drop-after" || fault.what === "garbage" || ("after" in fault && fault.after === true)
  );
}

async function applyFault(
  { faults, request, response, closed }: Exchange,
  fault: Fault,
): Promise<"ended" | "continue"> {
  switch (fault.what) {
    case "delay":
      await new Promise((resolve) => setTimeout(resolve, fault.ms));
      return "continue";
    case "gate":
      await faults.passGate(fault.gate);
      return "continue";
    case "hang":
      await closed;
      return "ended";
    case "status":
      sendJson(response, fault.status, errorBody("The server encountered an error.", null, "SERVER_ERROR"));
      return "ended";
    default:
      request.socket.destroy();
      return "ended";
  }
}

function findRoute(method: string, pathname: string) {
  for (const { name, path, ...route } of API_ROUTES) {
    if (route.method !== method) continue;
    const fits = path.exec(pathname);
    if (fits) return { name, id: fits[1] ?? "" };
  }
  return undefined;
}

function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
