import { useCallback, useEffect, useRef } from "react";

/** Shared with what keeps open pages in step with the session: any message there makes other pages load again. */
const CHANNEL = "daypass-session";

/** Hears when another tab signed in or out or bought something. @returns tells the others that this one bought */
export function useSessionNews(onNews: () => void): () => void {
  const channel = useRef<BroadcastChannel | null>(null);

  useEffect(() => {
    const opened = new BroadcastChannel(CHANNEL);
    channel.current = opened;
    opened.onmessage = onNews;
    return () => {
      opened.close();
      channel.current = null;
    };
  }, [onNews]);

  return useCallback(() => channel.current?.postMessage("bought"), []);
}
