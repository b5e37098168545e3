import { useEffect, useRef } from "react";
import { useRevalidator } from "react-router";

const CHANNEL_NAME = "daypass-session";

/** Receives who signed in or out on another page of this browser, or that a pass was bought there. */
type Listener = (message: unknown) => void;

const listeners = new Set<Listener>();
let channel: BroadcastChannel | null = null;

/**
 * Adds a listener to the messages of the other pages of this browser. All listeners of a page share one channel: a
 * BroadcastChannel does not receive its own messages, but a second one of the same page would.
 *
 * @returns removes the listener; the channel closes with its last listener, so that the browser can release a left page
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

/** Sends a message to the other pages of this browser. Does nothing while this page has no listener. */
export function notifyOtherPages(message: string | null): void {
  channel?.postMessage(message);
}

function openChannel(): BroadcastChannel {
  const opened = new BroadcastChannel(CHANNEL_NAME);
  opened.onmessage = ({ data }: MessageEvent<unknown>) => {
    for (const listener of [...listeners]) listener(data);
  };
  return opened;
}

/**
 * Keeps the open pages of this browser up to date. A page loads its data again when another page reports a sign-in, a
 * sign-out or a bought pass, and when the browser restores it from its cache.
 *
 * @param identity the email address of the signed-in user; null for a visitor
 */
export function useSessionSync(identity: string | null): void {
  const { revalidate } = useRevalidator();
  const knownIdentity = useRef(identity);

  useEffect(() => {
    const stopListening = listenToOtherPages((message) => {
      if (message !== knownIdentity.current) void revalidate();
    });
    const onPageShow = ({ persisted }: PageTransitionEvent) => {
      if (persisted) void revalidate();
    };
    window.addEventListener("pageshow", onPageShow);
    return () => {
      stopListening();
      window.removeEventListener("pageshow", onPageShow);
    };
  }, [revalidate]);

  useEffect(() => {
    if (knownIdentity.current === identity) return;
    knownIdentity.current = identity;
    notifyOtherPages(identity);
  }, [identity]);
}
