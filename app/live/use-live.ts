import { useEffect, useRef, useState } from "react";
import { useNavigation, useRevalidator } from "react-router";
import { isTopic, type Topic } from "#core/live/topics.ts";
import { browserLiveClient } from "./browser-live-client.ts";
import { coalesceRuns } from "./coalesce-runs.ts";
import type { LiveStatus } from "./live-client.ts";

/**
 * Loads the data of the page again whenever one of the topics changes, and once after each interruption; a page
 * that is hidden has one. A navigation is not disturbed: loading the data would start it again. On the server it does nothing.
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
