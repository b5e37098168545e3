import { useEffect, useRef, useState } from "react";

/** A revealed password is hidden again after this time. */
const REVEALED_MS = 60_000;

interface Row {
  id: string;
  version: number;
}

export interface RevealedPasswords {
  /** undefined: hidden. A password of an older version of the row is not shown. */
  of(row: Row): string | undefined;
  show(row: Row, password: string): void;
  hide(row: Row): void;
}

/** The passwords that are shown at the moment. They are kept in this page only. */
export function useRevealedPasswords(): RevealedPasswords {
  const [shown, setShown] = useState<ReadonlyMap<string, string>>(new Map());
  const timers = useRef(new Map<string, ReturnType<typeof setTimeout>>());

  useEffect(() => {
    const running = timers.current;
    return () => {
      for (const timer of running.values()) clearTimeout(timer);
    };
  }, []);

  const keyOf = ({ id, version }: Row) => `${id} ${version}`;
  const hide = (row: Row) => {
    const key = keyOf(row);
    clearTimeout(timers.current.get(key));
    timers.current.delete(key);
    setShown((before) => new Map([...before].filter(([other]) => other !== key)));
  };
  return {
    of: (row) => shown.get(keyOf(row)),
    show: (row, password) => {
      const key = keyOf(row);
      setShown((before) => new Map(before).set(key, password));
      clearTimeout(timers.current.get(key));
      timers.current.set(
        key,
        setTimeout(() => hide(row), REVEALED_MS),
      );
    },
    hide,
  };
}
