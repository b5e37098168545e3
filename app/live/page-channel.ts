import { openChannel } from "../ui/optional-interfaces.ts";

/** The BroadcastChannel on which the pages of a browser tell each other about sign-ins and purchases. */
export const SESSION_CHANNEL = "daypass-session";

/** Receives who signed in or out on another page of this browser, or that a pass was bought there. */
type Listener = (message: unknown) => void;

const listeners = new Set<Listener>();
let channel: BroadcastChannel | null = null;

/**
 * Adds a listener to the messages of the other pages of this browser. All listeners of a page share one channel: a
 * BroadcastChannel does not receive its own messages, but a second one of the same page would. Without it, the pages learn
 * nothing from each other.
 *
 * @returns removes the listener; the channel closes with its last listener, so that the browser can release a left page
 */
export function listenToOtherPages(listener: Listener): () => void {
  listeners.add(listener);
  channel ??= joinChannel();
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    channel?.close();
    channel = null;
  };
}

/** Sends a message to the other pages of this browser. Does nothing while this page has no listener. */
export function notifyOtherPages(message: string | null): void {
  channel?.postMessage(message);
}

function joinChannel(): BroadcastChannel | null {
  const opened = openChannel(SESSION_CHANNEL);
  opened?.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
    for (const listener of [...listeners]) listener(data);
  });
  return opened;
}
