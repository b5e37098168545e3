import { type ExtensionResponse, pasteDataSchema, RESPONSE_TYPE } from "#contracts/page-messages.ts";
import { parseMessage } from "#contracts/parse-message.ts";
import { redeemMessageSchema } from "../page/redeem-message.ts";
import type { Redeemer, RedeemResult } from "./redeemer.ts";

/** Who sent a message, as the browser says it. */
interface Sender {
  id?: string | undefined;
  origin?: string | undefined;
  url?: string | undefined;
}

type Listener = (
  message: unknown,
  sender: Sender,
  respond: (answer: RedeemResult | ExtensionResponse) => void,
) => boolean;

interface MessageEvents {
  addListener(listener: Listener): void;
}

/** The part of `browser.runtime` that is used here. Firefox has no messages from pages. */
export interface Runtime {
  id: string;
  onMessage: MessageEvents;
  onMessageExternal?: MessageEvents | undefined;
}

/**
 * Answers the messages of the content script and, where the browser allows it, of the shop's pages. A message from any
 * other sender, or in any other form, has no answer.
 */
export function listenForMessages(runtime: Runtime, redeemer: Redeemer, shopOrigin: string): void {
  runtime.onMessage.addListener((message, sender, respond) => {
    const parsed = parseMessage(redeemMessageSchema, message);
    if (sender.id !== runtime.id || originOf(sender) !== shopOrigin || parsed === null) return false;
    const { accessCode, ticket, installationId } = parsed;
    void answer(redeemer, { accessCode, ticket, installationId }).then(respond);
    // The answer comes later.
    return true;
  });
  runtime.onMessageExternal?.addListener((message, sender, respond) => {
    const parsed = parseMessage(pasteDataSchema, message);
    if (originOf(sender) !== shopOrigin || parsed === null) return false;
    const { clipboardText, ticket, requestId } = parsed;
    void answer(redeemer, { accessCode: clipboardText, ticket }).then(({ blocked, message: text, limit }) =>
      respond({ type: RESPONSE_TYPE, blocked, message: text, limit, requestId }),
    );
    return true;
  });
}

async function answer(redeemer: Redeemer, request: Parameters<Redeemer["redeem"]>[0]): Promise<RedeemResult> {
  try {
    return await redeemer.redeem(request);
  } catch {
    return { blocked: true, message: "The extension failed. Please try again." };
  }
}

function originOf({ origin, url }: Sender): string | null {
  if (origin !== undefined) return origin;
  return url !== undefined && URL.canParse(url) ? new URL(url).origin : null;
}
