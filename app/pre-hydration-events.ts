/** The events that were captured before the page had been hydrated. */
interface CapturedEvents {
  /** The last click or `openPaymentModal`: a pressed button that needs a script, or the detail of the event. */
  last: HTMLElement | { detail: unknown } | null;
  /** The event that `last` is from. */
  lastEvent: Event | null;
  /** The last click, before or after hydration. */
  press: Event | null;
  /** The fields that were changed, the latest last, with what they had then. */
  fields: Map<Element, { value: string; checked: boolean | undefined }>;
  /** Whether the page handles its events itself. */
  interactive: boolean;
  stopClicks(): void;
  stopFieldsAndPaymentModals(): void;
}

declare global {
  interface Window {
    preHydrationEvents?: CapturedEvents;
  }
}

/** The mark of the User Timing API for the moment from which the page handles its events. */
export const HYDRATED_MARK = "page-hydrated";

/**
 * A script inside the document. On a slow network a page can be read and used long before its other scripts have
 * loaded. Links and forms work without scripts. While a captured event waits, the document has the attribute
 * `data-waiting`, and the pressed button `data-pressed`.
 */
export const CAPTURE_PRE_HYDRATION_EVENTS = `{
const clicks = new AbortController();
const rest = new AbortController();
const captured = {
  last: null,
  lastEvent: null,
  press: null,
  fields: new Map(),
  interactive: false,
  stopClicks: () => clicks.abort(),
  stopFieldsAndPaymentModals: () => rest.abort(),
};
window.preHydrationEvents = captured;
const keep = (last, event) => {
  captured.last?.removeAttribute?.("data-pressed");
  captured.last = last;
  last.setAttribute?.("data-pressed", "");
  captured.lastEvent = event;
  document.documentElement.setAttribute("data-waiting", "");
};
addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest('button[type="button"]') : null;
  if (button) keep(button, event);
}, { capture: true, signal: clicks.signal });
addEventListener("click", (event) => {
  captured.press = event;
}, { capture: true });
addEventListener("openPaymentModal", (event) => {
  if (event.detail && (event.detail.tool || event.detail).name) keep({ detail: event.detail }, event);
}, { signal: rest.signal });
addEventListener("input", ({ target }) => {
  if (target.type === "file" || typeof target.value !== "string") return;
  captured.fields.delete(target);
  captured.fields.set(target, { value: target.value, checked: target.checked });
}, { capture: true, signal: rest.signal });
}`.replaceAll(/\n\s*/g, "\n");

/** A layout effect of the document: from now on React receives each click, also in parts that it hydrates later. */
export function stopCapturingClicks(): void {
  performance.mark(HYDRATED_MARK);
  const captured = window.preHydrationEvents;
  if (!captured) return;
  captured.stopClicks();
  // If React hydrated the page during this click, it dispatches the click itself.
  if (!captured.lastEvent || captured.lastEvent.eventPhase === Event.NONE) return;
  if (captured.last instanceof HTMLElement) captured.last.removeAttribute("data-pressed");
  captured.last = null;
}

/** An effect of the document: the effects of its components have run before. Replays what was captured. */
export function replayPreHydrationEvents(): void {
  const captured = window.preHydrationEvents;
  if (!captured || captured.interactive) return;
  captured.stopFieldsAndPaymentModals();
  captured.interactive = true;
  document.documentElement.removeAttribute("data-waiting");
  const { last, fields } = captured;
  captured.last = null;
  captured.lastEvent = null;
  if (last instanceof HTMLElement) last.removeAttribute("data-pressed");
  // Not inside of an effect, where React would handle the events as a part of the hydration.
  queueMicrotask(() => {
    for (const [field, typed] of fields) replayTyped(field, typed);
    fields.clear();
    if (last instanceof HTMLElement) {
      if (last.isConnected) last.click();
    } else if (last) window.dispatchEvent(new CustomEvent("openPaymentModal", last));
  });
}

/**
 * A field whose value the page controls would otherwise lose what was typed when it is next rendered. React ignores events of
 * a field that has the value which React set or saw last, so it sees another one first.
 */
function replayTyped(field: Element, { value, checked }: { value: string; checked: boolean | undefined }) {
  if (!field.isConnected) return;
  if (field instanceof HTMLInputElement && (field.type === "checkbox" || field.type === "radio")) {
    if (field.checked === checked) field.checked = !checked;
    field.click();
    return;
  }
  if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) {
    const selection = [field.selectionStart, field.selectionEnd] as const;
    field.value = value === "" ? "0" : "";
    setNatively(field, value);
    if (selection[0] !== null) field.setSelectionRange(...selection);
  } else if (field instanceof HTMLSelectElement) field.value = value;
  for (const type of ["input", "change"]) field.dispatchEvent(new Event(type, { bubbles: true }));
}

/** Bypasses the setter that React defines on the element, by that of its prototype. */
function setNatively(field: HTMLInputElement | HTMLTextAreaElement, value: string): void {
  const prototype = Object.getPrototypeOf(field);
  Object.getOwnPropertyDescriptor(prototype, "value")?.set?.call(field, value);
}
