import { isTopic, type Topic, type TopicAges } from "#core/live/topics.ts";
import type { EventStream } from "./event-stream.ts";
import { agesIn, type StreamMessage, topicsIn } from "./stream-message.ts";

const LOCK = "daypass-live";
const RECENT_MS = 60_000;

export type SharedMessage = StreamMessage | { kind: "lost" };

/** What tabs tell each other. `join`: a tab asks for the state. `state`: the answer. `reopen`: connect again. */
type TabMessage = SharedMessage | { kind: "join" } | { kind: "state"; hello: Hello } | { kind: "reopen" };
type Hello = Extract<StreamMessage, { kind: "hello" }>;

/** The parts of the browser that are used. Without Web Locks, which need https, each tab has a stream of its own. */
export interface TabEnvironment {
  locks: Pick<LockManager, "request"> | undefined;
  openChannel(): Pick<BroadcastChannel, "postMessage" | "close"> & {
    onmessage: ((event: MessageEvent) => void) | null;
  };
  openStream(onMessage: (message: StreamMessage) => void, onLost: () => void): EventStream;
  /** How many milliseconds ago the page was requested. Infinity: it may come from a cache. */
  pageAge(): number;
}

export interface SharedStream {
  reopen(): void;
  /** Another tab takes the stream over. */
  leave(): void;
}

/**
 * Joins the one stream of this browser: over HTTP/1.1 a browser opens six connections to a host at most, for all its tabs. The
 * tab that holds a lock has the stream and passes its messages on; the browser gives the lock to the next tab when it closes.
 */
export function joinSharedStream(
  { locks, openChannel, openStream }: TabEnvironment,
  onMessage: (message: SharedMessage) => void,
): SharedStream {
  if (locks === undefined) {
    const stream = openStream(onMessage, () => onMessage({ kind: "lost" }));
    return { reopen: stream.reopen, leave: stream.close };
  }
  const left = new AbortController();
  const channel = openChannel();
  const post = (message: TabMessage) => channel.postMessage(message);
  let leader: Leader | undefined;

  channel.onmessage = ({ data }) => {
    const message = parseTabMessage(data);
    if (message === null) return;
    if (leader) return leader.handle(message);
    if (message.kind === "state") onMessage(message.hello);
    else if (message.kind !== "join" && message.kind !== "reopen") onMessage(message);
  };
  const lead = () => {
    if (left.signal.aborted) return Promise.resolve();
    const deliver = (message: SharedMessage) => {
      post(message);
      onMessage(message);
    };
    // The stream of the previous tab has ended.
    deliver({ kind: "lost" });
    const led = startLeading(openStream, deliver, post);
    leader = led;
    return new Promise<void>((release) => {
      left.signal.addEventListener("abort", () => {
        led.stop();
        release();
      });
    });
  };
  locks.request(LOCK, { signal: left.signal }, lead).catch(() => undefined);
  post({ kind: "join" });
  return {
    reopen: () => (leader ? leader.handle({ kind: "reopen" }) : post({ kind: "reopen" })),
    leave() {
      left.abort();
      leader = undefined;
      channel.onmessage = null;
      channel.close();
    },
  };
}

interface Leader {
  handle(message: TabMessage): void;
  stop(): void;
}

/** Has the stream, and answers the tabs that join later. */
function startLeading(
  openStream: TabEnvironment["openStream"],
  deliver: (message: SharedMessage) => void,
  post: (message: TabMessage) => void,
): Leader {
  let topics: readonly Topic[] | null = null;
  let listening = false;
  const changedAt = new Map<Topic, number>();
  const remember = (message: SharedMessage) => {
    if (message.kind === "hello") {
      ({ topics, listening } = message);
      for (const topic of topics)
        changedAt.set(topic, performance.now() - (message.recent[topic] ?? RECENT_MS));
    } else if (message.kind === "change") changedAt.set(message.topic, performance.now());
    else if (message.kind === "lost") topics = null;
    else if (message.kind === "paused") listening = false;
    else if (message.kind === "resumed") listening = true;
  };
  const pass = (message: SharedMessage) => {
    remember(message);
    if (message.kind !== "heartbeat") deliver(message);
  };
  const stream = openStream(pass, () => pass({ kind: "lost" }));
  return {
    handle(message) {
      if (message.kind === "reopen") stream.reopen();
      if (message.kind !== "join" || topics === null) return;
      const recent: TopicAges = {};
      for (const [topic, at] of changedAt) recent[topic] = performance.now() - at;
      post({ kind: "state", hello: { kind: "hello", topics, recent, listening } });
    },
    stop: stream.close,
  };
}

/** A tab may run another version of the page. */
function parseTabMessage(data: unknown): TabMessage | null {
  if (typeof data !== "object" || data === null || !("kind" in data)) return null;
  const { kind } = data;
  if (kind === "join" || kind === "reopen" || kind === "lost" || kind === "paused" || kind === "resumed")
    return { kind };
  if (kind === "change" && "topic" in data && isTopic(data.topic)) return { kind, topic: data.topic };
  if (kind === "hello") return parseHello(data);
  if (kind === "state" && "hello" in data) return { kind, hello: parseHello(data.hello) };
  return null;
}

function parseHello(data: unknown): Hello {
  const given: Record<string, unknown> = typeof data === "object" && data !== null ? { ...data } : {};
  return {
    kind: "hello",
    topics: topicsIn(given.topics),
    recent: agesIn(given.recent),
    listening: given.listening === true,
  };
}
