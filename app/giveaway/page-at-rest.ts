import { isQuietTime } from "../checkout/quiet-time.ts";

/** Until so long after the page has become interactive, and after a press, a key or a scroll, the page is in use. */
const REST_MS = 3_000;
const LOOK_AGAIN_MS = 1_000;
/** The list of tools is further down. */
const NEAR_TOP_PX = 100;

/** What comes before the giveaway: dialogs, and the bar that says what was just bought. */
const FIRST = "[role=dialog], [role=alertdialog], dialog[open], .receipt-bar";

export const isDialogOpen = (): boolean => document.querySelector(FIRST) !== null;
const isTyping = (): boolean => document.activeElement?.matches("input, textarea, select") ?? false;

let lastUse = 0;
const noteUse = () => {
  lastUse = Date.now();
};

/** Starts to notice when the page is used. @returns ends it */
export function noticeUse(): () => void {
  const noticing = new AbortController();
  const options = { capture: true, passive: true, signal: noticing.signal };
  for (const type of ["pointerdown", "keydown", "scroll"]) addEventListener(type, noteUse, options);
  noteUse();
  return () => noticing.abort();
}

function isAtRest(): boolean {
  const restMs = Date.now() - lastUse;
  // A clock that was set back makes no rest longer.
  if (restMs >= 0 && restMs < REST_MS) return false;
  return window.scrollY <= NEAR_TOP_PX && !isDialogOpen() && !isTyping() && !isQuietTime();
}

/**
 * Acts as soon as nobody uses the page: it rests near its top, no dialog and no receipt is open, nobody types and nothing was just
 * bought. @returns ends the waiting
 */
export function whenAtRest(act: () => void): () => void {
  const look = () => {
    if (!isAtRest()) return;
    clearInterval(timer);
    act();
  };
  const timer = setInterval(look, LOOK_AGAIN_MS);
  look();
  return () => clearInterval(timer);
}
