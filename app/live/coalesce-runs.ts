const EVERY_MS = 300;

export interface CoalescedRuns {
  /** Runs soon. Requests until then, or during a run, become one run. */
  request(): void;
  stop(): void;
}

/** Runs one at a time, and starts at most one every 300 ms. A request during a run causes another run after it. */
export function coalesceRuns(run: () => Promise<void>): CoalescedRuns {
  let isRunning = false;
  let isRequested = false;
  let lastStart = Number.NEGATIVE_INFINITY;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const start = async () => {
    timer = undefined;
    isRequested = false;
    isRunning = true;
    lastStart = performance.now();
    // A page shows by itself that its data could not be loaded.
    await run().catch(() => undefined);
    isRunning = false;
    if (isRequested) schedule();
  };
  const schedule = () => {
    timer ??= setTimeout(() => void start(), Math.max(0, lastStart + EVERY_MS - performance.now()));
  };
  return {
    request() {
      isRequested = true;
      if (!isRunning) schedule();
    },
    stop() {
      isRequested = false;
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
