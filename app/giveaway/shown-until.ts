import { withStorage } from "../ui/optional-interfaces.ts";

const KEY = "giveaway-shown-until";

/** Whether this browser has shown the giveaway that runs now. */
export function wasShownToday(): boolean {
  // Without storage it would appear on every visit.
  return withStorage("local", (storage) => Number(storage.getItem(KEY)) > Date.now()) ?? true;
}

/** @param leftMs how long the giveaway runs, in milliseconds; the browser's clock may be wrong */
export function rememberShown(leftMs: number): void {
  withStorage("local", (storage) => storage.setItem(KEY, String(Date.now() + leftMs)));
}
