import {
  DEFAULT_BLOCK_MESSAGE,
  EXTENSION_TIMEOUT_MS,
  type PasteData,
  responseSchema,
  TRIGGER_TYPE,
  type Trigger,
} from "#contracts/page-messages.ts";
import { parseMessage } from "#contracts/parse-message.ts";
import { listenToOwnWindow } from "./extension-presence.ts";

/** After this time without an answer the extension is also asked directly. */
const DIRECT_MESSAGE_MS = 1000;

export type ExtensionOutcome =
  | { kind: "answered"; blocked: boolean; message: string; limit: number | null }
  /** Nobody answered: the extension is not installed here, or it does not work. */
  | { kind: "missing" };

/** What the extension is asked to redeem. It uses only the code and the ticket. */
export interface TriggerRequest {
  accessCode: string;
  toolName: string;
  userEmail: string;
  ticket: string | null;
}

/**
 * Asks the browser extension to redeem an access code, and waits for its answer.
 *
 * @param extensionId for the direct message
 * @param onOutcome called once, at the latest after 10 seconds
 * @returns ends the waiting
 */
export function triggerExtension(
  { ticket, ...request }: TriggerRequest,
  extensionId: string,
  onOutcome: (outcome: ExtensionOutcome) => void,
): () => void {
  const requestId = `page-${Math.random().toString(36).slice(2)}`;
  const sent = { ...request, requestId, ...(ticket !== null && { ticket }) };
  const accept = (answer: unknown) => {
    const response = parseMessage(responseSchema, answer);
    if (response === null) return;
    const { blocked, message: text, limit = null, requestId: answered = requestId } = response;
    if (answered !== requestId) return;
    stop();
    const message = text.trim() || (blocked ? DEFAULT_BLOCK_MESSAGE : "");
    onOutcome({ kind: "answered", blocked, message, limit });
  };
  const stopListening = listenToOwnWindow(accept);
  const direct = setTimeout(() => {
    const { accessCode, ...same } = sent;
    sendDirectMessage(
      extensionId,
      { action: "processPasteData", clipboardText: accessCode, ...same },
      accept,
    );
  }, DIRECT_MESSAGE_MS);
  const timeout = setTimeout(() => {
    stop();
    onOutcome({ kind: "missing" });
  }, EXTENSION_TIMEOUT_MS);
  function stop() {
    stopListening();
    clearTimeout(direct);
    clearTimeout(timeout);
  }
  const trigger: Trigger = { type: TRIGGER_TYPE, ...sent };
  window.postMessage(trigger, window.location.origin);
  return stop;
}

/**
 * Sends a message to the extension itself, where the browser offers that to the page (Chrome does, for the pages that the
 * extension names). Does nothing elsewhere.
 *
 * @param onAnswer gets what the extension answers; the caller parses it
 */
function sendDirectMessage(
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
