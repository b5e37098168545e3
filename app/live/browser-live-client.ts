import { openEventStream } from "../ui/optional-interfaces.ts";
import { createLiveClient, type LiveClient } from "./live-client.ts";

/** After this time without a press, a key or a movement, a visible page counts as unattended. */
const UNATTENDED_MS = 60 * 60_000;
const CHECK_MS = 60_000;

let client: LiveClient | undefined;

/** The live updates of this tab. For the browser only: call it in effects. */
export function browserLiveClient(): LiveClient {
  client ??= createInBrowser();
  return client;
}

function createInBrowser(): LiveClient {
  const created = createLiveClient({
    openStream: () => openEventStream("/live"),
    pageAge: () => (isFromHistory() ? Number.POSITIVE_INFINITY : performance.now()),
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
  // Browsers do not put a page into the back/forward cache while it has a connection.
  window.addEventListener("pagehide", created.leave);
  window.addEventListener("pageshow", tellVisibility);
  return created;
}

/** The button Back may show a page from the browser's cache, without asking the server. */
function isFromHistory(): boolean {
  const [navigation] = performance.getEntriesByType("navigation");
  return navigation instanceof PerformanceNavigationTiming && navigation.type === "back_forward";
}
