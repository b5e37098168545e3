import Mail from "lucide-react/icons/mail";
import UserPlus from "lucide-react/icons/user-plus";
import { type ComponentProps, useEffect } from "react";
import { PAGE_TITLES } from "../../storefront/site-footer.tsx";
import { ToolLogo } from "../../storefront/tool-logo.tsx";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { type Elements, t, tNodes } from "../../ui/texts/texts.ts";
import { useShared } from "../../use-shared.ts";
import { useGoogleSignIn } from "../google/google-sign-in.ts";
import { InsideAppNote, useInsideApp } from "../google/inside-app.tsx";
import type { ViewProps } from "./email-views.tsx";

interface ChooserViewProps extends Pick<ViewProps, "dispatch" | "initialFocusRef" | "onFailure"> {
  /** The tool that the visitor has pressed; null when there is none. */
  tool: ChosenTool | null;
  /** Why a sign-in failed before this page was loaded. */
  failure: string | null;
}

/**
 * The first view: the ways to sign in and to create an account. Whoever has pressed a tool is mostly new here, so creating an
 * account comes first. Google comes last where it is not configured, and inside an app.
 */
export function ChooserView({ dispatch, initialFocusRef, onFailure, tool, failure }: ChooserViewProps) {
  const { store } = useShared();
  const google = useGoogleSignIn();
  const isInsideApp = useInsideApp();
  const isGooglePossible = google.isConfigured && !isInsideApp;
  const message = google.message ?? (google.waiting ? undefined : (failure ?? undefined));
  useEffect(() => {
    if (message !== undefined) onFailure();
  }, [message, onFailure]);
  const isFirst = (element: HTMLElement | null) => {
    initialFocusRef.current = element;
  };
  const googleIsFirst = isGooglePossible && tool === null;
  const googleButton = <GoogleButton wide onClick={google.start} {...(googleIsFirst && { ref: isFirst })} />;
  const createButton = (
    <Button
      variant={tool === null ? "plain" : "strong"}
      wide
      onClick={() => dispatch({ type: "choose-create" })}
      {...(tool !== null && { ref: isFirst })}
    >
      {tool === null ? null : <UserPlus className="size-4" aria-hidden="true" />}
      <span>{t("Create an Account")}</span>
    </Button>
  );
  return (
    <div className="flex flex-col gap-3">
      {tool === null ? null : <ToolSummary tool={tool} />}
      {message === undefined ? null : <Banner tone="error">{message}</Banner>}
      {google.waiting ? <WaitingForGoogle onCancel={google.cancel} /> : null}
      {tool === null ? null : createButton}
      {isGooglePossible ? googleButton : null}
      <Button
        variant={tool === null ? "strong" : "plain"}
        wide
        onClick={() => dispatch({ type: "choose-email" })}
        {...(tool === null && !googleIsFirst && { ref: isFirst })}
      >
        <Mail className="size-4" aria-hidden="true" />
        <span>{t("Sign in with Email")}</span>
      </Button>
      {tool === null ? createButton : null}
      {isGooglePossible ? null : (
        <>
          {googleButton}
          <NoGoogleNote isConfigured={google.isConfigured} />
        </>
      )}
      <TermsNote pages={store.pages}>
        <span>{` ${t("You’ll see the price and duration before you pay.")}`}</span>
      </TermsNote>
    </div>
  );
}

export function WaitingForGoogle({ onCancel }: { onCancel: () => void }) {
  return (
    <Banner>
      <span className="flex flex-wrap items-center justify-between gap-x-3">
        <span>{t("Complete your sign-in in the Google window.")}</span>
        <button
          type="button"
          onClick={onCancel}
          className="-my-3 min-h-11 font-medium text-accent underline underline-offset-4"
        >
          {t("Cancel")}
        </button>
      </span>
    </Banner>
  );
}

