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
  /** Says that a script of the page did not arrive. */
  onScriptsMissing?(): void;
  /** What says that the page did not load fully. */
  notice?: Element;
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
 * `data-waiting`, and the pressed button `data-awaits`.
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
  captured.last?.removeAttribute?.("data-awaits");
  captured.last = last;
  last.setAttribute?.("data-awaits", "");
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

/** A press is not repeated later than this after it was kept. */
const KEPT_MS = 60_000;

/**
 * A script after the script above. When a script of the page does not arrive, it loads the page once more, as soon as the shop
 * answers. A page that was loaded again already, and a page that is not ready long after it has loaded, says so. The browser knows
 * how a page was loaded, so this needs no storage, which may be refused. The press is kept in the state of the history entry.
 *
 * @param texts.title, texts.reload in the language of the page
 * @param mayReload false for the answer to a form, which would be sent again
 */
export function watchScripts(texts: { title: string; reload: string }, mayReload: boolean): string {
  return `{
const texts = ${JSON.stringify(texts).replaceAll("<", "\\u003c")};
const captured = window.preHydrationEvents;
const reload = () => {
  const { last } = captured;
  const kept = last instanceof Element ? last.ariaLabel || last.textContent : last;
  try { history.replaceState({ ...history.state, kept, keptAt: Date.now() }, ""); } catch {}
  location.reload();
};
const say = () => {
  if (captured.interactive || captured.notice) return;
  const notice = document.createElement("div");
  const text = document.createElement("p");
  const button = document.createElement("button");
  notice.setAttribute("role", "alert");
  notice.style.cssText = "position:fixed;inset:auto 0 0;z-index:60;display:flex;flex-wrap:wrap;align-items:center;justify-content:center;gap:8px 16px;padding:12px 16px;font-weight:600;background:var(--card,Canvas);color:var(--ink,CanvasText);border-top:1px solid var(--line,currentColor)";
  button.style.cssText = "min-height:44px;padding:0 20px;border:0;border-radius:8px;font:inherit;cursor:pointer;background:var(--strong,ButtonFace);color:var(--on-strong,ButtonText)";
  text.textContent = texts.title;
  button.textContent = texts.reload;
  button.addEventListener("click", reload);
  notice.append(text, button);
  document.body.append(notice);
  captured.notice = notice;
  document.documentElement.removeAttribute("data-waiting");
};
const reloadWhenReachable = (attempts) => fetch("/healthz", { cache: "no-store" }).then(({ ok }) => {
  if (!ok) throw new Error();
  if (!captured.interactive) reload();
}).catch(() => attempts > 1 ? setTimeout(reloadWhenReachable, 1000, attempts - 1) : say());
captured.onScriptsMissing = () => {
  captured.onScriptsMissing = () => undefined;
  const [navigation] = performance.getEntriesByType("navigation");
  if (${mayReload} && navigation && navigation.type !== "reload") reloadWhenReachable(10);
  else say();
};
addEventListener("error", ({ target }) => {
  if (target instanceof HTMLScriptElement && target.type === "module") captured.onScriptsMissing();
}, true);
addEventListener("load", () => setTimeout(say, 10000));
}`.replaceAll(/\n\s*/g, "\n");
}

/** A layout effect of the document: from now on React receives each click, also in parts that it hydrates later. */
export function stopCapturingClicks(): void {
  performance.mark(HYDRATED_MARK);
  const captured = window.preHydrationEvents;
  if (!captured) return;
  captured.stopClicks();
  // If React hydrated the page during this click, it dispatches the click itself.
  if (!captured.lastEvent || captured.lastEvent.eventPhase === Event.NONE) return;
  if (captured.last instanceof HTMLElement) captured.last.removeAttribute("data-awaits");
  captured.last = null;
}

/** An effect of the document: the effects of its components have run before. Replays what was captured. */
export function replayPreHydrationEvents(): void {
  const captured = window.preHydrationEvents;
  if (!captured || captured.interactive) return;
  captured.stopFieldsAndPaymentModals();
  captured.interactive = true;
  document.documentElement.removeAttribute("data-waiting");
  captured.notice?.remove();
  const { fields } = captured;
  const kept = takeKept();
  const last = captured.last ?? kept;
  captured.last = null;
  captured.lastEvent = null;
  if (last instanceof HTMLElement) last.removeAttribute("data-awaits");
  // Not inside of an effect, where React would handle the events as a part of the hydration.
  queueMicrotask(() => {
    for (const [field, typed] of fields) replayTyped(field, typed);
    fields.clear();
    if (last instanceof HTMLElement) {
      if (last.isConnected) last.click();
    } else if (last) window.dispatchEvent(new CustomEvent("openPaymentModal", last));
  });
}

/** What was pressed before the page was loaded again. It is returned once. */
function takeKept(): CapturedEvents["last"] {
  const { kept, keptAt, ...state }: Record<string, unknown> = history.state ?? {};
  if (keptAt === undefined) return null;
  history.replaceState(state, "");
  if (!kept || Date.now() - Number(keptAt) > KEPT_MS) return null;
  if (typeof kept === "object") return "detail" in kept ? { detail: kept.detail } : null;
  const buttons = document.querySelectorAll<HTMLElement>('button[type="button"]');
  return [...buttons].find((button) => (button.ariaLabel || button.textContent) === kept) ?? null;
}

/**
 * A field whose value the page controls would otherwise lose what was typed when it is next rendered. React ignores events of
 * a field that has the value which React set or saw last, so it sees another value first.
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

/** Bypasses the setter that React defines on the element, and calls the setter of its prototype. */
function setNatively(field: HTMLInputElement | HTMLTextAreaElement, value: string): void {
  const prototype = Object.getPrototypeOf(field);
  Object.getOwnPropertyDescriptor(prototype, "value")?.set?.call(field, value);
}
