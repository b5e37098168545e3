import { useEffect } from "react";

/** Not in TypeScript's own library yet. */
interface CloseWatcher extends EventTarget {
  destroy(): void;
}

declare global {
  interface Window {
    CloseWatcher?: new () => CloseWatcher;
  }
}

/** Lets the phone's own back gesture close what is open, in browsers that tell pages of it. */
export function useCloseGesture(isOpen: boolean, onClose: () => void): void {
  useEffect(() => {
    if (!isOpen || !window.CloseWatcher) return;
    const watcher = new window.CloseWatcher();
    watcher.addEventListener("close", onClose);
    return () => watcher.destroy();
  }, [isOpen, onClose]);
}
