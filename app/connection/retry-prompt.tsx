import { useSyncExternalStore } from "react";
import { createPortal } from "react-dom";
import { NoConnection } from "../ui/shop-connection.tsx";

interface Prompt {
  /** Another attempt is running. */
  busy: boolean;
  tryAgain(): void;
  close(): void;
}

let prompt: Prompt | null = null;
const listeners = new Set<() => void>();

/**
 * Shows over the page that the connection failed. Resolves when the buyer wants another attempt; the prompt then stays
 * until `closeRetryPrompt` or the next failure. Never resolves when the buyer closes the prompt and so gives up.
 */
export function promptRetry(onClose: () => void = () => undefined): Promise<void> {
  return new Promise((resolve) => {
    const opened: Prompt = {
      busy: false,
      tryAgain: () => {
        setPrompt({ ...opened, busy: true });
        resolve();
      },
      close: () => {
        setPrompt(null);
        onClose();
      },
    };
    setPrompt(opened);
  });
}

export function closeRetryPrompt(): void {
  if (prompt !== null) setPrompt(null);
}

/** Shows that the next page, or a response, could not be loaded. */
export function RetryPrompt() {
  const shown = useSyncExternalStore(subscribe, readPrompt, () => null);
  if (shown === null) return null;
  // Outside the page, because an open modal dialog hides the page from assistive technology.
  return createPortal(
    <NoConnection busy={shown.busy} onTryAgain={shown.tryAgain} onClose={shown.close} />,
    document.body,
  );
}

function readPrompt(): Prompt | null {
  return prompt;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function setPrompt(next: Prompt | null): void {
  prompt = next;
  for (const listener of listeners) listener();
}
