import { useEffect } from "react";
import { useRevalidator } from "react-router";

/** While a command runs, the page looks this often how far it is, and whether its process is still there. */
const LOOK_EVERY_MS = 3_000;

/** Loads the data of the page again and again while something runs. */
export function useReloadWhile(isRunning: boolean): void {
  const { revalidate } = useRevalidator();
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => void revalidate(), LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, [isRunning, revalidate]);
}