/**
 * What a person accepts by signing in. It links to the pages that the shop has.
 *
 * @param pages names of the shop's pages; others than terms and privacy are ignored
 */
export function TermsNote({ pages, children }: { pages: readonly string[]; children?: Elements }) {
  const [terms, privacy] = (["terms", "privacy"] as const).map((page) =>
    pages.includes(page) ? <PageLink key={page} page={page} /> : null,
  );
  const page = terms ?? privacy;
  return (
    <p className="mt-1 text-center text-muted text-xs">
      <span>
        {terms && privacy
          ? tNodes("By continuing, you accept our {terms} and {privacy}.", { terms, privacy })
          : page
            ? tNodes("By continuing, you accept our {page}.", { page })
            : t("By continuing, you accept our terms.")}
      </span>
      {children}
    </p>
  );
}

/** Opens beside the shop, so that the dialog stays. */
function PageLink({ page }: { page: "terms" | "privacy" }) {
  return (
    <a href={`/${page}`} target="_blank" rel="noreferrer" className="underline underline-offset-2">
      {t(PAGE_TITLES[page])}
    </a>
  );
}

/** The free tool that a visitor has pressed and signs in for. A tool with a price has a sheet of its own. */
export interface ChosenTool {
  name: string;
}

function ToolSummary({ tool: { name } }: { tool: ChosenTool }) {
  return (
    <section aria-label={name}>
      <div className="flex items-center gap-3 rounded-control border border-line bg-paper p-3">
        <ToolLogo name={name} className="size-10 text-base" />
        <div className="min-w-0">
          <p className="font-semibold leading-snug">{name}</p>
          <p className="font-semibold text-sm">{t("Free")}</p>
        </div>
      </div>
      <p className="mt-3 text-muted text-sm">
        {t("Create an account to continue with {tool}.", { tool: name })}
      </p>
    </section>
  );
}

/** Keeps people from a button that can only fail: Google is not set up, or the page is open inside an app. */
function NoGoogleNote({ isConfigured }: { isConfigured: boolean }) {
  if (isConfigured) return <InsideAppNote />;
  return (
    <p className="text-center text-muted text-xs">
      {t("Google isn’t set up in this shop yet. Please use your email.")}
    </p>
  );
}

/** The button of the sign-in with Google, with Google's mark in its own colours. */
export function GoogleButton({ ref, ...rest }: ComponentProps<typeof Button>) {
  return (
    <Button {...rest} {...(ref !== undefined && { ref })}>
      <GoogleMark />
      <span>{t("Continue with Google")}</span>
    </Button>
  );
}

function GoogleMark() {
  return (
    <svg viewBox="0 0 18 18" className="size-4" aria-hidden="true" focusable="false">
      <path
        fill="#4285F4"
        d="M17.64 9.2c0-.637-.057-1.251-.164-1.84H9v3.481h4.844c-.209 1.125-.843 2.078-1.796 2.717v2.258h2.908c1.702-1.567 2.684-3.874 2.684-6.615z"
      />
      <path
        fill="#34A853"
        d="M9 18c2.43 0 4.467-.806 5.956-2.18l-2.908-2.259c-.806.54-1.837.86-3.048.86-2.344 0-4.328-1.584-5.036-3.711H.957v2.332A8.997 8.997 0 0 0 9 18z"
      />
      <path
        fill="#FBBC05"
        d="M3.964 10.71A5.41 5.41 0 0 1 3.682 9c0-.593.102-1.17.282-1.71V4.958H.957A8.996 8.996 0 0 0 0 9c0 1.452.348 2.827.957 4.042l3.007-2.332z"
      />
      <path
        fill="#EA4335"
        d="M9 3.58c1.321 0 2.508.454 3.44 1.345l2.582-2.58C13.463.891 11.426 0 9 0A8.997 8.997 0 0 0 .957 4.958L3.964 7.29C4.672 5.163 6.656 3.58 9 3.58z"
      />
    </svg>
  );
}
