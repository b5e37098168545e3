import { useEffect, useState } from "react";

const STORAGE_KEY = "daypass-admin-overview";
const WIDE = "(min-width: 720px)";

/**
 * Whether the overview is open. What the person chose last in this browser counts on every tab. Until then it is open on the
 * first tab of a wide window only, so that the lists of the other tabs start near the top.
 *
 * @returns `isKnown`: false until the browser has been asked
 */
export function useOverviewFold(isFirstTab: boolean) {
  const [state, setState] = useState({ isOpen: false, isKnown: false });
  useEffect(() => {
    const chosen = readChoice();
    const isOpen = chosen === null ? isFirstTab && window.matchMedia(WIDE).matches : chosen === "open";
    setState({ isOpen, isKnown: true });
  }, [isFirstTab]);
  return {
    ...state,
    toggle: (isOpen: boolean) => {
      setState({ isOpen, isKnown: true });
      storeChoice(isOpen ? "open" : "folded");
    },
  };
}

function readChoice(): string | null {
  try {
    return window.localStorage.getItem(STORAGE_KEY);
  } catch {
    // The browser refuses storage. The choice is then forgotten.
    return null;
  }
}

function storeChoice(choice: "open" | "folded"): void {
  try {
    window.localStorage.setItem(STORAGE_KEY, choice);
  } catch {
    // As above.
  }
}
