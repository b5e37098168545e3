import { useEffect } from "react";
import { loadRoutes } from "./route-modules.ts";

/** The pages that a signed-in buyer can reach from any page. The pages of all tools share the module of one. */
const PATHS = [
  "/",
  "/dashboard",
  "/account",
  "/account/orders/any",
  "/tools/any",
  "/aihumanizer",
  "/auth/sign-out",
];

/** Loads the code of the signed-in pages when the browser is idle, so that they also open on a poor connection. */
export function usePreloadedRoutes(signedIn: boolean): void {
  useEffect(() => {
    if (!signedIn) return;
    const stop = new AbortController();
    const load = () => {
      // A module that cannot be loaded now is loaded by the navigation.
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
