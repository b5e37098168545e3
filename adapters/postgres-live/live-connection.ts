import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";

const CONNECT_WITHIN_MS = 10_000;
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 10_000;
/** A connection can be lost without a sign of it, such as after a change of the network. */
const PROBE_EVERY_MS = 5_000;
const PROBE_WITHIN_MS = 5_000;
const CLOSE_WITHIN_MS = 500;

export interface LiveConnection {
  start(): void;
  stop(): Promise<void>;
  /** Runs a statement. @returns whether the server has run it; false without a connection */
  run(text: string, values: readonly unknown[]): Promise<boolean>;
}

/**
 * Keeps one connection that listens to a channel, and makes a new one whenever it is lost, after 0.25 seconds and then twice
 * as long each time, up to 10 seconds.
 *
 * @param options.onListening called when the channel is heard, for the first time or again
 * @param options.onLost called when a connection that listened is lost, and never by `stop`
 */
export function createLiveConnection(options: {
  url: string;
  channel: string;
  probeEveryMs?: number;
  probeWithinMs?: number;
  onListening(): void;
  onLost(error: Error): void;
  onFailed(error: unknown): void;
  onMessage(payload: string): void;
}): LiveConnection {
  const stopped = new AbortController();
  let listening: { ask: Ask } | undefined;
  let running: Promise<void> | undefined;

  /** Listens until the connection is lost. @throws when the connection is not made */
  const listen = async (): Promise<void> => {
    const client = new pg.Client({
      connectionString: options.url,
      application_name: "daypass live",
      connectionTimeoutMillis: CONNECT_WITHIN_MS,
      keepAlive: true,
    });
    const drop = () => client.connection.stream.destroy();
    let reason = new Error("the connection was closed");
    const lost = new Promise<void>((resolve) => {
      client.once("end", resolve);
      client.on("error", (error) => {
        reason = error;
        drop();
      });
    });
    client.on("notification", ({ payload }) => options.onMessage(payload ?? ""));
    const leave = () => {
      client.end().catch(() => undefined);
      setTimeout(drop, CLOSE_WITHIN_MS).unref();
    };
    stopped.signal.addEventListener("abort", leave);
    try {
      // The driver never settles a connect during which the client is ended.
      await Promise.race([client.connect(), lost]);
      const ask = queueStatements(client);
      await ask(`listen ${options.channel}`, []);
      listening = { ask };
      options.onListening();
      const stopProbes = probe(ask, drop, options);
      await lost;
      stopProbes();
    } finally {
      drop();
      stopped.signal.removeEventListener("abort", leave);
      listening = undefined;
    }
    if (!stopped.signal.aborted) options.onLost(reason);
  };
  const keepListening = async () => {
    let retryMs = FIRST_RETRY_MS;
    while (!stopped.signal.aborted) {
      try {
        await listen();
        retryMs = FIRST_RETRY_MS;
      } catch (error) {
        if (!stopped.signal.aborted) options.onFailed(error);
      }
      // The random part keeps several processes from connecting at the same moment.
      const waitMs = retryMs * (0.75 + Math.random() / 2);
      await delay(waitMs, undefined, { signal: stopped.signal, ref: false }).catch(() => undefined);
      retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS);
    }
  };
  return {
    start() {
      running ??= keepListening();
    },
    async stop() {
      // The statements before this one are answered first.
      const idle = listening?.ask("select 1", []).catch(() => undefined);
      await Promise.race([idle, delay(CLOSE_WITHIN_MS, undefined, { ref: false })]);
      stopped.abort();
      await running;
    },
    async run(text, values) {
      if (listening === undefined) return false;
      await listening.ask(text, values);
      return true;
    },
  };
}

type Ask = (text: string, values: readonly unknown[]) => Promise<unknown>;

/** The driver refuses a statement while another runs. */
function queueStatements(client: pg.Client): Ask {
  let last: Promise<unknown> = Promise.resolve();
  return (text, values) => {
    const answer = last.then(() => client.query(text, [...values]));
    last = answer.catch(() => undefined);
    return answer;
  };
}

/** Asks regularly for an answer, and drops a connection that gives none. @returns a function that stops it */
function probe(
  ask: Ask,
  drop: () => void,
  {
    probeEveryMs = PROBE_EVERY_MS,
    probeWithinMs = PROBE_WITHIN_MS,
  }: { probeEveryMs?: number; probeWithinMs?: number },
): () => void {
  let deadline: NodeJS.Timeout | undefined;
  const timer = setInterval(() => {
    if (deadline !== undefined) return;
    deadline = setTimeout(drop, probeWithinMs).unref();
    const done = () => {
      clearTimeout(deadline);
      deadline = undefined;
    };
    ask("select 1", []).then(done, done);
  }, probeEveryMs).unref();
  return () => {
    clearInterval(timer);
    clearTimeout(deadline);
  };
}
