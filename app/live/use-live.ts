import { useEffect, useRef, useState } from "react";
import { useNavigation, useRevalidator } from "react-router";
import { isTopic, type Topic } from "#core/live/topics.ts";
import { whenIdle } from "../connection/when-idle.ts";
import type { LiveClient, LiveStatus } from "./live-client.ts";

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
    const listener = { onChange: runs.request, onStatus: setStatus };
    const leave = withLiveClient((client) => client.subscribe(names.split(" ").filter(isTopic), listener));
    return () => {
      leave();
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

const LOAD_AGAIN_MS = 10_000;

/**
 * Calls `subscribe` once the code of the live updates is there, which is loaded when the page is idle, and again when that fails.
 *
 * @returns ends the subscription
 */
function withLiveClient(subscribe: (client: LiveClient) => () => void): () => void {
  let isOver = false;
  let unsubscribe: (() => void) | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const load = async () => {
    try {
      const { browserLiveClient } = await import("./browser-live-client.ts");
      if (!isOver) unsubscribe = subscribe(browserLiveClient());
    } catch {
      if (!isOver) timer = setTimeout(load, LOAD_AGAIN_MS);
    }
  };
  const cancel = whenIdle(() => void load());
  return () => {
    isOver = true;
    cancel();
    clearTimeout(timer);
    unsubscribe?.();
  };
}
