/**
 * Hears messages that were posted to this window by itself, as the content script of the extension does; none of other
 * windows, frames or origins. Anybody may have written a message: the listener parses it.
 *
 * @returns ends the listening
 */
export function listenToOwnWindow(listener: (message: unknown) => void): () => void {
  const receive = (event: MessageEvent<unknown>) => {
    if (event.source !== window || event.origin !== window.location.origin) return;
    listener(event.data);
  };
  window.addEventListener("message", receive);
  return () => window.removeEventListener("message", receive);
}
