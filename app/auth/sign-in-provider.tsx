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
import { LazyDialog } from "../ui/lazy-dialog.tsx";
import { useBackStep } from "../ui/use-back-step.ts";
import { usePreloadOnInteraction } from "../ui/use-preload-on-interaction.ts";
import { useShared } from "../use-shared.ts";
import { nextSignInState, type SignInView } from "./dialog/sign-in-machine.ts";
import { useSessionSync } from "./use-session-sync.ts";

interface SignIn {
  /** Opens the sign-in modal, at its first view unless told otherwise. */
  openSignIn(view?: SignInView): void;
  /** The same at its first view, saying what signing in is for; "ChatGPT Pro", say. */
  openSignInFor(tool: string): void;
  isOpen: boolean;
}

/** Where the dialog's forms are sent. */
const FORM_ROUTES = ["/auth/sign-in", "/auth/sign-up", "/auth/reset", "/auth/google"];

/** The dialog together with the code that sends its forms: what was typed must not wait for it. */
async function loadDialog() {
  const [{ SignInDialog }] = await Promise.all([import("./dialog/sign-in-dialog.tsx"), loadRoutes(FORM_ROUTES)]);
  return SignInDialog;
}

const SignInContext = createContext<SignIn | null>(null);

/** The one way into the sign-in modal, for any component below the provider. */
export function useSignIn(): SignIn {
  const signIn = useContext(SignInContext);
  if (signIn === null) throw new Error("useSignIn is called outside of SignInProvider.");
  return signIn;
}

/** Holds the sign-in modal for the whole site, and keeps open pages in step with the session. */
export function SignInProvider({ children }: { children: ReactNode }) {
  const email = useShared().user?.email ?? null;
  const [view, dispatch] = useReducer(nextSignInState, null);
  const [needed, setNeeded] = useState(false);
  const [wanted, setWanted] = useState<string | null>(null);
  useSessionSync(email);
  usePreloadOnInteraction(loadDialog);

  const open = useCallback((at: SignInView, tool: string | null) => {
    setNeeded(true);
    setWanted(tool);
    dispatch({ type: "open", view: at });
  }, []);
  const openSignIn = useCallback((at: SignInView = "chooser") => open(at, null), [open]);
  const openSignInFor = useCallback((tool: string) => open("chooser", tool), [open]);
  const isOpen = view !== null;
  const signIn = useMemo(() => ({ openSignIn, openSignInFor, isOpen }), [openSignIn, openSignInFor, isOpen]);
  const goBack = useCallback(() => dispatch({ type: view === "chooser" ? "close" : "back" }), [view]);
  useBackStep(isOpen ? "open" : "closed", goBack, view ?? "");

  // However the session came about, also in another tab: who is signed in needs no modal.
  useEffect(() => {
    if (email !== null) dispatch({ type: "signed-in" });
  }, [email]);

  return (
    <SignInContext value={signIn}>
      {children}
      {needed ? (
        <LazyDialog
          load={loadDialog}
          props={{ view, dispatch, wanted }}
          wanted={isOpen}
          onGiveUp={() => {
            setNeeded(false);
            dispatch({ type: "close" });
          }}
        />
      ) : null}
    </SignInContext>
  );
}
