import { useEffect, useRef, useState } from "react";
import { useNavigation, useRevalidator } from "react-router";
import { isTopic, type Topic } from "#core/live/topics.ts";
import { openEventStream } from "../ui/optional-interfaces.ts";
import { createLiveClient, type LiveClient, type LiveStatus } from "./live-client.ts";

/**
 * Loads the data of the page again whenever one of the topics changes, and once after each interruption, such as the
 * time in which the page was hidden. A navigation is not disturbed: loading the data would start it again. On the
 * server it does nothing.
 */
export function useLive(topics: readonly Topic[]): LiveStatus {
  const { revalidate } = useRevalidator();
  const isNavigating = useNavigation().state !== "idle";
  const navigating = useRef(isNavigating);
  const catchUpAfterNavigation = useRef<() => void>(null);
  const [status, setStatus] = useState<LiveStatus>("connecting");
  useEffect(() => {
    navigating.current = isNavigating;
    if (!isNavigating) catchUpAfterNavigation.current?.();
  }, [isNavigating]);
  // The list is a new one in each render.
  const names = topics.join(" ");
  useEffect(() => {
    let isMissed = false;
    const runs = coalesceRuns(async () => {
      isMissed = navigating.current;
      if (!isMissed) await revalidate();
    });
    catchUpAfterNavigation.current = () => {
      if (isMissed) runs.request();
    };
    const unsubscribe = browserLiveClient().subscribe(names.split(" ").filter(isTopic), {
      onChange: runs.request,
      onStatus: setStatus,
    });
    return () => {
      unsubscribe();
      runs.stop();
    };
  }, [names, revalidate]);
  return status;
}

const EVERY_MS = 300;

interface CoalescedRuns {
  /** Runs soon. Requests until then, or during a run, become one run. */
  request(): void;
  stop(): void;
}

/** Runs one at a time, and starts at most one every 300 ms. A request during a run causes another run after it. */
export function coalesceRuns(run: () => Promise<void>): CoalescedRuns {
  let isRunning = false;
  let isRequested = false;
  let lastStart = Number.NEGATIVE_INFINITY;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const start = async () => {
    timer = undefined;
    isRequested = false;
    isRunning = true;
    lastStart = performance.now();
    // A page shows by itself that its data could not be loaded.
    await run().catch(() => undefined);
    isRunning = false;
    if (isRequested) schedule();
  };
  const schedule = () => {
    timer ??= setTimeout(() => void start(), Math.max(0, lastStart + EVERY_MS - performance.now()));
  };
  return {
    request() {
      isRequested = true;
      if (!isRunning) schedule();
    },
    stop() {
      isRequested = false;
      clearTimeout(timer);
      timer = undefined;
    },
  };
}

/** After this time without a press, a key or a movement, a visible page counts as unattended. */
const UNATTENDED_MS = 60 * 60_000;
const CHECK_MS = 60_000;

let client: LiveClient | undefined;

/** The live updates of this tab. For the browser only: call it in effects. */
function browserLiveClient(): LiveClient {
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
