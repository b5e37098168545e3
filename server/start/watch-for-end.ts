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
  /** Gives an error that no code handled to `contain` first; what it returns true for ends nothing. */
  containFaultsWith(contain: (error: unknown) => boolean): void;
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
  let contain: (error: unknown) => boolean = () => false;
  const onUncaught = (error: unknown) => {
    if (!contain(error)) fail(error);
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, onSignal);
  process.on("uncaughtException", onUncaught);
  return {
    stop: stop.signal,
    hurry: hurry.signal,
    fail,
    failure: () => failure,
    containFaultsWith: (judge) => {
      contain = judge;
    },
    unwatch: () => {
      for (const signal of signals) process.off(signal, onSignal);
      process.off("uncaughtException", onUncaught);
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
