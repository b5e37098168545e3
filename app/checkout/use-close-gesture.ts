import { useEffect } from "react";
import { type Presence, useBackStep } from "./use-back-step.ts";

/** Not in TypeScript's own library yet. */
interface CloseWatcher extends EventTarget {
  destroy(): void;
}

declare global {
  interface Window {
    CloseWatcher?: new () => CloseWatcher;
  }
}

type Gesture = (presence: Presence, onClose: () => void) => void;

/** Lets the phone's own back gesture close a dialog: asked of the browser where it tells pages of it, else by history. */
export const useCloseGesture: Gesture = "CloseWatcher" in globalThis ? useCloseWatcher : useBackStep;

function useCloseWatcher(presence: Presence, onClose: () => void): void {
  useEffect(() => {
    if (presence !== "open" || !window.CloseWatcher) return;
    const watcher = new window.CloseWatcher();
    watcher.addEventListener("close", onClose);
    return () => watcher.destroy();
  }, [presence, onClose]);
}
