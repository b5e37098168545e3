import { useLayoutEffect, useRef, useState } from "react";
import { useLocation } from "react-router";

/** The state of a dialog: open, hidden behind another window that it opened, or closed. */
export type Presence = "open" | "hidden" | "closed";

/** What the back button does to each open dialog, the topmost last: it alone handles the back button. */
const openDialogs = new Map<symbol, () => void>();
/** What the back button does to what a hidden dialog has opened over the page. */
const hiddenDialogs = new Map<symbol, () => void>();
/** The back button was pressed over a hidden dialog, and the history returns to the dialog's step. */
let isReturning = false;
/** How many steps are between the page and the current history entry; 0: the entry is the page's own. */
let depth = 0;
/** The router's key of the page. */
let pageKey: unknown;

/**
 * Makes the back button close a dialog, or go back inside it, instead of leaving the page: an open dialog pushes a
 * step, a history entry of the same page. The step stays when the dialog closes in another way, because removing it
 * would race with the next navigation. The back button then skips it.
 *
 * Each step is pushed by the press that opens the dialog or its next view, and before the view is painted. Chromium leaves out an
 * entry that pushed another entry without a press, so the back button would leave the shop; and somebody may press the back
 * button at once.
 *
 * Over a hidden dialog the back button closes what the dialog has opened: `onBack` runs, and the step stays.
 *
 * @param view the current view of a dialog with several views; each gets its own step
 * @param takesOver the dialog takes the place of another one, and first opens with its step
 */
export function useBackStep(presence: Presence, onBack: () => void, view = "", takesOver = false): void {
  const { key } = useLocation();
  const goBack = useRef(onBack);
  const [dialog] = useState(() => Symbol("dialog"));
  const shownView = useRef<string | null>(null);
  const goesBack = useRef(false);
  const hasStep = useRef(takesOver);

  useLayoutEffect(() => {
    goBack.current = onBack;
  });

  useLayoutEffect(() => {
    pageKey = key;
    depth = depthOf(window.history.state);
    // The same function is added once. Before the router's listener, and never removed: React may change the dialogs between two
    // listeners of one event.
    window.addEventListener("popstate", onPop, { capture: true });
  }, [key]);

  useLayoutEffect(() => {
    if (presence !== "hidden") return;
    hiddenDialogs.set(dialog, () => goBack.current());
    return () => void hiddenDialogs.delete(dialog);
  }, [presence, dialog]);

  useLayoutEffect(() => {
    if (presence !== "open") {
      shownView.current = null;
      goesBack.current = false;
      return;
    }
    const isNextView = shownView.current !== null && shownView.current !== view;
    shownView.current = view;
    const needsNewStep = !goesBack.current && (isNextView || openDialogs.size > 0);
    goesBack.current = false;
    // Otherwise a step that is left from a dialog before serves again.
    if (!hasStep.current && (needsNewStep || depthOf(window.history.state) === 0)) pushStep();
    hasStep.current = false;
    openDialogs.set(dialog, () => {
      goesBack.current = true;
      goBack.current();
    });
    return () => void openDialogs.delete(dialog);
  }, [presence, view, dialog]);
}

function onPop(event: PopStateEvent): void {
  const samePage = keyOf(event.state) === pageKey;
  const isBackwards = depthOf(event.state) < depth;
  const goBack = [...openDialogs.values()].at(-1);
  if (isReturning && samePage && !isBackwards) {
    isReturning = false;
    depth = depthOf(event.state);
    event.stopImmediatePropagation();
    [...hiddenDialogs.values()].at(-1)?.();
  } else if (goBack) {
    const isOverAnother = openDialogs.size > 1;
    depth = depthOf(event.state);
    // The router must not handle this event, because the page stays the same.
    if (samePage) event.stopImmediatePropagation();
    goBack();
    // The dialog below this one needs a step of its own.
    if (samePage && isOverAnother && depth === 0) pushStep();
  } else {
    // The router may refuse to leave the page, and return to its entry.
    if (!samePage) return;
    depth = depthOf(event.state);
    if (!isBackwards) return;
    event.stopImmediatePropagation();
    if (hiddenDialogs.size === 0) return window.history.back();
    // The step is needed when the dialog is shown again: a new one would have no gesture.
    isReturning = true;
    window.history.forward();
  }
}

function pushStep(): void {
  const { state } = window.history;
  depth = depthOf(state) + 1;
  window.history.pushState({ ...state, step: depth }, "");
}

/** The router's key of a history entry. A step has the key of its page; the first entry has none. */
function keyOf(state: unknown): unknown {
  return typeof state === "object" && state !== null && "key" in state ? state.key : "default";
}

function depthOf(state: unknown): number {
  return typeof state === "object" && state !== null && "step" in state ? Number(state.step) : 0;
}
