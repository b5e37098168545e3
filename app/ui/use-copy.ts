import { useEffect, useState } from "react";
import { copyText } from "./optional-interfaces.ts";

/** `copied` for a moment; `refused` until the next attempt. */
export type CopyState = "idle" | "copied" | "refused";

interface CopyOptions {
  /** How long the state stays `copied`; two seconds by default. */
  copiedMs?: number;
  initial?: CopyState;
}

/** Copies a text to the clipboard, and says for a moment that it is copied. */
export function useCopy(text: string, { copiedMs = 2000, initial = "idle" }: CopyOptions = {}) {
  const [state, setState] = useState<CopyState>(initial);
  useEffect(() => {
    if (state !== "copied") return;
    const timer = setTimeout(() => setState("idle"), copiedMs);
    return () => clearTimeout(timer);
  }, [state, copiedMs]);

  /** @returns whether the browser allowed it */
  async function copy(): Promise<boolean> {
    try {
      await copyText(text);
      setState("copied");
      return true;
    } catch {
      setState("refused");
      return false;
    }
  }
  return { state, copy };
}
