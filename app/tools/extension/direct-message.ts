import type { PasteData } from "#contracts/page-messages.ts";

/**
 * Sends a message to the extension itself, where the browser offers that to the page (Chrome does, for the pages that the
 * extension names). Does nothing elsewhere.
 *
 * @param onAnswer gets what the extension answers; the caller parses it
 */
export function sendDirectMessage(
  extensionId: string,
  message: PasteData,
  onAnswer: (answer: unknown) => void,
): void {
  const runtime = propertyOf(propertyOf(window, "chrome"), "runtime");
  const send = propertyOf(runtime, "sendMessage");
  if (typeof send !== "function") return;
  const receive = (answer: unknown) => {
    // Reading the error tells the browser that it is expected: the extension is not installed.
    propertyOf(runtime, "lastError");
    onAnswer(answer);
  };
  try {
    Reflect.apply(send, runtime, [extensionId, message, receive]);
  } catch {
    // An invalid id, or an extension that was updated while the page was open.
  }
}

function propertyOf(owner: unknown, name: string): unknown {
  return typeof owner === "object" && owner !== null ? Reflect.get(owner, name) : undefined;
}
