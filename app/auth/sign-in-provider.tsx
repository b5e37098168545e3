import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useReducer,
  useState,
} from "react";
import { loadRoutes } from "../connection/route-modules.ts";
import { useLive } from "../live/use-live.ts";
import { LazyDialog } from "../ui/dialogs/lazy-dialog.tsx";
import { useBackStep } from "../ui/dialogs/use-back-step.ts";
import { usePreloadOnInteraction } from "../ui/dialogs/use-preload-on-interaction.ts";
import { useShared } from "../use-shared.ts";
import { nextSignInState, type SignInView } from "./dialog/sign-in-machine.ts";
import type { ChosenTool } from "./dialog/tool-summary.tsx";
import { takeFailureOfReturn } from "./google/google-result.ts";
import { useSessionSync } from "./session-sync.ts";

interface SignIn {
  /** Opens the sign-in dialog at `view`, by default at its first view. */
  openSignIn(view?: SignInView): void;
  /** Opens the first view, which shows the tool that the visitor signs in for. */
  openSignInFor(tool: ChosenTool): void;
  isOpen: boolean;
}

/** The paths that the dialog's forms post to. */
const FORM_ROUTES = ["/auth/sign-in", "/auth/sign-up", "/auth/reset", "/auth/google"];

/** Loads the dialog together with the code that submits its forms, so that a submission needs no more code. */
async function loadDialog() {
  const [{ SignInDialog }] = await Promise.all([
    import("./dialog/sign-in-dialog.tsx"),
    loadRoutes(FORM_ROUTES),
  ]);
  return SignInDialog;
}

const SignInContext = createContext<SignIn | null>(null);

/** Opens the sign-in dialog from any component below the provider. */
export function useSignIn(): SignIn {
  const signIn = useContext(SignInContext);
  if (signIn === null) throw new Error("useSignIn is called outside SignInProvider");
  return signIn;
}

/** Renders the sign-in dialog for the whole site and keeps the open pages in sync with the session. */
export function SignInProvider({ children }: { children: ReactNode }) {
  const email = useShared().user?.email ?? null;
  const [view, dispatch] = useReducer(nextSignInState, null);
  const [needed, setNeeded] = useState(false);
  const [chosenTool, setChosenTool] = useState<ChosenTool | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  useSessionSync(email);
  usePreloadOnInteraction(loadDialog);

  const open = useCallback((at: SignInView, tool: ChosenTool | null, failed: string | null = null) => {
    setNeeded(true);
    setChosenTool(tool);
    setFailure(failed);
    dispatch({ type: "open", view: at });
  }, []);
  const openSignIn = useCallback((at: SignInView = "chooser") => open(at, null), [open]);
  const openSignInFor = useCallback((tool: ChosenTool) => open("chooser", tool), [open]);
  const isOpen = view !== null;
  const signIn = useMemo(() => ({ openSignIn, openSignInFor, isOpen }), [openSignIn, openSignInFor, isOpen]);
  const goBack = useCallback(() => dispatch({ type: view === "chooser" ? "close" : "back" }), [view]);
  useBackStep(isOpen ? "open" : "closed", goBack, view ?? "");

  // The page has been at Google itself, because the browser blocked the window, and is back without a user.
  useEffect(() => {
    const failed = takeFailureOfReturn();
    if (failed !== null) open("chooser", null, failed);
  }, [open]);

  // The session may also have started in another tab.
  useEffect(() => {
    if (email !== null) dispatch({ type: "signed-in" });
  }, [email]);

  return (
    <SignInContext value={signIn}>
      {children}
      {email === null ? null : <SessionWatch />}
      {needed ? (
        <LazyDialog
          load={loadDialog}
          props={{ view, dispatch, tool: chosenTool, failure }}
          open={isOpen}
          onGiveUp={() => {
            setNeeded(false);
            dispatch({ type: "close" });
          }}
        />
      ) : null}
    </SignInContext>
  );
}

/** Loads the data of the page again when the session ends elsewhere: the account was disabled, or its owner signed it out. */
function SessionWatch() {
  useLive(["sessions"]);
  return null;
}
