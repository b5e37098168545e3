const KEY = "giveaway-shown-until";

/** Whether this browser has shown the giveaway that runs now. */
export function wasShownToday(): boolean {
  try {
    return Number(localStorage.getItem(KEY)) > Date.now();
  } catch {
    // Without storage it would appear on every visit.
    return true;
  }
}

/** @param leftMs how long the giveaway runs, in milliseconds; the browser's clock may be wrong */
export function rememberShown(leftMs: number): void {
  try {
    localStorage.setItem(KEY, String(Date.now() + leftMs));
  } catch {
    // The storage is full or blocked.
  }
}
