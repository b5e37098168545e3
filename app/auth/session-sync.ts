import { useEffect, useRef } from "react";
import { useRevalidator } from "react-router";
import { listenToOtherPages, notifyOtherPages } from "../live/page-channel.ts";

/**
 * Keeps the open pages of this browser up to date. A page loads its data again when another page reports a sign-in, a
 * sign-out or a bought pass, and when the browser restores it from its cache.
 *
 * @param identity the email address of the signed-in user; null for a visitor
 */
export function useSessionSync(identity: string | null): void {
  const { revalidate } = useRevalidator();
  const knownIdentity = useRef(identity);

  useEffect(() => {
    const stopListening = listenToOtherPages((message) => {
      if (message !== knownIdentity.current) void revalidate();
    });
    const onPageShow = ({ persisted }: PageTransitionEvent) => {
      if (persisted) void revalidate();
    };
    window.addEventListener("pageshow", onPageShow);
    return () => {
      stopListening();
      window.removeEventListener("pageshow", onPageShow);
    };
  }, [revalidate]);

  useEffect(() => {
    if (knownIdentity.current === identity) return;
    knownIdentity.current = identity;
    notifyOtherPages(identity);
  }, [identity]);
}
