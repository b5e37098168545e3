import type { Hono } from "hono";
import { isStillAdmin } from "#core/accounts/sessions.server.ts";
import type { Actor, Log, Context as ShopContext } from "#core/context.ts";
import { isDatabaseUnavailable } from "#core/errors.ts";
import type { LiveEvent, LiveUpdates } from "#core/live/topics.ts";
import { type Topic, type TopicAges, topicsFor } from "#core/live/topics.ts";
import { HTTP_LIMITS } from "./http-limits.ts";
import { addCookies } from "./pages.ts";
import { LIVE_PATH } from "./paths.ts";
import { refusalResponse } from "./refusals.ts";
import { type AppEnv, requireRequest } from "./request-scope.ts";

interface LiveParts {
  contextFor(
    request: Request,
    ipAddress: string,
    log: Log,
    requestId: string,
  ): Promise<{ ctx: ShopContext; setCookies: string[] }>;
  liveStreams: LiveStreams;
}

/**
 * GET /live, outside the page framework: a stream of server-sent events about what changes in the shop. Everybody may hear of
 * the stock, an admin of everything.
 */
export function mountLive(app: Hono<AppEnv>, { contextFor, liveStreams }: LiveParts): void {
  app.all(LIVE_PATH, async (c) => {
    if (c.req.method !== "GET") return methodNotAllowed();
    const { address, log, requestId, abort } = requireRequest();
    const { ctx, setCookies } = await contextFor(c.req.raw, address, log, requestId);
    const actor = readActor(ctx);
    const body =
      actor === null
        ? null
        : liveStreams.open({
            topics: topicsFor(actor),
            isAdmin: actor.kind === "admin",
            abort,
            ...((actor.kind === "user" || actor.kind === "admin") && { sessionId: actor.sessionId }),
            ...(actor.kind === "admin" && { isStillAllowed: () => isStillAdmin(ctx) }),
          });
    if (body === null) return refusalResponse(503);
    const headers = new Headers({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      // Proxies would otherwise collect the events in a buffer.
      "x-accel-buffering": "no",
    });
    addCookies(headers, setCookies);
    return new Response(body, { headers });
  });
}

/** @returns null when the actor is unknown because the database is unavailable */
function readActor(ctx: { readonly actor: Actor }): Actor | null {
  try {
    return ctx.actor;
  } catch (error) {
    if (isDatabaseUnavailable(error)) return null;
    throw error;
  }
}

function methodNotAllowed(): Response {
  const response = refusalResponse(405);
  response.headers.set("allow", "GET");
  return response;
}

/** Shorter than the time after which the server, or a proxy, closes an idle connection. */
const HEARTBEAT_MS = 20_000;
/**
 * The delay before a page hears that its session has ended, and loads its data again. A sign-in ends the browser's old
 * session before its answer arrives; until then the page would send the old cookie.
 */
const SESSION_END_DELAY_MS = 2_000;
/** Browsers have an event of their own named `open`. */
const HELLO = "hello";
/** How long a browser waits until it connects again. It differs, so that not all return at once after a restart. */
const RETRY_MS = { least: 1_000, most: 4_000 };
/** An event and no comment, so that a browser notices when the connection is dead. */
const HEARTBEAT = "heartbeat";
/** `paused` and `resumed` replace each other in what a client has not read yet. */
const STATE = "state";

export interface Listener {
  topics: readonly Topic[];
  /** Whether it may use the streams that are reserved for admins. */
  isAdmin: boolean;
  /** The session that the stream belongs to. The stream ends 2 seconds after it, with a last `change` of `sessions`. */
  sessionId?: string;
  /** Asked at each heartbeat; false ends the stream. Absent: the listener hears only what everybody may. */
  isStillAllowed?(): Promise<boolean>;
  /** Closes the connection of a client that does not read. */
  abort(): void;
}

export interface LiveStreams {
  /** @returns the body of an event stream; null when the shop stops, or when there are too many streams */
  open(listener: Listener): ReadableStream<Uint8Array> | null;
  /** How many streams are open. */
  count(): number;
  /** Closes the connections of all streams. */
  stop(): void;
}

interface Options {
  heartbeatMs: number;
  /** How many streams of visitors and buyers may be open; the HTTP server limits all streams together. */
  mostForVisitors: number;
  /** Which of these sessions run. */
  findRunningSessions(ids: readonly string[]): Promise<readonly string[]>;
}

const MAX_FOR_VISITORS = HTTP_LIMITS.liveStreams - HTTP_LIMITS.liveStreamsForAdmins;

interface Stream extends Listener {
  /** Sends now what the client can take, and the rest when it has read. */
  send(key: string, message: Uint8Array): void;
  isBehind(): boolean;
  end(): void;
}

/**
 * The open event streams of this process. A client that does not read costs little: what waits for it is the last message of
 * each topic, and it is dropped when it has not read a heartbeat until the next one.
 *
 * A stream begins with `hello`: the topics it hears, those that changed within the last minute, and whether changes are heard
 * at all. Then follow `change`, `paused`, `resumed` and `heartbeat`.
 */
