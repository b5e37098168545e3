import pg from "pg";
import { causedByUnavailableDatabase } from "./database-unavailable.ts";
import type { PoolSwitch } from "./interruptible-pool.ts";

const ASK_EVERY_MS = 1_000;
const RETRY_MS = 250;
const TICK_MS = 100;
/** Without an answer for this many ticks of the event loop, the database counts as hung. */
const ANSWER_TICKS = 25;
/** A connection needs several exchanges, and a distant server may have to wake up first. */
const CONNECT_TICKS = 50;
/** For a question and the one repeated over a new connection because the first was lost: an outage shows in 5 seconds. */
const REPEAT_TICKS = 40;

export interface DatabaseWatch {
  /** Whether the database answers a question that is asked now. Never rejects. */
  answers(withinMs: number): Promise<boolean>;
  stop(): void;
}

type Outcome = "answered" | "silent" | "refused" | "lost";

/**
 * Asks the database every second, over a connection of its own, whether it is there, and switches the pool off while it is
 * not. Time is counted in turns of the event loop: a process that was itself stopped or busy proves nothing about the
 * database. Neither does one silent connection while the pool's get answers.
 *
 * @param options.url the address that the pool uses, so that what lies between is watched too
 * @param options.onDown told once when the database stops answering
 * @param options.onUp told once when it answers again
 */
export function watchDatabase(options: {
  url: string;
  poolSwitch: PoolSwitch;
  onDown(reason: "silent" | "refused"): void;
  onUp(): void;
}): DatabaseWatch {
  const { poolSwitch } = options;
  const question = createQuestion(options.url);
  const waiting: ((answered: boolean) => void)[] = [];
  let wake: () => void = () => undefined;
  let isUp = true;
  let stopped = false;

  const handleOutcome = (outcome: Exclude<Outcome, "lost">, askedAt: number) => {
    const answered = outcome === "answered" || (isUp && poolSwitch.lastAnswerAt() >= askedAt);
    if (outcome !== "answered" && !answered && isUp) {
      isUp = false;
      poolSwitch.interrupt();
      options.onDown(outcome);
    }
    if (answered && !isUp) {
      isUp = true;
      poolSwitch.resume();
      options.onUp();
    }
    for (const resolve of waiting.splice(0)) resolve(answered);
  };
  const run = async () => {
    while (!stopped) {
      const askedAt = performance.now();
      const outcome = await question.ask();
      if (stopped) return;
      // A connection that was cut tells nothing yet: the next one does.
      if (outcome === "lost") continue;
      handleOutcome(outcome, askedAt);
      const pause = outcome === "answered" ? ASK_EVERY_MS : RETRY_MS;
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
      question.end();
    },
  };
}

/** Asks `select 1`, over a connection that is made when there is none. */
function createQuestion(url: string): { ask(): Promise<Outcome>; end(): void } {
  let client: pg.Client | undefined;
  let connectTicks = CONNECT_TICKS;

  const drop = (dropped: pg.Client | undefined) => {
    if (client === dropped) client = undefined;
    dropped?.connection.stream.destroy();
  };
  const connectAndAsk = async (): Promise<Outcome> => {
    const isNew = client === undefined;
    client ??= createClient(url);
    const used = client;
    try {
      if (isNew) await used.connect();
      await used.query("select 1");
      return "answered";
    } catch (error) {
      drop(used);
      if (!isNew) return "lost";
      return isServerRefusal(error) ? "answered" : "refused";
    }
  };
  return {
    ask: async () => {
      const limit = startTickTimer(client === undefined ? connectTicks : ANSWER_TICKS);
      const outcome = await Promise.race([connectAndAsk(), limit.passed]);
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
  // The question under way fails as well; between questions, the next one finds out.
  client.on("error", () => undefined);
  return client;
}

/** A server that gives any other reason to refuse this connection runs, and may serve those of the pool. */
function isServerRefusal(error: unknown): boolean {
  if (!(error instanceof Error && "severity" in error && "code" in error)) return false;
  return error.code === "53300" || !causedByUnavailableDatabase(error);
}

/** `cancel` returns how many ticks have passed. */
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
