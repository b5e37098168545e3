import { useEffect } from "react";

const FIRST_SIGNS = ["pointermove", "touchstart", "keydown", "scroll"] as const;

/** Runs `load` once at the first sign of a person: code that is soon needed arrives in time but costs no page load. */
export function usePreloadOnInteraction(load: () => Promise<unknown>): void {
  useEffect(() => {
    const stop = new AbortController();
    const run = () => {
      stop.abort();
      // Offline now is no error yet: whoever needs it asks again.
      load().catch(() => undefined);
    };
    for (const sign of FIRST_SIGNS) {
      window.addEventListener(sign, run, { passive: true, signal: stop.signal });
    }
    return () => stop.abort();
  }, [load]);
}
