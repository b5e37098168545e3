import ArrowLeft from "lucide-react/icons/arrow-left";
import { useEffect, useRef, useState } from "react";
import { Dialog } from "../../ui/dialog.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { ChooserView } from "./chooser-view.tsx";
import { EMPTY_DRAFT } from "./view-props.ts";
import { ResetView } from "./reset-view.tsx";
import type { SignInEvent, SignInState, SignInView } from "./sign-in-machine.ts";
import { SignInView as EmailView } from "./sign-in-view.tsx";
import { SignUpView } from "./sign-up-view.tsx";

const TITLES: Record<SignInView, string> = {
  chooser: "Welcome",
  signin: "Sign in",
  signup: "Create account",
  "reset-password": "Reset password",
};

interface SignInDialogProps {
  view: SignInState;
  dispatch: (event: SignInEvent) => void;
  /** The name of the tool that somebody signs in for; null when it is for none. */
  wanted: string | null;
}

/** The sign-in modal: one question a view. What was typed stays while one goes back and forth, and goes on closing. */
export function SignInDialog({ view, dispatch, wanted }: SignInDialogProps) {
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const first = useRef<HTMLElement | null>(null);
  // While the modal fades out it goes on showing what it showed.
  const [shown, setShown] = useState<SignInView>(view ?? "chooser");
  if (view !== null && view !== shown) setShown(view);

  useEffect(() => {
    if (view !== null) first.current?.focus();
    else setDraft(EMPTY_DRAFT);
  }, [view]);

  const shared = { dispatch, draft, keep: setDraft, first };
  return (
    <Dialog
      open={view !== null}
      onOpenChange={(open) => {
        if (!open) dispatch({ type: "close" });
      }}
      title={TITLES[shown]}
      initialFocus={first}
      start={
        shown === "chooser" ? null : (
          <IconButton label="Back" className="-ml-2" onClick={() => dispatch({ type: "back" })}>
            <ArrowLeft className="size-5" aria-hidden="true" />
          </IconButton>
        )
      }
    >
      {shown === "chooser" ? <ChooserView {...shared} wanted={wanted} /> : null}
      {shown === "signin" ? <EmailView {...shared} /> : null}
      {shown === "signup" ? <SignUpView {...shared} /> : null}
      {shown === "reset-password" ? <ResetView {...shared} /> : null}
    </Dialog>
  );
}
