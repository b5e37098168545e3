import { createContext, use, useCallback, useEffect, useState } from "react";

/** Keeps what a dialog shows. @returns releases it */
type Hold = () => () => void;

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

/**
 * For an action: keeps the data of the dialog that it is in until its answer is handled. The live update of its own
 * change may be faster than its answer, and would replace the form that waits for it.
 */
export function useHoldWhile(busy: boolean): void {
  const hold = use(HoldContext);
  useEffect(() => (busy ? hold?.() : undefined), [busy, hold]);
}
