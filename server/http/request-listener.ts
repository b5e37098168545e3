import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Log } from "#core/context.ts";
import type { Env } from "../env.ts";
import type { Connections } from "./connections.ts";
import { createSharedLimit, type HttpLimits } from "./http-limits.ts";
import { HEALTH_PATHS, LIVE_PATH, PROCESS_HEALTH_PATH, routedPath, WEBHOOK_PATH } from "./paths.ts";
import { type OwnRefusal, type RefusalLog, type RefusalStatus, refuseAndClose } from "./refusals.ts";
import {
  BodyIncompleteError,
  BodyRefusedError,
  createRequestBodyReader,
  type FindUploadRefusal,
  hasBody,
} from "./request-body.ts";
import { languageOf } from "./request-language.ts";
import { type RequestScope, runInRequestScope } from "./request-scope.ts";

/** The result of a request, known when its answer is sent or its client has left. */
export interface FinishedRequest {
  method: string;
  path: string;
  /** 499: the client left before the answer was complete. */
  status: number;
  seconds: number;
}

export interface RequestListenerOptions {
  env: Pick<Env, "origin" | "extraOrigins" | "limitsPerAddress">;
  log: Log & { child(facts: object): Log };
  refusals: RefusalLog;
  addressOf(socketAddress: string | undefined, forwardedFor: string | undefined): string;
  /**
   * Sends a page that is stored, to a request without a body; absent: no pages are stored.
   *
   * @returns false when the request has to be answered otherwise
   */
  answerFromCache?:
    | ((incoming: IncomingMessage, outgoing: ServerResponse, newRequestId: () => string) => boolean)
    | undefined;
  /** Absent: no catalogue file is received that is longer than other bodies. */
  findUploadRefusal?: FindUploadRefusal;
  /** Returns the body of the answer to a signed question; null: the request has none that is valid. Absent: none is answered. */
  answerQuestion?: (incoming: IncomingMessage) => string | null;
  /** Answers a request whose body is complete. Runs in the scope of that request. */
  answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void>;
  limits: HttpLimits;
  connections: Connections;
  /** Called once for each request that was not ignored. */
  observe(request: FinishedRequest): void;
}

const METHODS: ReadonlySet<string | undefined> = new Set(["GET", "HEAD", "POST"]);
/** The form of a signature of the gateway. A body without such a signature is not received. */
const SIGNATURE = /^[0-9a-f]{64}$/i;
const LONGEST_LOGGED_PATH = 200;
/** The admin area, and the extension, whose own texts are in English. */
const IN_ENGLISH = /^\/(?:admin|extension)(?:\/|\.data$|$)/;

/**
 * Receives a request before the app handles it: applies the limits, reads the body, and opens the request scope, to
 * which every later error belongs.
 */
export function createRequestListener(options: RequestListenerOptions) {
  const { limits, connections } = options;
  const replaceUnknownHost = createHostFilter(options.env);
  const shared = (most: number, mostPerAddress: number) =>
    createSharedLimit({ most, mostPerAddress, perAddressFactor: options.env.limitsPerAddress });
  const readBody = createRequestBodyReader(limits, shared, options.findUploadRefusal);
  const inFlight = shared(limits.requestsInFlight, limits.requestsInFlightPerAddress);
  const liveStreams = shared(limits.liveStreams, limits.liveStreamsPerAddress);

  function begin(incoming: IncomingMessage, outgoing: ServerResponse) {
    const startedAt = performance.now();
    const { scope, isRefused } = scopeOf(incoming, outgoing, options);
    const refuse = (refusal: RefusalStatus | OwnRefusal, reason: string) => {
      scope.countRefusal(reason);
      refuseAndClose(incoming, outgoing, refusal);
    };
    const observe = () => {
      const { method, path } = scope;
      // An event stream ends when its client leaves.
      const isAnswered = outgoing.writableFinished || (path === LIVE_PATH && outgoing.headersSent);
      const status = isAnswered ? outgoing.statusCode : 499;
      const seconds = (performance.now() - startedAt) / 1000;
      options.observe({ method, path, status, seconds });
      if (!isRefused()) logFinished(scope, options.log, { status, seconds, stored: false });
    };
    const receiveAndAnswer = async () => {
      try {
        if (isUnsignedWebhook(incoming, scope.path)) return refuse(401, "webhook without a signature");
        if (hasBody(incoming))
          Object.assign(incoming, { rawBody: await readBody(incoming, outgoing, scope) });
        if (scope.path === PROCESS_HEALTH_PATH) {
          return answerProcessHealth(outgoing, options.answerQuestion?.(incoming) ?? ALIVE);
        }
        // Health checks are answered while the shop is busy.
        if (!HEALTH_PATHS.has(scope.path)) {
          // The limit counts a request only after its body: clients that never finish their bodies would use up the
          // limit.
          const release = (scope.path === LIVE_PATH ? liveStreams : inFlight).enter(scope.address);
          if (release === null) return refuse(503, "too many requests at once");
          outgoing.once("close", release);
        }
        await options.answer(incoming, outgoing);
        if ("rawBody" in incoming) incoming.rawBody = undefined;
      } catch (error) {
        if (error instanceof BodyRefusedError) refuse(error.refusal, error.message);
        else if (!(error instanceof BodyIncompleteError)) throw error;
      }
    };
    const answer = () => {
      if (!METHODS.has(incoming.method)) refuse(405, "method not supported");
      else if (hasUserInformation(incoming.url)) refuse(400, "address with a user name");
      else void receiveAndAnswer();
    };
    outgoing.once("close", observe);
    return { refuse, answer: () => runInRequestScope(scope, answer) };
  }

  return (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    // On an error of the connection the client has left, and `close` follows.
    incoming.on("error", () => undefined);
    outgoing.on("error", () => undefined);
    replaceUnknownHost(incoming);
    const isLast = isAmbiguous(incoming);
    connections.enqueue(incoming, outgoing, {
      isLast,
      answer: () => {
        if (isLast) begin(incoming, outgoing).refuse(400, "ambiguous request");
        else if (!answerAtOnce(incoming, outgoing, options)) begin(incoming, outgoing).answer();
      },
      refuse: () => begin(incoming, outgoing).refuse(503, "too many requests on one connection"),
    });
  };
}

