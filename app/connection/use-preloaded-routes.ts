import { useEffect } from "react";
import { loadRoutes } from "./route-modules.ts";

/** Where a signed-in buyer goes from any page. One tool's page stands for those of all tools. */
const PATHS = ["/", "/dashboard", "/tools/any", "/tools/chatgpt", "/aihumanizer", "/auth/sign-out"];

/** Loads the code of the signed-in pages once the open page is at rest, so that they open on a poor connection too. */
export function usePreloadedRoutes(signedIn: boolean): void {
  useEffect(() => {
    if (!signedIn) return;
    const stop = new AbortController();
    const load = () => {
      // What does not come now is asked for again on the way there.
      if (!stop.signal.aborted) loadRoutes(PATHS).catch(() => undefined);
    };
    const whenIdle = () => {
      if ("requestIdleCallback" in window) requestIdleCallback(load);
      else setTimeout(load);
    };
    if (document.readyState === "complete") whenIdle();
    else window.addEventListener("load", whenIdle, { once: true, signal: stop.signal });
    return () => stop.abort();
  }, [signedIn]);
}
