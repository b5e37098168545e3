import { useEffect, useRef } from "react";
import { useRevalidator } from "react-router";

const CHANNEL = "daypass-session";

/**
 * Keeps every open page of this browser in step: when this one learns that somebody signed in or out, the others load
 * their data again; and so does a page the browser brings back as it was left.
 *
 * @param identity who is signed in here, null for nobody
 */
export function useSessionSync(identity: string | null): void {
  const { revalidate } = useRevalidator();
  const known = useRef(identity);
  const channel = useRef<BroadcastChannel | null>(null);

  useEffect(() => {
    const opened = new BroadcastChannel(CHANNEL);
    channel.current = opened;
    const refresh = () => void revalidate();
    opened.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (data !== known.current) refresh();
    };
    const onShow = ({ persisted }: PageTransitionEvent) => {
      if (persisted) refresh();
    };
    window.addEventListener("pageshow", onShow);
    return () => {
      opened.close();
      window.removeEventListener("pageshow", onShow);
    };
  }, [revalidate]);

  useEffect(() => {
    if (known.current === identity) return;
    known.current = identity;
    channel.current?.postMessage(identity);
  }, [identity]);
}
