import { useEffect, useState } from "react";

/**
 * The label of the option that the buyer has chosen; null before. It is kept in the entry of the browser's history, so that
 * a reload and the way back find it.
 */
export function useChosenOption() {
  const [chosen, setChosen] = useState<string | null>(null);
  useEffect(() => {
    const kept: unknown = window.history.state?.option;
    if (typeof kept === "string") setChosen(kept);
  }, []);
  const choose = (label: string) => {
    setChosen(label);
    window.history.replaceState({ ...window.history.state, option: label }, "");
  };
  return [chosen, choose] as const;
}
