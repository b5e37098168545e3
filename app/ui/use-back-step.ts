import { useEffect, useRef } from "react";
import { useLocation } from "react-router";

/** Where a dialog is: in front, out of the way for another window that it opened, or gone. */
export type Presence = "open" | "away" | "closed";

/** The dialogs in front; those that are gone leave going back to them. */
const inFront = new Set<symbol>();
/** Whether the entry of the history that the person is on is a step of ours. */
let onStep = false;

/**
 * Makes going back close a dialog, or go back inside it, and not leave its page: a step is put onto the history that is the
 * same page. The step stays when the dialog closes in another way, because taking it off would race with whatever is gone
 * to next; going back then passes over it.
 *
 * @param view of a dialog with several: each is to be gone back from
 */
export function useBackStep(presence: Presence, onBack: () => void, view = ""): void {
  const { key } = useLocation();
  const goBack = useRef(onBack);

  useEffect(() => {
    goBack.current = onBack;
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is another entry of the history
  useEffect(() => {
    onStep = isStep(window.history.state);
  }, [key]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another view needs a step of its own
  useEffect(() => {
    if (presence !== "open") return;
    const dialog = Symbol("dialog");
    inFront.add(dialog);
    const { state } = window.history;
    if (!isStep(state)) window.history.pushState({ ...state, isStep: true }, "");
    onStep = true;
    return () => void inFront.delete(dialog);
  }, [presence, view]);

  useEffect(() => {
    const onPop = (event: PopStateEvent) => {
      const samePage = keyOf(event.state) === key;
      if (presence === "open") {
        onStep = isStep(event.state);
        // For the router nothing has changed.
        if (samePage) event.stopImmediatePropagation();
        goBack.current();
      } else if (presence === "closed" && inFront.size === 0) {
        const passesOver = onStep && samePage && !isStep(event.state);
        onStep = isStep(event.state);
        if (!passesOver) return;
        event.stopImmediatePropagation();
        window.history.back();
      }
    };
    // Heard before the router hears of it. A listener put on anew while the event is under way would not be heard.
    window.addEventListener("popstate", onPop, { capture: true });
    return () => window.removeEventListener("popstate", onPop, { capture: true });
  }, [key, presence]);
}

/** The router's name for an entry of the history, which a step shares with its page; the first entry has none. */
function keyOf(state: unknown): unknown {
  return typeof state === "object" && state !== null && "key" in state ? state.key : "default";
}

function isStep(state: unknown): boolean {
  return typeof state === "object" && state !== null && "isStep" in state;
}
