import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { API_ROUTES, type ApiRequest, type createApi } from "./api.ts";
import type { ArrivedRequest, Fault, Faults } from "./faults.ts";
import { readBody, sendJson } from "./http.ts";
import { errorBody, Refusal } from "./refusal.ts";

interface Answer {
  status: number;
  body: object;
}

export interface ServeApiOptions {
  api: ReturnType<typeof createApi>;
  faults: Faults;
  keyId: string;
  keySecret: string;
}

/** Everything under /v1 that the shop's server asks. */
export function serveApi({ api, faults, keyId, keySecret }: ServeApiOptions) {
  const authorization = `Basic ${Buffer.from(`${keyId}:${keySecret}`).toString("base64")}`;
  /** Refunds whose keys are being worked on: the same key meanwhile is a conflict. */
  const keysInWork = new Set<string>();

  function work(name: keyof typeof api, request: ApiRequest): Answer {
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
    if (refundKey !== null && keysInWork.has(refundKey)) {
      return sendJson(
        response,
        409,
        errorBody("Another request with the same idempotency key is in progress."),
      );
    }
    if (refundKey !== null) keysInWork.add(refundKey);
    const arrived = { name: found.name, line: `${request.method} ${url.pathname}`, worked: false };
    const gone = new Promise<void>((resolve) => {
      response.once("close", () => {
        faults.leave(arrived);
        resolve();
      });
    });
    const input = { id: found.id, query: url.searchParams, rawBody, refundKey };
    const fault = faults.arrive(arrived);
    try {
      await answer({
        faults,
        arrived,
        fault,
        request,
        response,
        gone,
        work: () => work(found.name, input),
      });
    } finally {
      if (refundKey !== null) keysInWork.delete(refundKey);
    }
  };
}

interface Exchange {
  faults: Faults;
  arrived: ArrivedRequest;
  fault: Fault | null;
  request: IncomingMessage;
  response: ServerResponse;
  /** Resolves when the one who asked has hung up or has the answer. */
  gone: Promise<void>;
  work: () => Answer;
}

async function answer(exchange: Exchange): Promise<void> {
  const { faults, arrived, fault, request, response } = exchange;
  if (fault !== null && !isAfter(fault) && (await suffer(exchange, fault)) === "ended") return;
  const { status, body } = exchange.work();
  faults.work(arrived);
  if (fault !== null && isAfter(fault)) {
    if (fault.what === "drop-after") return void request.socket.destroy();
    if (fault.what === "garbage") return void response.end("<html>It works!</html>");
    if ((await suffer(exchange, fault)) === "ended") return;
  }
  sendJson(response, status, body);
}

function isAfter(fault: Fault): boolean {
  return (
    fault.what === "drop-after" || fault.what === "garbage" || ("after" in fault && fault.after === true)
  );
}

async function suffer(
  { faults, request, response, gone }: Exchange,
  fault: Fault,
): Promise<"ended" | "goes on"> {
  switch (fault.what) {
    case "delay":
      await new Promise((resolve) => setTimeout(resolve, fault.ms));
      return "goes on";
    case "gate":
      await faults.passGate(fault.gate);
      return "goes on";
    case "hang":
      await gone;
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
