import type { Topic, TopicAges } from "#core/live/topics.ts";
import {
  joinSharedStream,
  type SharedMessage,
  type SharedStream,
  type TabEnvironment,
} from "./shared-stream.ts";

export type LiveStatus = "connecting" | "live" | "reconnecting";

const LEAVE_HIDDEN_MS = 60_000;
/** The server makes a page again at the latest this long after a change. */
const STORED_MS = 5_000;
/** The server tells of no earlier changes. */
const LONGEST_AGE_MS = 60_000;
/** Between two pages nobody listens for a moment. */
const LEAVE_UNUSED_MS = 2_000;

export interface LiveListener {
  /** One of the topics has changed, or may have changed while nothing was heard. */
  onChange(): void;
  onStatus(status: LiveStatus): void;
}

export interface LiveClient {
  /** @returns a function that ends the subscription */
  subscribe(topics: readonly Topic[], listener: LiveListener): () => void;
  /** Tells whether the page is shown. A page that is hidden for a minute hears nothing until it is shown again. */
  setHidden(isHidden: boolean): void;
  /** The page is closed, or enters the back/forward cache. */
  leave(): void;
}

interface Subscription extends LiveListener {
  topics: readonly Topic[];
}

/** The live updates of one tab. It connects with the first subscription. */
export function createLiveClient(environment: TabEnvironment): LiveClient {
  const subscriptions = new Set<Subscription>();
  let shared: SharedStream | undefined;
  let status: LiveStatus = "connecting";
  /** The topics that the stream may hear; null without a stream. */
  let granted: readonly Topic[] | null = null;
  let hasBeenLive = false;
  let isHidden = false;
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
    const pageAge = environment.pageAge() + STORED_MS;
    notify((topic) => !isFirst || pageAge > (recent[topic] ?? LONGEST_AGE_MS));
  };
  const interrupt = () => setStatus(hasBeenLive ? "reconnecting" : "connecting");
  const handle = (message: SharedMessage) => {
    if (message.kind === "hello") {
      // The answer to another tab that has joined.
      if (status === "live" && granted?.join() === message.topics.join() && message.listening) return;
      granted = message.topics;
      if (message.listening) resume(message.recent);
      else interrupt();
    } else if (message.kind === "change") notify((topic) => topic === message.topic);
    else if (message.kind === "resumed") resume({});
    else if (message.kind === "paused") interrupt();
    else if (message.kind === "lost") {
      granted = null;
      interrupt();
    }
  };
  const join = () => {
    if (subscriptions.size === 0) return;
    clearTimeout(leaving);
    leaving = undefined;
    shared ??= joinSharedStream(environment, handle);
    if (isHidden) leaveAfter(LEAVE_HIDDEN_MS);
  };
  const leave = () => {
    clearTimeout(leaving);
    leaving = undefined;
    shared?.leave();
    shared = undefined;
    granted = null;
    if (subscriptions.size === 0) hasBeenLive = false;
    interrupt();
  };
  const leaveAfter = (ms: number) => {
    leaving ??= setTimeout(leave, ms);
  };
  return {
    subscribe(topics, listener) {
      const subscription = { topics, ...listener };
      subscriptions.add(subscription);
      join();
      listener.onStatus(statusOf(subscription));
      // The stream was opened by somebody with fewer rights, such as before the sign-in.
      if (granted !== null && !topics.every((topic) => granted?.includes(topic))) shared?.reopen();
      return () => {
        subscriptions.delete(subscription);
        if (subscriptions.size === 0) leaveAfter(LEAVE_UNUSED_MS);
      };
    },
    setHidden(hidden) {
      isHidden = hidden;
      if (hidden) leaveAfter(LEAVE_HIDDEN_MS);
      else join();
    },
    leave,
  };
}
