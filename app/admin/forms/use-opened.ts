import { useState } from "react";

/** A dialog and what it was opened with. */
export interface Opened<Value> {
  isOpen: boolean;
  /** Stays while the dialog closes, and when the list no longer has it. null before the first opening. */
  value: Value | null;
  /** Another one for each opening: the key of a form that must not keep what was typed before. */
  key: number;
  open(value: Value): void;
  close(): void;
}

export function useOpened<Value>(): Opened<Value> {
  const [state, setState] = useState<Pick<Opened<Value>, "isOpen" | "value" | "key">>({
    isOpen: false,
    value: null,
    key: 0,
  });
  return {
    ...state,
    open: (value) => setState(({ key }) => ({ isOpen: true, value, key: key + 1 })),
    close: () => setState((before) => ({ ...before, isOpen: false })),
  };
}
