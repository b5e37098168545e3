const SAME_KEYPRESS_MS = 1_000;

/** What ends the shop, told apart by how urgent it is. */
export type Ending = {
  /** Somebody asked, or something broke: finish what is under way and leave. */
  readonly stop: AbortSignal;
  /** Somebody asked twice: finish nothing. */
  readonly hurry: AbortSignal;
  /** Ends the shop because it cannot go on. The first reason counts. */
  fail(error: unknown): void;
  failure(): unknown;
  unwatch(): void;
};

/**
 * Listens for SIGINT, SIGTERM and SIGHUP. One Ctrl-C arrives several times over, from the terminal and passed on
 * by npm, so only a signal that comes clearly later is a second one.
 */
export function watchForEnd(now: () => number = Date.now): Ending {
  const stop = new AbortController();
  const hurry = new AbortController();
  let first: number | undefined;
  let failure: unknown;
  const onSignal = () => {
    first ??= now();
    stop.abort();
    if (now() - first > SAME_KEYPRESS_MS) hurry.abort();
  };
  const fail = (error: unknown) => {
    failure ??= error;
    stop.abort();
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, onSignal);
  process.on("uncaughtException", fail);
  return {
    stop: stop.signal,
    hurry: hurry.signal,
    fail,
    failure: () => failure,
    unwatch: () => {
      for (const signal of signals) process.off(signal, onSignal);
      process.off("uncaughtException", fail);
    },
  };
}

/** Resolves when the signal fires. */
export function fired(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
