import { useEffect, useRef, useState } from "react";
import { useRevalidator } from "react-router";
import { type CopyOutcome, copyAccessCode } from "./copy-access-code.ts";
import { fetchAccessCode } from "./fetch-access-code.ts";

const COPIED_MS = 2000;
const GOES_HOME_AFTER_MS = 100;

export type CodeState = { kind: "idle" } | { kind: "fetching" } | CopyOutcome;

/** The button of one server: fetches its code when pressed, copies it, and tells what happened. */
export function useAccessCode(slug: string, serverId: string) {
  const [state, setState] = useState<CodeState>({ kind: "idle" });
  const underWay = useRef(false);
  const { revalidate } = useRevalidator();

  useEffect(() => {
    if (state.kind !== "copied") return undefined;
    const timer = setTimeout(() => setState({ kind: "idle" }), COPIED_MS);
    return () => clearTimeout(timer);
  }, [state]);

  async function copy(): Promise<void> {
    // State is a render late: two presses in one frame would both see "idle".
    if (underWay.current) return;
    underWay.current = true;
    setState({ kind: "fetching" });
    const outcome = await copyAccessCode(fetchAccessCode(slug, serverId));
    underWay.current = false;
    setState(outcome);
    if (outcome.kind !== "refused") return;
    // The session has ended: leave with a fresh document, so that nothing of it stays in the page.
    if (outcome.status === 401) setTimeout(() => window.location.assign("/"), GOES_HOME_AFTER_MS);
    // The pass has ended, or the server has no code any more: the page itself shows what is true now.
    if (outcome.status === 403 || outcome.status === 404) await revalidate();
  }

  return { state, copy, reset: () => setState({ kind: "idle" }) };
}
