import { useEffect, useRef } from "react";
import { useRevalidator } from "react-router";
import { listenToOtherPages, tellOtherPages } from "./session-sync.ts";

/**
 * Keeps every open page of this browser in step: when another page says that somebody signed in or out, or bought a
 * pass, this one loads its data again; and so does a page the browser brings back as it was left.
 *
 * @param identity who is signed in here, null for nobody
 */
export function useSessionSync(identity: string | null): void {
  const { revalidate } = useRevalidator();
  const known = useRef(identity);

  useEffect(() => {
    const stopListening = listenToOtherPages((message) => {
      if (message !== known.current) void revalidate();
    });
    const onShow = ({ persisted }: PageTransitionEvent) => {
      if (persisted) void revalidate();
    };
    window.addEventListener("pageshow", onShow);
    return () => {
      stopListening();
      window.removeEventListener("pageshow", onShow);
    };
  }, [revalidate]);

  useEffect(() => {
    if (known.current === identity) return;
    known.current = identity;
    tellOtherPages(identity);
  }, [identity]);
}
