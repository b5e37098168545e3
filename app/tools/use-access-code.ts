import { useEffect, useRef, useState } from "react";
import { useRevalidator } from "react-router";
import { type CopyOutcome, codeByHand, copyAccessCode } from "./copy-access-code.ts";
import { fetchAccessCode } from "./fetch-access-code.ts";

const COPIED_MS = 2000;
const GOES_HOME_AFTER_MS = 100;

/** What a code is fetched for: to be copied, or to be read and typed. */
export type CodeUse = "copy" | "show";

export type CodeState = { kind: "idle" } | { kind: "fetching" } | CopyOutcome;

/** The buttons of one server: fetch its code when pressed, copy or show it, and tell what happened. */
export function useAccessCode(slug: string, serverId: string) {
  const [state, setState] = useState<CodeState>({ kind: "idle" });
  const [use, setUse] = useState<CodeUse>("copy");
  const underWay = useRef(false);
  const { revalidate } = useRevalidator();

  useEffect(() => {
    if (state.kind !== "copied") return undefined;
    const timer = setTimeout(() => setState({ kind: "idle" }), COPIED_MS);
    return () => clearTimeout(timer);
  }, [state]);

  async function request(wanted: CodeUse): Promise<void> {
    // State is a render late: two presses in one frame would both see "idle".
    if (underWay.current) return;
    underWay.current = true;
    setUse(wanted);
    setState({ kind: "fetching" });
    const code = fetchAccessCode(slug, serverId);
    const outcome = await (wanted === "copy" ? copyAccessCode(code) : codeByHand(code));
    underWay.current = false;
    setState(outcome);
    if (outcome.kind !== "refused") return;
    // The session has ended: leave with a fresh document, so that nothing of it stays in the page.
    if (outcome.status === 401) setTimeout(() => window.location.assign("/"), GOES_HOME_AFTER_MS);
    // The pass has ended, or the server has no code any more: the page itself shows what is true now.
    if (outcome.status === 403 || outcome.status === 404) await revalidate();
  }

  return {
    state,
    use,
    copy: () => request("copy"),
    show: () => request("show"),
    reset: () => setState({ kind: "idle" }),
  };
}
