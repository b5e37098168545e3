import type { Log } from "#core/context.ts";
import type { LiveEvent, LiveUpdates } from "#core/live/topics.ts";
import { isTopic, TOPICS, type Topic, topicsOfTables } from "#core/live/topics.ts";
import type { TableName } from "#db/schema.ts";
import { createLiveConnection } from "./live-connection.ts";

/** The same for all processes on one database. */
const CHANNEL = "daypass_live";
/** Changes of one topic in this process are announced at most once in this time. */
const EVERY_MS = 200;
const RECENT_MS = 60_000;
/** After a statement that failed on a connection that works. */
const RETRY_MS = 1_000;

/**
 * The version is the number of the announcing transaction, which Postgres has to take for a notification anyway. It grows for
 * all processes on one server and is never used again.
 */
const ANNOUNCE = `select pg_notify('${CHANNEL}', topic || ' ' || pg_current_xact_id()) from unnest($1::text[]) as topic`;

export interface PostgresLive extends LiveUpdates {
  /** Announces to all processes that tables have changed. Never throws. Without a connection it is done later. */
  announce(tables: Iterable<TableName>): void;
  /** Calls the listener with the topics of each announcement of this process, before it is sent. */
  onAnnounce(listener: (topics: readonly Topic[]) => void): void;
  /** Returns at once: the shop runs without live updates until there is a connection. */
  start(): void;
  stop(): Promise<void>;
}

/**
 * Live updates over LISTEN and NOTIFY, on a connection of their own: announcements take no connection from the pool and
 * belong to no transaction of the shop.
 *
 * @param options.url an address without a pooler that shares connections: nothing could be heard through it
 */
export function createPostgresLive(options: {
  url: string;
  log: Log;
  probeEveryMs?: number;
  probeWithinMs?: number;
}): PostgresLive {
  const { log, ...connectionOptions } = options;
  const listeners = new Set<(event: LiveEvent) => void>();
  const announceListeners: Array<(topics: readonly Topic[]) => void> = [];
  const unsent = new Set<Topic>();
  /** When each topic last changed, in `performance.now()`. */
  const changedAt = new Map<Topic, number>();
  let listeningSince: number | null = null;
  let hasFailed = false;

  const emit = (event: LiveEvent) => {
    for (const listener of [...listeners]) listener(event);
  };
  const fail = (error: unknown) => {
    const message = "live updates are interrupted: their database connection failed";
    if (hasFailed) log.debug({ err: error }, message);
    else log.warn({ err: error }, message);
    hasFailed = true;
  };
  const connection = createLiveConnection({
    ...connectionOptions,
    channel: CHANNEL,
    onListening() {
      if (hasFailed) log.info({}, "live updates work again");
      hasFailed = false;
      listeningSince = performance.now();
      emit({ kind: "resumed" });
      void send();
    },
    onLost(error) {
      listeningSince = null;
      emit({ kind: "paused" });
      fail(error);
    },
    onFailed: fail,
    onMessage(payload) {
      const [topic, version = ""] = payload.split(" ");
      if (!isTopic(topic) || !/^\d{1,20}$/.test(version)) return;
      changedAt.set(topic, performance.now());
      emit({ kind: "changed", topic, version });
    },
  });
  const send = async (): Promise<void> => {
    const topics = [...unsent];
    if (topics.length === 0) return;
    unsent.clear();
    const isSent = await connection.run(ANNOUNCE, [topics]).catch((error: unknown) => {
      fail(error);
      return false;
    });
    if (isSent) return;
    for (const topic of topics) unsent.add(topic);
    // They are sent as soon as there is a connection.
    if (listeningSince !== null) setTimeout(() => void send(), RETRY_MS).unref();
  };
  const coalescer = coalesceTopics({
    everyMs: EVERY_MS,
    send(topics) {
      for (const topic of topics) unsent.add(topic);
      void send();
    },
  });

  return {
    announce(tables) {
      const topics = topicsOfTables(tables);
      for (const listener of announceListeners) listener(topics);
      coalescer.add(topics);
    },
    onAnnounce: (listener) => void announceListeners.push(listener),
    start: connection.start,
    async stop() {
      coalescer.flush();
      await connection.stop();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    isListening: () => listeningSince !== null,
    recentChanges() {
      const now = performance.now();
      const ages = TOPICS.map((topic) => {
        const at = listeningSince === null ? now : (changedAt.get(topic) ?? listeningSince);
        return [topic, Math.round(now - at)] as const;
      });
      return Object.fromEntries(ages.filter(([, age]) => age < RECENT_MS));
    },
  };
}

interface TopicCoalescer {
  add(topics: readonly Topic[]): void;
  /** Passes on at once what waits. */
  flush(): void;
}

/**
 * Passes a topic on at once, and then at most once in each interval: what comes meanwhile is passed on at its end. So the
 * last change is never lost.
 *
 * @param options.send called with topics that are due, each once
 */
export function coalesceTopics(options: {
  everyMs: number;
  send(topics: readonly Topic[]): void;
}): TopicCoalescer {
  /** Topics that were passed on within the interval. */
  const inInterval = new Map<Topic, { timer: NodeJS.Timeout; changedAgain: boolean }>();

  const pass = (topics: readonly Topic[]) => {
    for (const topic of topics) {
      const timer = setTimeout(() => {
        const changedAgain = inInterval.get(topic)?.changedAgain;
        inInterval.delete(topic);
        if (changedAgain) pass([topic]);
      }, options.everyMs).unref();
      inInterval.set(topic, { timer, changedAgain: false });
    }
    if (topics.length > 0) options.send(topics);
  };
  return {
    add(topics) {
      const due = topics.filter((topic) => {
        const state = inInterval.get(topic);
        if (state) state.changedAgain = true;
        return state === undefined;
      });
      pass(due);
    },
    flush() {
      const due = [...inInterval].filter(([, { changedAgain }]) => changedAgain).map(([topic]) => topic);
      for (const { timer } of inInterval.values()) clearTimeout(timer);
      inInterval.clear();
      if (due.length > 0) options.send(due);
    },
  };
}
