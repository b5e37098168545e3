/** What was asked of the page before its own script had come. */
interface EarlyPresses {
  /** The last button pressed that only a script can answer. */
  button: HTMLElement | null;
  /** The detail of the last `openPaymentModal`. */
  wish: { detail: unknown } | null;
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
export const KEEP_EARLY_PRESSES = `
if (!window.earlyPresses) {
  const buttons = new AbortController();
  const wishes = new AbortController();
  const early = {
    button: null,
    wish: null,
    stopButtons: () => buttons.abort(),
    stopWishes: () => wishes.abort(),
  };
  window.earlyPresses = early;
  const waiting = () => document.documentElement.setAttribute("data-waiting", "");
  addEventListener("click", ({ target }) => {
    const button = target instanceof Element ? target.closest('button[type="button"]') : null;
    if (button) {
      early.button = button;
      waiting();
    }
  }, { capture: true, signal: buttons.signal });
  addEventListener("openPaymentModal", ({ detail }) => {
    early.wish = { detail };
    waiting();
  }, { signal: wishes.signal });
}`;

const nothing = () => undefined;

/** React hears every press from now on, even before it has made the page its own. */
export function stopKeepingPresses(): void {
  // From a warm cache the page's script can come before its last words: then these find that nobody needs them.
  window.earlyPresses ??= { button: null, wish: null, stopButtons: nothing, stopWishes: nothing };
  window.earlyPresses.stopButtons();
}

/** Does what was asked for, once the page can answer. A wish is the later and clearer word of the two. */
export function answerEarlyPresses(): void {
  const early = window.earlyPresses;
  if (!early) return;
  const { button, wish } = early;
  early.button = null;
  early.wish = null;
  early.stopWishes();
  document.documentElement.removeAttribute("data-waiting");
  if (wish) window.dispatchEvent(new CustomEvent("openPaymentModal", wish));
  else if (button?.isConnected) button.click();
}
