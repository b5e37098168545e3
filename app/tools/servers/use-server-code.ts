import { useEffect, useRef, useState } from "react";
import { UNTAKEN_CODE } from "#core/tool-pages/rules.ts";
import { useEnglishName } from "../../storefront/tool-logo.tsx";
import { withStorage } from "../../ui/optional-interfaces.ts";
import { rememberExtension } from "../extension/extension-presence.ts";
import {
  type ExtensionOutcome,
  type TriggerRequest,
  triggerExtension,
} from "../extension/trigger-extension.ts";
import { fetchAccessCode } from "../post-tool-request.ts";
import { copyAccessCode, type Purpose, type RevealState, useReveal } from "../use-reveal.ts";

const COPIED_LABEL_MS = 2000;

export interface Server {
  id: string;
  name: string;
  url: string | null;
  /** The version of the code that the server has now; null without a code. */
  codeVersion: string | null;
  /** When this buyer reported this code, within the last hour. */
  reportedAt: Date | null;
  /** How many other buyers reported it within the last day. */
  otherReports: number;
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
  /** A phone or a tablet, where the extension cannot be. */
  isHandheld: boolean;
  /** The shop knows where the tool is, so that the extension opens it. */
  hasLaunchAddress: boolean;
  /** The buyer signs in with an email and a password. A code is then needed only when the tool asks for one. */
  hasCredentials: boolean;
}

/** The access code of one server: shown on request, or copied for a moment and handed to the extension by Click. */
export function useServerCode(server: Server, { slug, toolName, userEmail, extensionId }: ServerPage) {
  const { outcome, trigger, clear } = useExtensionTrigger(extensionId);
  const englishName = useEnglishName(toolName);
  const code = useReveal({
    fetchValue: () => fetchAccessCode(slug, server.id),
    copyValue: copyAccessCode,
    copiedLabelMs: COPIED_LABEL_MS,
    pageVersion: server.codeVersion,
    // Before the code is on the clipboard, and so before the clipboard is overwritten.
    onFetched: ({ value, ticket }) =>
      trigger({ accessCode: value, toolName: englishName, userEmail, ticket }),
  });
  const click = () => {
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
  return { outcome, trigger, clear };
}

/*
 * Which version of a server's code the buyer got in this tab. It outlives a reload, which phones do by themselves while
 * the buyer is in another app. Only the version is stored, which says nothing about the code.
 */

const keyOf = (slug: string, serverId: string) => `daypass.seen.${slug}.${serverId}`;

/** What the page itself knows since it was opened. */
interface Reveal {
  state: RevealState;
  purpose: Purpose;
  hasSeen: boolean;
  isChanged: boolean;
}

/**
 * Whether the buyer got the code that the server has now, or an earlier code. A code that Click copied for a moment, and that
 * the extension did not accept, is not one that the buyer got.
 */
export function useSeenCode(
  slug: string,
  { id, codeVersion }: Server,
  { state, purpose, ...reveal }: Reveal,
  extension: ExtensionOutcome | null,
) {
  const [seenVersion, setSeenVersion] = useState<string | null>(null);
  const isShown = purpose === "show" || state.kind === "shown";
  const isAccepted = extension?.kind === "answered" && !extension.blocked;
  const isCurrent = reveal.hasSeen && !reveal.isChanged && state.kind !== "fetching";
  const seenNow = isCurrent && (isShown || isAccepted);
  useEffect(() => setSeenVersion(readSeenVersion(slug, id)), [slug, id]);
  useEffect(() => {
    if (!seenNow || codeVersion === null || codeVersion === UNTAKEN_CODE) return;
    setSeenVersion(codeVersion);
    storeSeenVersion(slug, id, codeVersion);
  }, [slug, id, seenNow, codeVersion]);
  const changedBefore = !reveal.hasSeen && seenVersion !== null && seenVersion !== codeVersion;
  return {
    hasSeenCode: codeVersion !== null && (seenNow || seenVersion === codeVersion),
    hasCodeChanged: reveal.isChanged || (changedBefore && state.kind === "idle"),
  };
}

function readSeenVersion(slug: string, serverId: string): string | null {
  return withStorage("session", (storage) => storage.getItem(keyOf(slug, serverId)));
}

function storeSeenVersion(slug: string, serverId: string, version: string): void {
  // Where nothing can be stored, the page knows only what it saw itself.
  withStorage("session", (storage) => storage.setItem(keyOf(slug, serverId), version));
}
