import { useEffect } from "react";
import { useLocation } from "react-router";

/** Where a dialog is: in front, out of the way for another window that it opened, or gone. */
export type Presence = "open" | "away" | "closed";

/**
 * Makes going back close a dialog and not leave its page: a step is put onto the history that is the same page. The step
 * stays when the dialog closes in another way, because taking it off would race with whatever is gone to next; going back
 * then passes over it.
 */
export function useBackStep(presence: Presence, onBack: () => void): void {
  const { key } = useLocation();

  useEffect(() => {
    const { state } = window.history;
    if (presence === "open" && !isStep(state)) window.history.pushState({ ...state, isStep: true }, "");
  }, [presence]);

  useEffect(() => {
    const onPop = (event: PopStateEvent) => {
      const samePage = keyOf(event.state) === key;
      if (presence === "open") {
        // For the router nothing has changed.
        if (samePage) event.stopImmediatePropagation();
        onBack();
      } else if (presence === "closed" && samePage && !isStep(event.state)) {
        event.stopImmediatePropagation();
        window.history.back();
      }
    };
    // Heard before the router hears of it.
    window.addEventListener("popstate", onPop, { capture: true });
    return () => window.removeEventListener("popstate", onPop, { capture: true });
  }, [key, presence, onBack]);
}

/** The router's name for an entry of the history, which a step shares with its page; the first entry has none. */
function keyOf(state: unknown): unknown {
  return typeof state === "object" && state !== null && "key" in state ? state.key : "default";
}

function isStep(state: unknown): boolean {
  return typeof state === "object" && state !== null && "isStep" in state;
}
