import { useEffect } from "react";
import { useRevalidator } from "react-router";

/** How often the page asks for the progress of a command that runs, and whether its process is still alive. */
const LOOK_EVERY_MS = 3_000;

/** Loads the data of the page again and again while something runs. */
export function useReloadWhile(isRunning: boolean, everyMs = LOOK_EVERY_MS): void {
  const { revalidate } = useRevalidator();
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => void revalidate(), everyMs);
    return () => clearInterval(timer);
  }, [isRunning, everyMs, revalidate]);
}
