import { ToolRequestError } from "./post-tool-request.ts";

/** How long a code stays on the clipboard, and the text that replaces it. */
const CLIPBOARD_MS = 100;
const REPLACEMENT_TEXT = "daypass";

export type CopyOutcome =
  | { kind: "copied" }
  /** The browser refused to copy, or the user asked to see the value. */
  | { kind: "shown"; value: string }
  | { kind: "refused"; message: string; status: number; code: string | null };

/**
 * Copies a value that is still being fetched. Call it synchronously in the click handler: browsers allow writing only then,
 * so the clipboard gets the promise instead of the text.
 */
export async function copyValue(value: Promise<string>): Promise<CopyOutcome> {
  try {
    await copyWhenReady(value);
  } catch {
    return showValue(value);
  }
  return { kind: "copied" };
}

/** Like `copyValue`, and overwrites the clipboard after a moment: for access codes. */
export async function copyAccessCode(code: Promise<string>): Promise<CopyOutcome> {
  const outcome = await copyValue(code);
  if (outcome.kind === "copied") setTimeout(() => void overwriteClipboard(), CLIPBOARD_MS);
  return outcome;
}

async function copyWhenReady(text: Promise<string>): Promise<void> {
  try {
    const blob = text.then((ready) => new Blob([ready], { type: "text/plain" }));
    // Without this, a rejection is unhandled when the clipboard refuses before it reads the promise.
    blob.catch(() => undefined);
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
  } catch {
    // The browser has no ClipboardItem, or one that accepts no promise.
    await navigator.clipboard.writeText(await text);
  }
}

/** Returns the value to be shown to the user, without the clipboard. */
export async function showValue(value: Promise<string>): Promise<CopyOutcome> {
  try {
    return { kind: "shown", value: await value };
  } catch (error) {
    if (error instanceof ToolRequestError) {
      const { message, status, code } = error;
      return { kind: "refused", message, status, code };
    }
    throw error;
  }
}

async function overwriteClipboard(): Promise<void> {
  // Refused by browsers that need a click, or when the page has lost the focus: the code then stays on the clipboard.
  await navigator.clipboard.writeText(REPLACEMENT_TEXT).catch(() => undefined);
}
