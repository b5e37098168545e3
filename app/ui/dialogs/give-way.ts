import { useEffect, useRef } from "react";

/** What closes each open dialog that gives way to another dialog. */
const closers = new Set<() => void>();

/** Closes the dialogs that are open, so that another dialog can take their place: not dialogs that stay, and no locked dialog. */
export function closeOpenDialogs(): void {
  for (const close of [...closers].reverse()) close();
}

/** While the dialog is open, `closeOpenDialogs` closes it. */
export function useGivesWay(isOpen: boolean, close: () => void): void {
  const latest = useRef(close);
  useEffect(() => {
    latest.current = close;
  });
  useEffect(() => {
    if (!isOpen) return;
    const run = () => latest.current();
    closers.add(run);
    return () => void closers.delete(run);
  }, [isOpen]);
}
