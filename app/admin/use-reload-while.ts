import { useEffect } from "react";
import { useRevalidator } from "react-router";

/** Often enough for a command that runs: it shows its progress, and whether its process is still alive. */
const LOOK_EVERY_MS = 3_000;

/** Loads the data of the page again and again while something runs. @param everyMs the pause in between */
export function useReloadWhile(isRunning: boolean, everyMs = LOOK_EVERY_MS): void {
  const { revalidate } = useRevalidator();
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => void revalidate(), everyMs);
    return () => clearInterval(timer);
  }, [isRunning, everyMs, revalidate]);
}
