import { useEffect } from "react";

const INTERACTIONS = ["pointermove", "touchstart", "keydown", "scroll"] as const;

/**
 * Calls `load` once, at the first interaction. Code that is soon needed is then ready and does not slow the first load.
 */
export function usePreloadOnInteraction(load: () => Promise<unknown>): void {
  useEffect(() => {
    const stop = new AbortController();
    const run = () => {
      stop.abort();
      // A failure is no error yet, because the code is loaded again when it is needed.
      load().catch(() => undefined);
    };
    for (const event of INTERACTIONS) {
      window.addEventListener(event, run, { passive: true, signal: stop.signal });
    }
    return () => stop.abort();
  }, [load]);
}
