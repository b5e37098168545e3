import { CodeRefused } from "./fetch-access-code.ts";

/** How long a code stays on the clipboard, and what takes its place. */
const CLIPBOARD_MS = 100;
const NEUTRAL_WORD = "daypass";

export type CopyOutcome =
  | { kind: "copied" }
  /** The browser did not let us copy, or the person wants to see it. */
  | { kind: "by-hand"; code: string }
  | { kind: "refused"; message: string; status: number };

/**
 * Puts a code that is still on its way onto the clipboard, for a moment. Call it in the click itself: browsers allow
 * writing only then, so the clipboard is given the promise rather than the text.
 */
export async function copyAccessCode(code: Promise<string>): Promise<CopyOutcome> {
  try {
    await copyWhenReady(code);
  } catch {
    return codeByHand(code);
  }
  setTimeout(() => void overwriteClipboard(), CLIPBOARD_MS);
  return { kind: "copied" };
}

async function copyWhenReady(text: Promise<string>): Promise<void> {
  try {
    const blob = text.then((ready) => new Blob([ready], { type: "text/plain" }));
    // When the clipboard refuses before it looks at the promise, nobody else would take its failure.
    blob.catch(() => undefined);
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
  } catch {
    // No ClipboardItem here, or one that takes no promise.
    await navigator.clipboard.writeText(await text);
  }
}

/** The code for the person's own eyes and hands; the clipboard is left alone. */
export async function codeByHand(code: Promise<string>): Promise<CopyOutcome> {
  try {
    return { kind: "by-hand", code: await code };
  } catch (error) {
    if (error instanceof CodeRefused)
      return { kind: "refused", message: error.message, status: error.status };
    throw error;
  }
}

async function overwriteClipboard(): Promise<void> {
  // Refused where writing needs a click, or when the page is no longer in front: then the code stays until the next copy.
  await navigator.clipboard.writeText(NEUTRAL_WORD).catch(() => undefined);
}