export function createLiveStreams(updates: LiveUpdates, options: Partial<Options> = {}): LiveStreams {
  const { heartbeatMs = HEARTBEAT_MS, mostForVisitors = MAX_FOR_VISITORS, findRunningSessions } = options;
  const streams = new Set<Stream>();
  const endedSessions = findRunningSessions && createSessionCheck(streams, findRunningSessions);
  let ofVisitors = 0;
  let isStopped = false;

  const unsubscribe = updates.subscribe((event) => {
    if (streams.size === 0) return;
    // After an interruption any session may have ended unheard.
    if (event.kind === "resumed" || (event.kind === "changed" && event.topic === "sessions"))
      endedSessions?.request();
    const message = encodeEvent(event);
    for (const stream of streams) {
      if (event.kind !== "changed") stream.send(STATE, message);
      // A stream hears nothing about the sessions of others.
      else if (event.topic === "sessions") continue;
      else if (stream.topics.includes(event.topic)) stream.send(event.topic, message);
    }
  });
  const heartbeat = encode(HEARTBEAT, {});
  const beat = () => {
    // A session that ends while its stream opens, or by another program, is noticed now.
    endedSessions?.request();
    for (const stream of streams) {
      if (stream.isBehind()) stream.abort();
      else {
        stream.send(HEARTBEAT, heartbeat);
        void endIfForbidden(stream);
      }
    }
  };
  // Created here, because a timer that is created while a stream opens would keep that request's async context.
  const timer = setInterval(beat, heartbeatMs).unref();

  return {
    open(listener) {
      if (isStopped) return null;
      if (!listener.isAdmin && ofVisitors >= mostForVisitors) return null;
      const { stream, body } = createStream(listener, () => {
        if (streams.delete(stream) && !listener.isAdmin) ofVisitors -= 1;
      });
      streams.add(stream);
      if (!listener.isAdmin) ofVisitors += 1;
      const { topics } = listener;
      const changes = updates.recentChanges();
      const recent: TopicAges = {};
      for (const topic of topics) {
        const age = changes[topic];
        if (age !== undefined && topic !== "sessions") recent[topic] = age;
      }
      const retryMs = Math.round(RETRY_MS.least + Math.random() * (RETRY_MS.most - RETRY_MS.least));
      stream.send(HELLO, encode(HELLO, { topics, recent, listening: updates.isListening() }, retryMs));
      return body;
    },
    count: () => streams.size,
    stop() {
      isStopped = true;
      unsubscribe();
      clearInterval(timer);
      for (const stream of streams) stream.abort();
      streams.clear();
    },
  };
}

/**
 * Ends the streams whose session has ended, with one query for all of them. Requests during a query are answered by one more
 * after it.
 */
function createSessionCheck(streams: ReadonlySet<Stream>, findRunning: Options["findRunningSessions"]) {
  let state: "idle" | "running" | "again" = "idle";
  const check = async () => {
    const watched = [...streams].filter(({ sessionId }) => sessionId !== undefined);
    if (watched.length === 0) return;
    const running = new Set(await findRunning(watched.map(({ sessionId = "" }) => sessionId)));
    const ended = watched.filter(({ sessionId = "" }) => !running.has(sessionId));
    if (ended.length > 0) setTimeout(() => ended.forEach(end), SESSION_END_DELAY_MS).unref();
  };
  const end = (stream: Stream) => {
    if (!streams.has(stream)) return;
    stream.send("sessions", encode("change", { topic: "sessions", version: "0" }));
    stream.end();
  };
  const run = async () => {
    do {
      state = "running";
      // Without a database the answer is unknown. When the database is back, changes are heard again, which repeats the
      // question.
      await check().catch(() => undefined);
    } while (isAgain());
    state = "idle";
  };
  const isAgain = () => state === "again";
  return {
    request() {
      if (state !== "idle") state = "again";
      else void run();
    },
  };
}

function createStream(
  listener: Listener,
  onEnd: () => void,
): { stream: Stream; body: ReadableStream<Uint8Array> } {
  /** By key, so that a newer message replaces an older message. */
  const waiting = new Map<string, Uint8Array>();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(opened) {
      controller = opened;
    },
    pull() {
      const messages = [...waiting.values()];
      waiting.clear();
      if (messages.length > 0) controller?.enqueue(Buffer.concat(messages));
    },
    cancel() {
      // A stream whose client has left cannot be closed again.
      controller = undefined;
      onEnd();
    },
  });
  const stream: Stream = {
    ...listener,
    send(key, message) {
      if (waiting.size === 0 && (controller?.desiredSize ?? 0) > 0) controller?.enqueue(message);
      else {
        // Behind all others, so that the messages stay in the order of the newest ones.
        waiting.delete(key);
        waiting.set(key, message);
      }
    },
    isBehind: () => waiting.has(HEARTBEAT),
    end() {
      onEnd();
      if (waiting.size > 0) controller?.enqueue(Buffer.concat([...waiting.values()]));
      controller?.close();
      controller = undefined;
    },
  };
  return { stream, body };
}

async function endIfForbidden(stream: Stream): Promise<void> {
  // Without a database nobody can tell, and nothing changes either.
  const isAllowed = await stream.isStillAllowed?.().catch(() => true);
  if (isAllowed === false) stream.end();
}

function encodeEvent(event: LiveEvent): Uint8Array {
  if (event.kind !== "changed") return encode(event.kind, {});
  return encode("change", { topic: event.topic, version: event.version });
}

/** An event always has data: browsers ignore one without. */
function encode(event: string, data: object, retryMs?: number): Uint8Array {
  const retry = retryMs === undefined ? "" : `retry: ${retryMs}\n`;
  return Buffer.from(`${retry}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}
