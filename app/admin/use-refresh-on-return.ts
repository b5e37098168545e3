import { useEffect } from "react";
import { useRevalidator } from "react-router";

/** Coming back to a tab is told more than once: as visibility, as focus, and as a page shown from the browser's cache. */
const ONE_RETURN_MS = 1_000;

/** Reads the page's data anew when the person comes back to its tab or window, or to the page by the back button. */
export function useRefreshOnReturn(): void {
  const { revalidate } = useRevalidator();
  useEffect(() => {
    let last = Number.NEGATIVE_INFINITY;
    const refresh = () => {
      const now = performance.now();
      if (document.visibilityState !== "visible" || now - last < ONE_RETURN_MS) return;
      last = now;
      void revalidate();
    };
    const refreshIfKept = (event: PageTransitionEvent) => {
      if (event.persisted) refresh();
    };
    window.addEventListener("focus", refresh);
    document.addEventListener("visibilitychange", refresh);
    window.addEventListener("pageshow", refreshIfKept);
    return () => {
      window.removeEventListener("focus", refresh);
      document.removeEventListener("visibilitychange", refresh);
      window.removeEventListener("pageshow", refreshIfKept);
    };
  }, [revalidate]);
}
