import { useEffect, useState } from "react";

/** A faster navigation shows no skeleton. */
const SKELETON_DELAY_MS = 120;

/** Whether something has been pending for so long that a skeleton is better than the old content. */
export function useSlow(isPending: boolean): boolean {
  const [delayOver, setDelayOver] = useState(false);
  useEffect(() => {
    if (!isPending) return;
    const timer = setTimeout(() => setDelayOver(true), SKELETON_DELAY_MS);
    return () => {
      clearTimeout(timer);
      setDelayOver(false);
    };
  }, [isPending]);
  return isPending && delayOver;
}
