import {
  createContext,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
} from "react";
import { useRevalidator } from "react-router";
import { loadRoutes } from "../connection/route-modules.ts";
import { listenToOtherPages, notifyOtherPages } from "../live/page-channel.ts";
import { useLive } from "../live/use-live.ts";
import { LazyDialog, usePreloadOnInteraction } from "../ui/dialogs/lazy-dialog.tsx";
import { useBackStep } from "../ui/dialogs/use-back-step.ts";
import type { Elements } from "../ui/texts/texts.ts";
import { useShared } from "../use-shared.ts";
import type { ChosenTool } from "./dialog/chooser-view.tsx";
import { nextSignInState, type SignInView } from "./dialog/sign-in-machine.ts";
import { takeFailureOfReturn } from "./google/google-result.ts";
import { forgetPerson } from "./sign-out-here.ts";

interface SignIn {
  /** Opens the sign-in dialog at `view`, by default at its first view. */
  openSignIn(view?: SignInView): void;
  /** Opens the first view. All views show `reason`, one sentence, under their title. */
  openSignInBecause(reason: string): void;
  /** Opens the first view, which shows the tool that the visitor signs in for. */
  openSignInFor(tool: ChosenTool): void;
  isOpen: boolean;
}

/** The paths that the dialog's forms post to. */
const FORM_ROUTES = ["/auth/sign-in", "/auth/sign-up", "/auth/reset"];

/** Loads the dialog together with the code that submits its forms, so that a submission needs no more code. */
async function loadDialog() {
  const [{ SignInDialog }] = await Promise.all([
    import("./dialog/sign-in-dialog.tsx"),
    loadRoutes(FORM_ROUTES),
  ]);
  return SignInDialog;
}

/** What the dialog shows beside its view. */
interface Occasion {
  tool: ChosenTool | null;
  reason: string | null;
  failure: string | null;
}

const NO_OCCASION: Occasion = { tool: null, reason: null, failure: null };

const SignInContext = createContext<SignIn | null>(null);

/** Opens the sign-in dialog from any component below the provider. */
export function useSignIn(): SignIn {
  const signIn = useContext(SignInContext);
  if (signIn === null) throw new Error("useSignIn is called outside SignInProvider");
  return signIn;
}

/** Renders the sign-in dialog for the whole site and keeps the open pages in sync with the session. */
export function SignInProvider({ children }: { children: Elements }) {
  const email = useShared().user?.email ?? null;
  const [view, dispatch] = useReducer(nextSignInState, null);
  const [needed, setNeeded] = useState(false);
  const [occasion, setOccasion] = useState(NO_OCCASION);
  useSessionSync(email);
  usePreloadOnInteraction(loadDialog);

  const open = useCallback((at: SignInView, why: Partial<Occasion> = {}) => {
    setNeeded(true);
    setOccasion({ ...NO_OCCASION, ...why });
    dispatch({ type: "open", view: at });
  }, []);
  // Apart from `isOpen`, because effects depend on these functions.
  const openers = useMemo(
    () => ({
      openSignIn: (at: SignInView = "chooser") => open(at),
      openSignInBecause: (reason: string) => open("chooser", { reason }),
      openSignInFor: (tool: ChosenTool) => open("chooser", { tool }),
    }),
    [open],
  );
  const isOpen = view !== null;
  const signIn = useMemo(() => ({ ...openers, isOpen }), [openers, isOpen]);
  const goBack = useCallback(() => dispatch({ type: view === "chooser" ? "close" : "back" }), [view]);
  useBackStep(isOpen ? "open" : "closed", goBack, view ?? "");

  // The page has been at Google itself, because the browser blocked the window, and is back without a user.
  useEffect(() => {
    const failed = takeFailureOfReturn();
    if (failed !== null) open("chooser", { failure: failed });
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
          props={{ view, dispatch, ...occasion }}
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

/**
 * Keeps the open pages of this browser up to date. A page loads its data again when another page reports a sign-in, a
 * sign-out or a bought pass, and when the browser restores it from its cache.
 *
 * @param identity the email address of the signed-in user; null for a visitor
 */
function useSessionSync(identity: string | null): void {
  const { revalidate } = useRevalidator();
  const knownIdentity = useRef(identity);

  useEffect(() => {
    const stopListening = listenToOtherPages((message) => {
      if (message !== knownIdentity.current) void revalidate();
    });
    const onPageShow = ({ persisted }: PageTransitionEvent) => {
      if (persisted) void revalidate();
    };
    window.addEventListener("pageshow", onPageShow);
    return () => {
      stopListening();
      window.removeEventListener("pageshow", onPageShow);
    };
  }, [revalidate]);

  useEffect(() => {
    if (knownIdentity.current === identity) return;
    knownIdentity.current = identity;
    if (identity === null) forgetPerson();
    notifyOtherPages(identity);
  }, [identity]);
}
