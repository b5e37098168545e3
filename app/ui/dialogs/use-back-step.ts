import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { useLocation } from "react-router";

/** The state of a dialog: open, hidden behind another window that it opened, or closed. */
export type Presence = "open" | "hidden" | "closed";

/** The open dialogs, the topmost last: it alone handles the back button. */
const openDialogs = new Set<symbol>();
/** Whether the current history entry is one that this hook pushed. */
let onStep = false;

/**
 * Makes the back button close a dialog, or go back inside it, instead of leaving the page: an open dialog pushes a
 * step, a history entry of the same page. The step stays when the dialog closes in another way, because removing it
 * would race with the next navigation. The back button then skips it.
 *
 * @param view the current view of a dialog with several views; each gets its own step
 */
export function useBackStep(presence: Presence, onBack: () => void, view = ""): void {
  const { key } = useLocation();
  const goBack = useRef(onBack);
  const [dialog] = useState(() => Symbol("dialog"));

  useEffect(() => {
    goBack.current = onBack;
  });

  // Both before the new page is painted: somebody may press the back button again at once.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is another history entry
  useLayoutEffect(() => {
    onStep = isStep(window.history.state);
  }, [key]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another view needs its own step
  useEffect(() => {
    if (presence !== "open") return;
    openDialogs.add(dialog);
    pushStep();
    return () => void openDialogs.delete(dialog);
  }, [presence, view]);

  useLayoutEffect(() => {
    const onPop = (event: PopStateEvent) => {
      const samePage = keyOf(event.state) === key;
      if (presence === "open") {
        if ([...openDialogs].at(-1) !== dialog) return;
        onStep = isStep(event.state);
        // The router must not handle this event, because the page stays the same.
        if (samePage) event.stopImmediatePropagation();
        goBack.current();
        // The dialog below this one needs a step of its own.
        if (samePage && openDialogs.size > 1) pushStep();
      } else if (presence === "closed" && openDialogs.size === 0) {
        const skipsStep = onStep && samePage && !isStep(event.state);
        onStep = isStep(event.state);
        if (!skipsStep) return;
        event.stopImmediatePropagation();
        window.history.back();
      }
    };
    // Capturing runs before the router's listener. A listener that is added during the event would not be called.
    window.addEventListener("popstate", onPop, { capture: true });
    return () => window.removeEventListener("popstate", onPop, { capture: true });
  }, [key, presence, dialog]);
}

/** Pushes a step, unless the current history entry is one. */
function pushStep(): void {
  const { state } = window.history;
  if (!isStep(state)) window.history.pushState({ ...state, isStep: true }, "");
  onStep = true;
}

/** The router's key of a history entry. A step has the key of its page; the first entry has none. */
function keyOf(state: unknown): unknown {
  return typeof state === "object" && state !== null && "key" in state ? state.key : "default";
}

function isStep(state: unknown): boolean {
  return typeof state === "object" && state !== null && "isStep" in state;
}
