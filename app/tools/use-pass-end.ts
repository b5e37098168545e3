import { useEffect } from "react";
import { useRevalidator } from "react-router";
import { useNow } from "../ui/time/use-now.ts";

/**
 * Whether the pass of an open page has ended. At that moment the page's data is loaded again, because another pass may have
 * started.
 *
 * @param expiresAt null: access without an end
 * @param now the time of rendering on the server
 */
export function useHasPassEnded(expiresAt: Date | null, now: Date): boolean {
  const { revalidate } = useRevalidator();
  const hasEnded = useNow(now, expiresAt ?? now) >= (expiresAt ?? Number.POSITIVE_INFINITY);
  useEffect(() => {
    if (hasEnded) void revalidate();
  }, [hasEnded, revalidate]);
  return hasEnded;
}
