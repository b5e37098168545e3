import { useEffect, useRef, useState } from "react";
import { canReachExtension, rememberExtension } from "../extension/extension-presence.ts";
import {
  type ExtensionOutcome,
  type TriggerRequest,
  triggerExtension,
} from "../extension/trigger-extension.ts";
import { fetchAccessCode } from "../post-tool-request.ts";
import { copyAccessCode, useReveal } from "../use-reveal.ts";

const COPIED_LABEL_MS = 2000;

export interface Server {
  id: string;
  name: string;
  url: string | null;
  /** Of the code that the server has now; null without a code. */
  codeVersion: string | null;
  /** When this buyer reported this code, within the last hour. */
  reportedAt: Date | null;
}

/** What the rows of a tool page share. */
export interface ServerPage {
  slug: string;
  toolName: string;
  userEmail: string;
  /** For direct messages to the extension. */
  extensionId: string;
  canReport: boolean;
  /** The tool does not work on a phone. */
  isForComputers: boolean;
  timeZone: string;
}

/** The access code of one server: shown on request, or copied for a moment and handed to the extension by Click. */
export function useServerCode(server: Server, { slug, toolName, userEmail, extensionId }: ServerPage) {
  const { outcome, trigger, clear, refuse } = useExtensionTrigger(extensionId);
  const code = useReveal({
    fetchValue: () => fetchAccessCode(slug, server.id),
    copyValue: copyAccessCode,
    copiedLabelMs: COPIED_LABEL_MS,
    pageVersion: server.codeVersion,
    // Before the code is on the clipboard, and so before the clipboard is overwritten.
    onFetched: ({ value, ticket }) => trigger({ accessCode: value, toolName, userEmail, ticket }),
  });
  const click = () => {
    if (!canReachExtension()) return refuse();
    // While the code is being fetched, also to be shown, a click fetches nothing: the last answer stays.
    if (code.state.kind !== "fetching") clear();
    void code.copy();
  };
  return { code, extension: outcome, click };
}

/** Hands access codes of one server to the browser extension, and holds what it answered to the last one. */
function useExtensionTrigger(extensionId: string) {
  const [outcome, setOutcome] = useState<ExtensionOutcome | null>(null);
  const stop = useRef<() => void>(() => undefined);
  useEffect(() => () => stop.current(), []);

  const clear = () => {
    stop.current();
    setOutcome(null);
  };
  const trigger = (request: TriggerRequest) => {
    clear();
    stop.current = triggerExtension(request, extensionId, (received) => {
      rememberExtension(received.kind === "answered");
      setOutcome(received);
    });
  };
  const refuse = () => {
    clear();
    setOutcome({ kind: "impossible" });
  };
  return { outcome, trigger, clear, refuse };
}
