import { useEffect, useRef, useState } from "react";
import { useNavigation, useRevalidator } from "react-router";
import { isTopic, type Topic } from "#core/live/topics.ts";
import { browserLiveClient } from "./browser-live-client.ts";
import { coalesceRuns } from "./coalesce-runs.ts";
import type { LiveStatus } from "./live-client.ts";

/**
 * Loads the data of the page again whenever one of the topics changes, and once after each interruption. A hidden page waits
 * until it is shown, and a navigation is not disturbed: loading the data would start it again. On the server it does nothing.
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
    const loadWhenVisible = () => {
      isMissed = document.visibilityState === "hidden";
      if (!isMissed) runs.request();
    };
    const catchUp = () => {
      if (isMissed) loadWhenVisible();
    };
    catchUpAfterNavigation.current = catchUp;
    document.addEventListener("visibilitychange", catchUp);
    const unsubscribe = browserLiveClient().subscribe(names.split(" ").filter(isTopic), {
      onChange: loadWhenVisible,
      onStatus: setStatus,
    });
    return () => {
      document.removeEventListener("visibilitychange", catchUp);
      unsubscribe();
      runs.stop();
    };
  }, [names, revalidate]);
  return status;
}
