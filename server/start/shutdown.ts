const SAME_KEY_PRESS_MS = 1_000;

/** The state of a shutdown, and how one is requested. */
export type Shutdown = {
  /** Aborted when somebody asks to stop or something fails: the shop finishes its work and ends. */
  readonly stop: AbortSignal;
  /** Aborted when somebody asks a second time: the shop ends without finishing its work. */
  readonly force: AbortSignal;
  /** Ends the shop because it cannot continue. The first error is kept. */
  fail(error: unknown): void;
  failure(): unknown;
  /** Registers a handler for errors that no code handled. Where it returns true, the shop continues. */
  handleUncaughtErrorsWith(handle: (error: unknown) => boolean): void;
  unwatch(): void;
};

/**
 * Listens for SIGINT, SIGTERM and SIGHUP. One Ctrl-C arrives several times, from the terminal and through npm, so only a
 * signal that comes more than a second later counts as a second one.
 */
export function watchForShutdown(now: () => number = Date.now): Shutdown {
  const stop = new AbortController();
  const force = new AbortController();
  let first: number | undefined;
  let failure: unknown;
  const onSignal = () => {
    first ??= now();
    stop.abort();
    if (now() - first > SAME_KEY_PRESS_MS) force.abort();
  };
  const fail = (error: unknown) => {
    failure ??= error;
    stop.abort();
  };
  let handle: (error: unknown) => boolean = () => false;
  const onUncaught = (error: unknown) => {
    if (!handle(error)) fail(error);
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, onSignal);
  process.on("uncaughtException", onUncaught);
  return {
    stop: stop.signal,
    force: force.signal,
    fail,
    failure: () => failure,
    handleUncaughtErrorsWith: (handler) => {
      handle = handler;
    },
    unwatch: () => {
      for (const signal of signals) process.off(signal, onSignal);
      process.off("uncaughtException", onUncaught);
    },
  };
}

/** Resolves when the signal is aborted. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
