import { useSyncExternalStore } from "react";
import { withStorage } from "../ui/optional-interfaces.ts";

/*
 * The open checkouts about which this browser is to say nothing more, on no page and in no tab, until their outcome is known.
 */

const KEY = "dismissed-checkouts";
/** A checkout is open for minutes, so older ones are not needed. */
const KEPT = 20;

/** What this page has dismissed, for a browser that stores nothing. */
let unstored: readonly string[] = [];
const listeners = new Set<() => void>();

function readDismissed(): readonly string[] {
  return withStorage("local", (storage) => storage.getItem(KEY)?.split(" ")) ?? unstored;
}

/** Dismisses a checkout in all open pages of this browser. */
export function dismissCheckout(purchaseId: string): void {
  const dismissed = [...readDismissed(), purchaseId].slice(-KEPT);
  unstored = dismissed;
  withStorage("local", (storage) => storage.setItem(KEY, dismissed.join(" ")));
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  // Of the other tabs.
  window.addEventListener("storage", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("storage", listener);
  };
}

export function useIsDismissed(purchaseId: string): boolean {
  return useSyncExternalStore(
    subscribe,
    () => readDismissed().includes(purchaseId),
    () => false,
  );
}
