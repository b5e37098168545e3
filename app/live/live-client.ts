import { isTopic, type Topic, type TopicAges } from "#core/live/topics.ts";

export type LiveStatus = "connecting" | "live" | "reconnecting";

/** The server makes a page again at the latest this long after a change. */
const STORED_MS = 5_000;
/** The server tells of no earlier changes. */
const LONGEST_AGE_MS = 60_000;
/** Between two pages nobody listens for a moment. */
const LEAVE_UNUSED_MS = 2_000;
/** The server sends a heartbeat every 20 seconds. */
const SILENT_MS = 50_000;
/** The wait after a stream was refused: a random time of at least half of it, so that not all return at once. */
const REFUSED_MS = 10_000;

/** The part of EventSource that is used. */
export interface EventStream {
  /** 2: the server has refused. After every other error the browser connects again by itself. */
  readonly readyState: number;
  addEventListener(type: string, listener: (event: { data?: unknown }) => void): void;
  close(): void;
}

export interface LiveEnvironment {
  /** @returns null where the browser has no streams */
  openStream(): EventStream | null;
  /** How many milliseconds ago the page was requested. Infinity: it may come from a cache. */
  pageAge(): number;
}

export interface LiveListener {
  /** One of the topics has changed, or may have changed while nothing was heard. */
  onChange(): void;
  onStatus(status: LiveStatus): void;
}

export interface LiveClient {
  /** @returns a function that ends the subscription */
  subscribe(topics: readonly Topic[], listener: LiveListener): () => void;
  /** Tells whether the page is shown. A hidden page hears nothing until it is shown again. */
  setHidden(isHidden: boolean): void;
  /** The page is closed, or enters the back/forward cache. */
  leave(): void;
}

interface Subscription extends LiveListener {
  topics: readonly Topic[];
}

/** The live updates of one tab. It connects with the first subscription, while the page is shown. */
export function createLiveClient({ openStream, pageAge }: LiveEnvironment): LiveClient {
  const subscriptions = new Set<Subscription>();
  let stream: EventStream | undefined;
  let status: LiveStatus = "connecting";
  /** The topics that the stream may hear; null without a stream. */
  let granted: readonly Topic[] | null = null;
  let hasBeenLive = false;
  let isHidden = false;
  let silence: ReturnType<typeof setTimeout> | undefined;
  let leaving: ReturnType<typeof setTimeout> | undefined;

  const statusOf = ({ topics }: Subscription): LiveStatus =>
    status === "live" && !topics.every((topic) => granted?.includes(topic)) ? "reconnecting" : status;
  const setStatus = (next: LiveStatus) => {
    status = next;
    for (const subscription of subscriptions) subscription.onStatus(statusOf(subscription));
  };
  const notify = (isAffected: (topic: Topic) => boolean) => {
    for (const { topics, onChange } of [...subscriptions]) if (topics.some(isAffected)) onChange();
  };
  const resume = (recent: TopicAges) => {
    const isFirst = !hasBeenLive;
    hasBeenLive = true;
    setStatus("live");
    // After an interruption anything may have changed; before the first connection only what did after the page was made.
    const age = pageAge() + STORED_MS;
    notify((topic) => !isFirst || age > (recent[topic] ?? LONGEST_AGE_MS));
  };
  const interrupt = () => setStatus(hasBeenLive ? "reconnecting" : "connecting");
  const handle = (message: StreamMessage) => {
    if (message.kind === "hello") {
      granted = message.topics;
      if (message.listening) resume(message.recent);
      else interrupt();
    } else if (message.kind === "change") notify((topic) => topic === message.topic);
    else if (message.kind === "resumed") resume({});
    else if (message.kind === "paused") interrupt();
  };
  const close = () => {
    clearTimeout(silence);
    clearTimeout(leaving);
    leaving = undefined;
    stream?.close();
    stream = undefined;
    granted = null;
    interrupt();
  };
  const openAfter = (ms: number) => {
    clearTimeout(silence);
    silence = setTimeout(open, ms);
  };
  function open() {
    close();
    const opened = openStream();
    if (opened === null) return;
    stream = opened;
    openAfter(SILENT_MS);
    opened.addEventListener("error", () => {
      if (stream !== opened) return;
      granted = null;
      interrupt();
      if (opened.readyState === 2) openAfter(REFUSED_MS * (0.5 + Math.random() / 2));
    });
    for (const kind of MESSAGE_KINDS)
      opened.addEventListener(kind, ({ data }) => {
        if (stream !== opened) return;
        openAfter(SILENT_MS);
        const message = parseStreamMessage(kind, data);
        if (message !== null) handle(message);
      });
  }
  const join = () => {
    if (subscriptions.size === 0 || isHidden) return;
    clearTimeout(leaving);
    leaving = undefined;
    if (stream === undefined) open();
  };
  return {
    subscribe(topics, listener) {
      const subscription = { topics, ...listener };
      subscriptions.add(subscription);
      join();
      listener.onStatus(statusOf(subscription));
      // The stream was opened by somebody with fewer rights, such as before the sign-in.
      if (granted !== null && !topics.every((topic) => granted?.includes(topic))) open();
      return () => {
        subscriptions.delete(subscription);
        if (subscriptions.size > 0) return;
        leaving ??= setTimeout(() => {
          close();
          hasBeenLive = false;
          setStatus("connecting");
        }, LEAVE_UNUSED_MS);
      };
    },
    setHidden(hidden) {
      isHidden = hidden;
      if (!hidden) join();
      else if (stream !== undefined) close();
    },
    leave: close,
  };
}

/** What GET /live tells. */
type StreamMessage =
  /** The first of each stream. `recent`: what changed within the last minute. */
  | { kind: "hello"; topics: readonly Topic[]; recent: TopicAges; listening: boolean }
  | { kind: "change"; topic: Topic }
  | { kind: "paused" }
  | { kind: "resumed" }
  | { kind: "heartbeat" };

const MESSAGE_KINDS = ["hello", "change", "paused", "resumed", "heartbeat"] as const;

/** @returns null for what this version of the page does not know */
function parseStreamMessage(kind: StreamMessage["kind"], text: unknown): StreamMessage | null {
  const data = parseObject(text);
  if (data === null) return null;
  if (kind === "change") return isTopic(data.topic) ? { kind, topic: data.topic } : null;
  if (kind !== "hello") return { kind };
  return {
    kind,
    topics: topicsIn(data.topics),
    recent: agesIn(data.recent),
    listening: data.listening === true,
  };
}

function topicsIn(value: unknown): Topic[] {
  return Array.isArray(value) ? value.filter(isTopic) : [];
}

function agesIn(value: unknown): TopicAges {
  const ages: TopicAges = {};
  for (const [topic, age] of Object.entries(value ?? {}))
    if (isTopic(topic) && typeof age === "number") ages[topic] = age;
  return ages;
}

function parseObject(text: unknown): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(String(text));
    return typeof value === "object" && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}
