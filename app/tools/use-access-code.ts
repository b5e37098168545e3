import { useEffect, useRef, useState } from "react";
import { useRevalidator } from "react-router";
import { type CopyOutcome, copyAccessCode, showAccessCode } from "./copy-access-code.ts";
import { fetchAccessCode } from "./fetch-access-code.ts";

const COPIED_LABEL_MS = 2000;
const REDIRECT_DELAY_MS = 100;

/** What the code is fetched for: to be copied, or to be read and typed. */
export type CodePurpose = "copy" | "show";

export type CodeState = { kind: "idle" } | { kind: "fetching" } | CopyOutcome;

/** Fetches the access code of one server on request, copies or shows it, and holds the result. */
export function useAccessCode(slug: string, serverId: string) {
  const [state, setState] = useState<CodeState>({ kind: "idle" });
  const [purpose, setPurpose] = useState<CodePurpose>("copy");
  const isFetching = useRef(false);
  const { revalidate } = useRevalidator();

  useEffect(() => {
    if (state.kind !== "copied") return undefined;
    const timer = setTimeout(() => setState({ kind: "idle" }), COPIED_LABEL_MS);
    return () => clearTimeout(timer);
  }, [state]);

  async function request(requested: CodePurpose): Promise<void> {
    // A ref, because state updates with the next render: two clicks in one frame would both see "idle".
    if (isFetching.current) return;
    isFetching.current = true;
    setPurpose(requested);
    setState({ kind: "fetching" });
    const code = fetchAccessCode(slug, serverId);
    const outcome = await (requested === "copy" ? copyAccessCode(code) : showAccessCode(code));
    isFetching.current = false;
    setState(outcome);
    if (outcome.kind !== "refused") return;
    // The session has ended: a full page load removes everything of it from the page.
    if (outcome.status === 401) setTimeout(() => window.location.assign("/"), REDIRECT_DELAY_MS);
    // The pass has ended, or the server no longer has a code: reload the page's data.
    if (outcome.status === 403 || outcome.status === 404) await revalidate();
  }

  return {
    state,
    purpose,
    copy: () => request("copy"),
    show: () => request("show"),
    reset: () => setState({ kind: "idle" }),
  };
}
