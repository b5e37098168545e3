import { createContext, useCallback, useState } from "react";

/** Keeps what a dialog shows. @returns releases it */
type Hold = () => () => void;

/**
 * For an action: keeps the data of the dialog that it is in, from its request until its answer is handled. The live update
 * of its own change may be faster than its answer, and would replace the form that waits for it.
 */
export const HoldContext = createContext<Hold | null>(null);

/** For the content of a dialog: whether one of its actions runs. */
export function useHold(): { isHeld: boolean; hold: Hold } {
  const [holders, setHolders] = useState(0);
  const hold = useCallback(() => {
    setHolders((count) => count + 1);
    return () => setHolders((count) => count - 1);
  }, []);
  return { isHeld: holders > 0, hold };
}
