import { useEffect, useRef, useState } from "react";
import { useRevalidator } from "react-router";
import { copyText, copyTextWhenReady } from "../ui/optional-interfaces.ts";
import { useAskPassword } from "./password-prompt.tsx";
import { type Revealed, ToolRequestError } from "./post-tool-request.ts";

const REDIRECT_DELAY_MS = 100;

/** What a value is fetched for: to be copied, or to be read and typed. */
export type Purpose = "copy" | "show";

export type RevealState = { kind: "idle" } | { kind: "fetching" } | CopyOutcome;

interface RevealOptions {
  fetchValue: () => Promise<Revealed>;
  copyValue: (value: Promise<string>) => Promise<CopyOutcome>;
  /** How long the button says that the value was copied. */
  copiedLabelMs: number;
  /** The version of the value that the page's data has. */
  pageVersion: string | null;
  /** Runs as soon as a value to be copied has arrived. */
  onFetched?: (revealed: Revealed) => void;
  /** Runs when the user has got the value. */
  onRevealed?: (version: string) => void;
}

/** Fetches a secret of the tool page on request, copies or shows it, and holds the result. */
export function useReveal(options: RevealOptions) {
  const { pageVersion } = options;
  const [state, setState] = useState<RevealState>({ kind: "idle" });
  const [purpose, setPurpose] = useState<Purpose>("copy");
  /** The version that the user got, and the version of the page's data when it was asked for. */
  const [seen, setSeen] = useState<{ version: string; pageVersion: string | null } | null>(null);
  const isFetching = useRef(false);
  const { revalidate } = useRevalidator();
  const { copiedLabelMs } = options;
  const askPassword = useAskPassword();

  useEffect(() => {
    if (state.kind !== "copied") return undefined;
    const timer = setTimeout(() => setState({ kind: "idle" }), copiedLabelMs);
    return () => clearTimeout(timer);
  }, [state, copiedLabelMs]);

  async function request(requested: Purpose): Promise<void> {
    // A ref, because state updates with the next render: two clicks in one frame would both see "idle".
    if (isFetching.current) return;
    isFetching.current = true;
    setPurpose(requested);
    setState({ kind: "fetching" });
    const revealed = options.fetchValue();
    if (requested === "copy") void revealed.then(options.onFetched, () => undefined);
    const value = revealed.then((found) => found.value);
    const outcome = await (requested === "copy" ? options.copyValue(value) : showValue(value));
    isFetching.current = false;
    if (outcome.kind === "refused" && outcome.code === "password-needed") {
      setState({ kind: "idle" });
      askPassword(() => void request(requested));
      return;
    }
    setState(outcome);
    if (outcome.kind !== "refused") {
      const { version } = await revealed;
      setSeen({ version, pageVersion });
      options.onRevealed?.(version);
      return;
    }
    setSeen(null);
    // The session has ended: a full page load removes everything of it from the page.
    if (outcome.status === 401) setTimeout(() => window.location.assign("/"), REDIRECT_DELAY_MS);
    // The pass has ended, or the value is no longer there: reload the page's data.
    if (outcome.status === 403 || outcome.status === 404) await revalidate();
  }

  // The page's data can be older than the value: then it still has the version that it had at the click.
  const isChanged = seen !== null && pageVersion !== seen.version && pageVersion !== seen.pageVersion;
  return {
    // A value that is no longer the right one is not shown any more.
    state: isChanged && state.kind === "shown" ? ({ kind: "idle" } as const) : state,
    purpose,
    hasSeen: seen !== null,
    isChanged: isChanged && state.kind !== "fetching",
    copy: () => request("copy"),
    show: () => request("show"),
    reset: () => setState({ kind: "idle" }),
  };
}

/** How long a code stays on the clipboard, and the text that replaces it. */
const CLIPBOARD_MS = 100;
const REPLACEMENT_TEXT = "daypass";

type CopyOutcome =
  | { kind: "copied" }
  /** The browser refused to copy, or the user asked to see the value. */
  | { kind: "shown"; value: string }
  | { kind: "refused"; message: string; status: number; code: string | null };

/** Copies a value that is still being fetched; shows it where the browser refuses. Call it synchronously in the click handler. */
export async function copyValue(value: Promise<string>): Promise<CopyOutcome> {
  try {
    await copyTextWhenReady(value);
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
  await copyText(REPLACEMENT_TEXT).catch(() => undefined);
}
