import { useEffect, useState } from "react";
import { useRevalidator } from "react-router";
import { isTopic, type Topic } from "#core/live/topics.ts";
import { browserLiveClient } from "./browser-live-client.ts";
import { coalesceRuns } from "./coalesce-runs.ts";
import type { LiveStatus } from "./live-client.ts";

/**
 * Loads the data of the page again whenever one of the topics changes, and once after each interruption. A hidden page waits
 * until it is shown. On the server it does nothing.
 */
export function useLive(topics: readonly Topic[]): LiveStatus {
  const { revalidate } = useRevalidator();
  const [status, setStatus] = useState<LiveStatus>("connecting");
  // The list is a new one in each render.
  const names = topics.join(" ");
  useEffect(() => {
    const runs = coalesceRuns(revalidate);
    let isMissed = false;
    const loadWhenVisible = () => {
      isMissed = document.visibilityState === "hidden";
      if (!isMissed) runs.request();
    };
    const catchUp = () => {
      if (isMissed) loadWhenVisible();
    };
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
