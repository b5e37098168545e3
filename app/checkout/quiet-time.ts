import { useSyncExternalStore } from "react";
import { withStorage } from "../ui/optional-interfaces.ts";

const KEY = "quiet-until";
const QUIET_MS = 30_000;

const listeners = new Set<() => void>();

/** Starts the time after a purchase in which nothing comes in front of the new pass by itself, on all pages of this tab. */
export function startQuietTime(): void {
  withStorage("session", (storage) => storage.setItem(KEY, String(Date.now() + QUIET_MS)));
  for (const listener of listeners) listener();
}

function quietLeft(): number {
  const until = Number(withStorage("session", (storage) => storage.getItem(KEY)));
  // A clock that was set back makes nothing quiet for longer.
  return Math.min(QUIET_MS, Math.max(0, until - Date.now()));
}

function subscribe(listener: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const change = () => {
    clearTimeout(timer);
    const left = quietLeft();
    if (left > 0) timer = setTimeout(change, left);
    listener();
  };
  listeners.add(change);
  change();
  return () => {
    clearTimeout(timer);
    listeners.delete(change);
  };
}

/** Whether something was bought in this tab in the last 30 seconds. */
export const isQuietTime = (): boolean => quietLeft() > 0;

/** The same for a component, which is rendered again when the time ends. False on the server. */
export function useQuietTime(): boolean {
  return useSyncExternalStore(subscribe, isQuietTime, () => false);
}
