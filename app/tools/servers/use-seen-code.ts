import { useEffect, useState } from "react";
import { UNTAKEN_CODE } from "#core/tool-pages/untaken-code.ts";
import type { ExtensionOutcome } from "../extension/trigger-extension.ts";
import type { Purpose, RevealState } from "../use-reveal.ts";
import type { Server } from "./use-server-code.ts";

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
 * Whether the buyer got the code that the server has now, or an earlier one. A code that Click copied for a moment, and that
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
  try {
    return sessionStorage.getItem(keyOf(slug, serverId));
  } catch {
    return null;
  }
}

function storeSeenVersion(slug: string, serverId: string, version: string): void {
  try {
    sessionStorage.setItem(keyOf(slug, serverId), version);
  } catch {
    // Nothing can be stored: the page then knows only what it saw itself.
  }
}
