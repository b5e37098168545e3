const NAME = "daypass-session";

/** A message from another page of this browser: who is signed in there now, or that a pass was bought there. */
type Listener = (message: unknown) => void;

const listeners = new Set<Listener>();
let channel: BroadcastChannel | null = null;

/**
 * The only channel of this page to the other pages of this browser. A BroadcastChannel does not hear its own messages,
 * but a second one with the same name in the same page does: with one each, a page would answer its own news.
 *
 * @returns ends the listening; the channel closes with its last listener, so that it does not hold a page that is left
 */
export function listenToOtherPages(listener: Listener): () => void {
  listeners.add(listener);
  channel ??= openChannel();
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    channel?.close();
    channel = null;
  };
}

/** Tells the other pages of this browser, and not this one. Does nothing while nobody here listens. */
export function tellOtherPages(message: string | null): void {
  channel?.postMessage(message);
}

function openChannel(): BroadcastChannel {
  const opened = new BroadcastChannel(NAME);
  opened.onmessage = ({ data }: MessageEvent<unknown>) => {
    for (const listener of [...listeners]) listener(data);
  };
  return opened;
}
