import { useEffect } from "react";
import { useRevalidator } from "react-router";

/**
 * One return to a tab fires several events: visibilitychange, focus and pageshow. Within this time they count as one.
 */
const SAME_RETURN_MS = 1_000;

/** Loads the page's data again when the admin returns to its tab or window, or to the page with the back button. */
export function useRefreshOnReturn(): void {
  const { revalidate } = useRevalidator();
  useEffect(() => {
    let lastRefresh = Number.NEGATIVE_INFINITY;
    const refresh = () => {
      const now = performance.now();
      if (document.visibilityState !== "visible" || now - lastRefresh < SAME_RETURN_MS) return;
      lastRefresh = now;
      void revalidate();
    };
    const refreshIfRestored = (event: PageTransitionEvent) => {
      if (event.persisted) refresh();
    };
    window.addEventListener("focus", refresh);
    document.addEventListener("visibilitychange", refresh);
    window.addEventListener("pageshow", refreshIfRestored);
    return () => {
      window.removeEventListener("focus", refresh);
      document.removeEventListener("visibilitychange", refresh);
      window.removeEventListener("pageshow", refreshIfRestored);
    };
  }, [revalidate]);
}
