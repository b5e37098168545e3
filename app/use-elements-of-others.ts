import { useLayoutEffect, useRef } from "react";
import { isHydrated } from "./ui/hydration.ts";

/** What the server adds to the page beside what its components render. */
const SERVED = "script, link[rel$=modulepreload]";

/**
 * Keeps what extensions of the browser and the development server have added to the page. Hydration removes what the page
 * does not render.
 */
export function useElementsOfOthers(): void {
  const before = useRef<{ parent: Element; element: Element }[]>([]);
  if (typeof document !== "undefined" && !isHydrated()) {
    before.current = [document.head, document.body].flatMap((parent) =>
      [...parent.children].map((element) => ({ parent, element })),
    );
  }
  useLayoutEffect(() => {
    for (const { parent, element } of before.current) {
      if (!element.isConnected && !element.matches(SERVED)) parent.append(element);
    }
    before.current = [];
  }, []);
}