/**
 * Sends a stored page before a scope and the limits of requests: they would take longer than the page. The answer is in
 * memory once for all clients, and a connection has one of them at a time, so the limits of connections are enough.
 * A body must be received first, under its limits.
 *
 * @returns false for any other request
 */
function answerAtOnce(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { answerFromCache, addressOf, observe, log }: RequestListenerOptions,
): boolean {
  if (answerFromCache === undefined || hasBody(incoming)) return false;
  const startedAt = performance.now();
  let requestId = "";
  const isAnswered = answerFromCache(incoming, outgoing, () => {
    requestId = randomUUID();
    return requestId;
  });
  if (!isAnswered) return false;
  outgoing.once("close", () => {
    const { method = "", url: path = "", socket } = incoming;
    const status = outgoing.writableFinished ? 200 : 499;
    const seconds = (performance.now() - startedAt) / 1000;
    observe({ method, path, status, seconds });
    const address = addressOf(socket.remoteAddress, forwardedFor(incoming));
    logFinished({ requestId, method, path, address }, log, { status, seconds, stored: true });
  });
  return true;
}

/**
 * The timers of an idle connection belong to the scope of its last request. So a scope does not hold the request, whose
 * body may be long, after the answer.
 */
function scopeOf(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { log, addressOf, refusals }: RequestListenerOptions,
): { scope: RequestScope; isRefused(): boolean } {
  const requestId = randomUUID();
  let ownLog: Log | undefined;
  let refused = false;
  const { socket } = incoming;
  let unanswered: { outgoing: ServerResponse; socket: Socket } | undefined = { outgoing, socket };
  outgoing.once("close", () => {
    unanswered = undefined;
  });
  const address = addressOf(socket.remoteAddress, forwardedFor(incoming));
  const path = routedPath(incoming.url);
  const scope: RequestScope = {
    requestId,
    method: incoming.method ?? "",
    path,
    address,
    language: IN_ENGLISH.test(path) ? "en" : languageOf(incoming.headers),
    // Most requests log one line only. A child logger would take a tenth of the time of a stored page.
    get log() {
      ownLog ??= log.child({ requestId });
      return ownLog;
    },
    countRefusal: (reason) => {
      refused = true;
      refusals.count(reason, address);
    },
    // After the answer the connection belongs to the next request.
    abort: () => {
      unanswered?.outgoing.destroy();
      unanswered?.socket.destroy();
    },
  };
  return { scope, isRefused: () => refused };
}

function forwardedFor({ headers }: IncomingMessage): string | undefined {
  const header = headers["x-forwarded-for"];
  return Array.isArray(header) ? header.join() : header;
}

/** Replaces unknown Host headers by the host of ORIGIN: the client's own is not trusted. */
function createHostFilter({ origin, extraOrigins }: RequestListenerOptions["env"]) {
  const hosts = new Set([origin, ...extraOrigins].map((known) => new URL(known).host));
  const ownHost = new URL(origin).host;
  return ({ headers }: IncomingMessage): void => {
    if (!hosts.has(headers.host ?? "")) headers.host = ownHost;
  };
}

/**
 * Whether a proxy in front of the shop may have understood this request differently: it names two hosts, or a coding of its
 * body besides `chunked`.
 */
function isAmbiguous({ rawHeaders, headers }: IncomingMessage): boolean {
  const coding = headers["transfer-encoding"];
  if (coding !== undefined && coding.toLowerCase() !== "chunked") return true;
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === "host") hosts += 1;
  return hosts > 1;
}

/** Whether a target such as `http://name:password@shop/` names a user. No request can be made from such an address. */
function hasUserInformation(target = ""): boolean {
  if (target.startsWith("/") || !URL.canParse(target)) return false;
  const { username, password } = new URL(target);
  return username !== "" || password !== "";
}

function isUnsignedWebhook(incoming: IncomingMessage, path: string): boolean {
  if (path !== WEBHOOK_PATH || incoming.method !== "POST") return false;
  return !SIGNATURE.test(String(incoming.headers["x-razorpay-signature"] ?? ""));
}

const ALIVE = '{"ok":true}';

/** Answers a liveness check with hardly any work, because anyone may send many. */
function answerProcessHealth(outgoing: ServerResponse, body: string): void {
  outgoing.writeHead(200, {
    "content-type": "application/json",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  outgoing.end(body);
}

function logFinished(
  { requestId, method, path, address }: Pick<RequestScope, "requestId" | "method" | "path" | "address">,
  log: Log,
  { status, seconds, stored }: { status: number; seconds: number; stored: boolean },
): void {
  const ms = Math.round(seconds * 1000);
  const facts = { requestId, method, path: path.slice(0, LONGEST_LOGGED_PATH), address, status, ms };
  if (status === 499) log.info(facts, "the client closed the connection before the answer was complete");
  // The shop is busy or a service is unavailable; the reason is logged where it is known.
  else if (status === 503) log.warn(facts, "request");
  else if (status >= 500) log.error(facts, "request");
  // Writing a line takes as long as sending a stored page.
  else if (stored || path.startsWith("/assets/") || path === LIVE_PATH) log.debug(facts, "request");
  else log.info(facts, "request");
}
