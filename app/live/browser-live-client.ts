import { openEventStream } from "./event-stream.ts";
import { createLiveClient, type LiveClient } from "./live-client.ts";

/** After this time without a press, a key or a movement, nobody is taken to be in front of a visible page. */
const UNATTENDED_MS = 60 * 60_000;
const CHECK_MS = 60_000;

let client: LiveClient | undefined;

/** The live updates of this tab. For the browser only: call it in effects. */
export function browserLiveClient(): LiveClient {
  client ??= createInBrowser();
  return client;
}

function createInBrowser(): LiveClient {
  const isSupported = "locks" in navigator && "BroadcastChannel" in window;
  const created = createLiveClient({
    // Browsers without a secure context have no locks.
    locks: isSupported ? navigator.locks : undefined,
    pageAge: () => (isFromHistory() ? Number.POSITIVE_INFINITY : performance.now()),
    openChannel: () => new BroadcastChannel("daypass-live"),
    openStream: (onMessage, onLost) => {
      const stream = openEventStream({ connect: () => new EventSource("/live"), onMessage, onLost });
      const ended = new AbortController();
      window.addEventListener("online", stream.reopen, { signal: ended.signal });
      return {
        reopen: stream.reopen,
        close: () => {
          ended.abort();
          stream.close();
        },
      };
    },
  });
  let lastInput = performance.now();
  const isUnattended = () => performance.now() - lastInput >= UNATTENDED_MS;
  const tellVisibility = () => created.setHidden(document.visibilityState === "hidden" || isUnattended());
  const noteInput = () => {
    const wasUnattended = isUnattended();
    lastInput = performance.now();
    if (wasUnattended) tellVisibility();
  };
  tellVisibility();
  document.addEventListener("visibilitychange", tellVisibility);
  // Its requests would keep the session of an absent admin alive.
  setInterval(tellVisibility, CHECK_MS);
  for (const type of ["pointerdown", "pointermove", "keydown", "wheel"])
    window.addEventListener(type, noteInput, { passive: true });
  // Browsers do not put a page into the back/forward cache while it has a lock or a connection.
  window.addEventListener("pagehide", created.leave);
  window.addEventListener("pageshow", tellVisibility);
  return created;
}

/** The button Back may show a page from the browser's cache, without asking the server. */
function isFromHistory(): boolean {
  const [navigation] = performance.getEntriesByType("navigation");
  return navigation instanceof PerformanceNavigationTiming && navigation.type === "back_forward";
}
