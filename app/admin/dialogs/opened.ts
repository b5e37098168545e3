import { useState } from "react";

/** A dialog and what it was opened with. */
export interface Opened<Value> {
  isOpen: boolean;
  /** As it was when the dialog was opened. It stays while the dialog closes, and when the list no longer has it. */
  value: Value | null;
  /** As it is now; null when it is not known. */
  current: Value | null;
  /** Another one for each opening: the key of a form that must not keep what was typed before. */
  key: number;
  /** Whether the dialog has an address, so that the browser's history closes it. */
  isAddressed: boolean;
  open(value: Value | null): void;
  close(): void;
}

/** A question that is a part of a dialog, and has no address of its own. */
export function useOpened<Value>(): Opened<Value> {
  const [state, setState] = useState<Pick<Opened<Value>, "isOpen" | "value" | "key">>({
    isOpen: false,
    value: null,
    key: 0,
  });
  return {
    ...state,
    current: null,
    isAddressed: false,
    open: (value) => setState(({ key }) => ({ isOpen: true, value, key: key + 1 })),
    close: () => setState((before) => ({ ...before, isOpen: false })),
  };
}
