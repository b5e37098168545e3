import ArrowLeft from "lucide-react/icons/arrow-left";
import { useCallback, useEffect, useRef, useState } from "react";
import { messageForCode } from "../../errors/error-messages.ts";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { LazyDialog } from "../../ui/dialogs/lazy-dialog.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { type Message, t } from "../../ui/texts/texts.ts";
import { loadTroubleshooter, TroubleshooterButton } from "../troubleshooter/troubleshooter-button.tsx";
import { ChooserView, type ChosenTool } from "./chooser-view.tsx";
import { EMPTY_DRAFT, EmailView, ResetView, SignUpView } from "./email-views.tsx";
import type { SignInEvent, SignInState, SignInView } from "./sign-in-machine.ts";

const TITLES = {
  chooser: "Welcome",
  signin: "Sign in",
  signup: "Create account",
  "reset-password": "Reset password",
} as const satisfies Record<SignInView, Message>;

interface SignInDialogProps {
  view: SignInState;
  dispatch: (event: SignInEvent) => void;
  /** The tool that the visitor signs in for; null when there is none. */
  tool: ChosenTool | null;
  /** Why somebody has to sign in, in one sentence; null when there is nothing to say. */
  reason: string | null;
  /** Why a sign-in with Google failed before this page was loaded. */
  failure: string | null;
}

/**
 * The sign-in dialog. Its views share a draft, which is cleared when the dialog closes. After a failure it leads to the
 * troubleshooter, which takes its place and stays when a test there has signed somebody in.
 */
export function SignInDialog({ view, dispatch, tool, reason, failure }: SignInDialogProps) {
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const [failed, setFailed] = useState(false);
  const [troubleshooter, setTroubleshooter] = useState<"unused" | "open" | "closed">("unused");
  const onFailure = useCallback(() => setFailed(true), []);
  const initialFocusRef = useRef<HTMLElement | null>(null);
  // The last view stays visible while the closing dialog fades out.
  const [shownView, setShownView] = useState<SignInView>(view ?? "chooser");
  if (view !== null && view !== shownView) setShownView(view);

  const lastView = useRef<SignInView | null>(null);
  useEffect(() => {
    const isFirst = lastView.current === null;
    lastView.current = view;
    // The dialog focuses the first view itself, and remembers which element had the focus before.
    if (view !== null) return isFirst ? undefined : initialFocusRef.current?.focus();
    setDraft(EMPTY_DRAFT);
    setFailed(false);
  }, [view]);
  useEffect(() => {
    // Somebody who has signed in for a tool goes on with it.
    if (view === null && tool !== null) setTroubleshooter((now) => (now === "open" ? "closed" : now));
  }, [view, tool]);

  const viewProps = { dispatch, draft, updateDraft: setDraft, initialFocusRef, onFailure };
  const signIn = (
    <Dialog
      open={view !== null && troubleshooter !== "open"}
      onOpenChange={(open) => {
        if (!open) dispatch({ type: "close" });
      }}
      title={t(TITLES[shownView])}
      description={reason ?? (tool ? messageForCode("unauthenticated") : undefined)}
      initialFocus={initialFocusRef}
      start={
        shownView === "chooser" ? null : (
          <IconButton label={t("Back")} className="-ml-2" onClick={() => dispatch({ type: "back" })}>
            <ArrowLeft className="size-5" aria-hidden="true" />
          </IconButton>
        )
      }
    >
      {shownView === "chooser" ? <ChooserView {...viewProps} tool={tool} failure={failure} /> : null}
      {shownView === "signin" ? <EmailView {...viewProps} /> : null}
      {shownView === "signup" ? <SignUpView {...viewProps} /> : null}
      {shownView === "reset-password" ? <ResetView {...viewProps} /> : null}
      {failed ? <TroubleshooterButton onClick={() => setTroubleshooter("open")} /> : null}
    </Dialog>
  );
  const closeTroubleshooter = () => setTroubleshooter("closed");
  return (
    <>
      {signIn}
      {troubleshooter === "unused" ? null : (
        <LazyDialog
          load={loadTroubleshooter}
          props={{ open: troubleshooter === "open", onClose: closeTroubleshooter }}
          open={troubleshooter === "open"}
          onGiveUp={() => setTroubleshooter("unused")}
        />
      )}
    </>
  );
}
