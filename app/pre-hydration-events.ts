/** What was asked of the page before its own script had come. */
interface EarlyPresses {
  /** The last of them: a button that only a script can answer, or the detail of an `openPaymentModal`. */
  last: HTMLElement | { detail: unknown } | null;
  stopButtons(): void;
  stopWishes(): void;
}

declare global {
  interface Window {
    earlyPresses?: EarlyPresses;
  }
}

/**
 * A script to stand in the page itself: on a slow line a page can be read, and pressed, long before the rest has come.
 * Links and forms work by themselves. While somebody waits, `data-waiting` on the document shows it.
 */
export const CAPTURE_PRE_HYDRATION_EVENTS = `
if (!window.earlyPresses) {
  const buttons = new AbortController();
  const wishes = new AbortController();
  const early = {
    last: null,
    stopButtons: () => buttons.abort(),
    stopWishes: () => wishes.abort(),
  };
  window.earlyPresses = early;
  const waiting = () => document.documentElement.setAttribute("data-waiting", "");
  addEventListener("click", ({ target }) => {
    const button = target instanceof Element ? target.closest('button[type="button"]') : null;
    if (button) {
      early.last = button;
      waiting();
    }
  }, { capture: true, signal: buttons.signal });
  addEventListener("openPaymentModal", ({ detail }) => {
    if (!detail || !detail.name) return;
    early.last = { detail };
    waiting();
  }, { signal: wishes.signal });
}`;

const nothing = () => undefined;

/** React hears every press from now on, even before it has made the page its own. */
export function stopCapturingEvents(): void {
  // From a warm cache the page's script can come before its last words: then these find that nobody needs them.
  window.earlyPresses ??= { last: null, stopButtons: nothing, stopWishes: nothing };
  window.earlyPresses.stopButtons();
}

/** Does what was asked for last, once the page can answer. */
export function replayPreHydrationEvents(): void {
  const early = window.earlyPresses;
  if (!early) return;
  const { last } = early;
  early.last = null;
  early.stopWishes();
  document.documentElement.removeAttribute("data-waiting");
  if (last instanceof HTMLElement) {
    if (last.isConnected) last.click();
  } else if (last) window.dispatchEvent(new CustomEvent("openPaymentModal", last));
}
