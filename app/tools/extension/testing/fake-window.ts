import { vi } from "vitest";

const ORIGIN = "https://shop.example";

/**
 * A window that delivers messages at once. It is the global `window` until `vi.unstubAllGlobals`.
 *
 * @param chrome what the browser offers to the page
 */
export function stubWindow(chrome?: object) {
  const listeners = new Set<(event: object) => void>();
  const posted: { message: unknown; target: string }[] = [];
  const fake = {
    location: { origin: ORIGIN },
    chrome,
    addEventListener: (_type: string, listener: (event: object) => void) => listeners.add(listener),
    removeEventListener: (_type: string, listener: (event: object) => void) => listeners.delete(listener),
    postMessage: (message: unknown, target: string) => void posted.push({ message, target }),
  };
  vi.stubGlobal("window", fake);
  return {
    posted,
    listeners,
    /** Delivers a message; of the own window and origin unless said otherwise. */
    receive: (
      data: unknown,
      { source = fake, origin = ORIGIN }: { source?: object | null; origin?: string } = {},
    ) => {
      for (const listener of [...listeners]) listener({ data, source, origin });
    },
  };
}
