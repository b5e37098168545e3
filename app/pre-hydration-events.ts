import { HYDRATION_MARKS, queueTurn } from "./ui/hydration.ts";

/** The events that were captured before the page's scripts had loaded. */
interface CapturedEvents {
  /** The last click or `openPaymentModal`: a pressed button that needs a script, or the detail of the event. */
  last: HTMLElement | { detail: unknown } | null;
  /** The fields that were changed, with what they had then. */
  fields: Map<HTMLElement, { value: string; checked: boolean | undefined }>;
  /** Whether the page handles its events itself, in all of its parts. */
  interactive: boolean;
  stopClicks(): void;
  stopFieldsAndPaymentModals(): void;
}

declare global {
  interface Window {
    preHydrationEvents?: CapturedEvents;
  }
}

/**
 * A script inside the document. On a slow network a page can be read and used long before its other scripts have
 * loaded. Links and forms work without scripts. While a captured event waits, the document has the attribute
 * `data-waiting`. The script removes itself, since it is no part of what the page renders.
 */
export const CAPTURE_PRE_HYDRATION_EVENTS = `
document.currentScript.remove();
{
const clicks = new AbortController();
const rest = new AbortController();
const captured = {
  last: null,
  fields: new Map(),
  interactive: false,
  stopClicks: () => clicks.abort(),
  stopFieldsAndPaymentModals: () => rest.abort(),
};
window.preHydrationEvents = captured;
const showWaiting = () => document.documentElement.setAttribute("data-waiting", "");
addEventListener("click", ({ target }) => {
  const button = target instanceof Element ? target.closest('button[type="button"]') : null;
  if (button) {
    captured.last = button;
    showWaiting();
  }
}, { capture: true, signal: clicks.signal });
addEventListener("openPaymentModal", ({ detail }) => {
  if (!detail || !detail.name) return;
  captured.last = { detail };
  showWaiting();
}, { signal: rest.signal });
addEventListener("input", ({ target }) => {
  if (target.type === "file" || typeof target.value !== "string") return;
  captured.fields.set(target, { value: target.value, checked: target.checked });
}, { capture: true, signal: rest.signal });
}`;

/** A layout effect: it runs in the task that attaches the handlers, so that each click is handled once. */
export function stopCapturingClicks(): void {
  window.preHydrationEvents?.stopClicks();
}

/** Replays what was typed and the last captured event. An effect of the document: the effects of its components have run before. */
export function replayPreHydrationEvents(): void {
  const captured = window.preHydrationEvents;
  if (!captured) return;
  const { last } = captured;
  captured.last = null;
  captured.stopFieldsAndPaymentModals();
  document.documentElement.removeAttribute("data-waiting");
  replayFields(captured.fields);
  if (last instanceof HTMLElement) {
    if (last.isConnected) last.click();
  } else if (last) window.dispatchEvent(new CustomEvent("openPaymentModal", last));
  // The parts of the page that are hydrated later have queued their turns before.
  queueTurn(() => {
    captured.interactive = true;
    performance.mark(HYDRATION_MARKS.allParts);
  });
}

/** A field whose value the page controls would otherwise lose what was typed when it is next rendered. */
function replayFields(fields: CapturedEvents["fields"]): void {
  for (const [field, typed] of fields) {
    if (!field.isConnected) continue;
    Object.assign(field, typed);
    for (const type of ["input", "change"]) field.dispatchEvent(new Event(type, { bubbles: true }));
  }
  fields.clear();
}
