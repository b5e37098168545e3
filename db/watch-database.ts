import pg from "pg";
import { causedByUnavailableDatabase } from "./database-unavailable.ts";
import type { PoolInterrupter } from "./interruptible-pool.ts";

const PROBE_EVERY_MS = 1_000;
const RETRY_MS = 250;
const TICK_MS = 100;
/** Without an answer for this many ticks, the database counts as hung. */
const ANSWER_TICKS = 25;
/** A new connection needs several round trips, and a hosted server may have to start first. */
const CONNECT_TICKS = 50;
/** For a probe and its repetition over a new connection, together: an outage is noticed within 5 seconds. */
const REPEAT_TICKS = 40;

export interface DatabaseWatch {
  /** Whether the database answers a probe that starts now. Never rejects. */
  answers(withinMs: number): Promise<boolean>;
  stop(): void;
}

/** `standby`: the server answers and takes no writes, such as the former primary after a switchover. */
type Outage = "silent" | "refused" | "standby";
type Outcome = "answered" | Outage | "lost";

/**
 * Probes the database every second over a connection of its own, and switches the pool off while there is no answer, or
 * one of a standby: then the connections of the pool lead to it as well, and new ones may lead to the primary.
 * Time is counted in ticks of a timer, so that a process that was stopped or busy itself does not report an outage. A
 * silent probe is also ignored while the connections of the pool get answers.
 *
 * @param options.url the address that the pool uses, so that the network between is probed too
 * @param options.onDown called once when the database stops answering
 * @param options.onUp called once when it answers again
 */
export function watchDatabase(options: {
  url: string;
  poolInterrupter: PoolInterrupter;
  onDown(reason: Outage): void;
  onUp(): void;
}): DatabaseWatch {
  const { poolInterrupter } = options;
  const probe = createProbe(options.url);
  const waiting: ((answered: boolean) => void)[] = [];
  let wake: () => void = () => undefined;
  let isUp = true;
  let stopped = false;

  const handleOutcome = (outcome: Exclude<Outcome, "lost">, startedAt: number) => {
    // A standby answers the pool too.
    const isPoolAnswered = outcome !== "standby" && isUp && poolInterrupter.lastAnswerAt() >= startedAt;
    const answered = outcome === "answered" || isPoolAnswered;
    if (outcome !== "answered" && !answered && isUp) {
      isUp = false;
      poolInterrupter.interrupt();
      options.onDown(outcome);
    }
    if (answered && !isUp) {
      isUp = true;
      poolInterrupter.resume();
      options.onUp();
    }
    for (const resolve of waiting.splice(0)) resolve(answered);
  };
  const run = async () => {
    while (!stopped) {
      const startedAt = performance.now();
      const outcome = await probe.run();
      if (stopped) return;
      // A lost connection does not prove an outage. The probe is repeated over a new one.
      if (outcome === "lost") continue;
      handleOutcome(outcome, startedAt);
      const pause = outcome === "answered" ? PROBE_EVERY_MS : RETRY_MS;
      await new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, pause).unref();
      });
    }
  };
  void run();

  return {
    answers: (withinMs) =>
      new Promise((resolve) => {
        if (!isUp || stopped) return resolve(false);
        const timer = setTimeout(resolve, withinMs, false);
        waiting.push((answered) => {
          clearTimeout(timer);
          resolve(answered);
        });
        wake();
      }),
    stop() {
      stopped = true;
      for (const resolve of waiting.splice(0)) resolve(false);
      wake();
      probe.end();
    },
  };
}

/** Creates a probe. It runs a statement over its own connection, and connects when there is none. */
function createProbe(url: string): { run(): Promise<Outcome>; end(): void } {
  let client: pg.Client | undefined;
  let connectTicks = CONNECT_TICKS;

  const drop = (dropped: pg.Client | undefined) => {
    if (client === dropped) client = undefined;
    dropped?.connection.stream.destroy();
  };
  const connectAndQuery = async (): Promise<Outcome> => {
    const isNew = client === undefined;
    client ??= createClient(url);
    const used = client;
    try {
      if (isNew) await used.connect();
      const { rows } = await used.query<{ standby: boolean }>("select pg_is_in_recovery() as standby");
      if (rows[0]?.standby !== true) return "answered";
      drop(used);
      return "standby";
    } catch (error) {
      drop(used);
      if (!isNew) return "lost";
      return isServerRefusal(error) ? "answered" : "refused";
    }
  };
  return {
    run: async () => {
      const limit = startTickTimer(client === undefined ? connectTicks : ANSWER_TICKS);
      const outcome = await Promise.race([connectAndQuery(), limit.passed]);
      const ticks = limit.cancel();
      connectTicks = outcome === "lost" ? REPEAT_TICKS - ticks : CONNECT_TICKS;
      if (outcome === "silent") drop(client);
      return outcome;
    },
    end: () => drop(client),
  };
}

function createClient(url: string): pg.Client {
  const client = new pg.Client({ connectionString: url, application_name: "daypass watch", keepAlive: true });
  // A running probe fails in any case; when none runs, the next one fails.
  client.on("error", () => undefined);
  return client;
}

/** Whether the server itself refused the connection: then it runs, and may serve the connections of the pool. */
function isServerRefusal(error: unknown): boolean {
  if (!(error instanceof Error && "severity" in error && "code" in error)) return false;
  return error.code === "53300" || !causedByUnavailableDatabase(error);
}

/** `passed` resolves after `ticks`. `cancel` returns how many ticks have passed. */
function startTickTimer(ticks: number): { passed: Promise<"silent">; cancel(): number } {
  let timer: NodeJS.Timeout | undefined;
  let count = 0;
  const passed = new Promise<"silent">((resolve) => {
    timer = setInterval(() => {
      count++;
      if (count >= ticks) resolve("silent");
    }, TICK_MS).unref();
  });
  return {
    passed,
    cancel: () => {
      clearInterval(timer);
      return count;
    },
  };
}
