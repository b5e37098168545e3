import Mail from "lucide-react/icons/mail";
import UserPlus from "lucide-react/icons/user-plus";
import { type ReactNode, useEffect } from "react";
import { PAGE_TITLES } from "../../storefront/pages/page-titles.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { useShared } from "../../use-shared.ts";
import { GoogleButton } from "../google/google-button.tsx";
import { useGoogleSignIn } from "../google/use-google-sign-in.ts";
import { type ChosenTool, ToolSummary } from "./tool-summary.tsx";
import type { ViewProps } from "./view-props.ts";

interface ChooserViewProps extends Pick<ViewProps, "dispatch" | "initialFocusRef" | "onFailure"> {
  /** The tool that the visitor has pressed; null when there is none. */
  tool: ChosenTool | null;
  /** Of a sign-in that failed before this page was loaded. */
  failure: string | null;
}

/**
 * The first view: the ways to sign in and to create an account. Whoever has pressed a tool is mostly new here, so creating an
 * account comes first. Google comes last where it is not configured.
 */
export function ChooserView({ dispatch, initialFocusRef, onFailure, tool, failure }: ChooserViewProps) {
  const { store } = useShared();
  const google = useGoogleSignIn();
  const message = google.message ?? (google.waiting ? undefined : (failure ?? undefined));
  useEffect(() => {
    if (message !== undefined) onFailure();
  }, [message, onFailure]);
  const isFirst = (element: HTMLElement | null) => {
    initialFocusRef.current = element;
  };
  const googleIsFirst = google.isConfigured && tool === null;
  const googleButton = <GoogleButton onClick={google.start} {...(googleIsFirst && { ref: isFirst })} />;
  const createButton = (
    <Button
      variant={tool === null ? "plain" : "strong"}
      wide
      onClick={() => dispatch({ type: "choose-create" })}
      {...(tool !== null && { ref: isFirst })}
    >
      {tool === null ? null : <UserPlus className="size-4" aria-hidden="true" />}
      Create an Account
    </Button>
  );
  return (
    <div className="flex flex-col gap-3">
      {tool === null ? null : <ToolSummary tool={tool} />}
      {message === undefined ? null : <Banner tone="error">{message}</Banner>}
      {google.waiting ? <Waiting onCancel={google.cancel} /> : null}
      {tool === null ? null : createButton}
      {google.isConfigured ? googleButton : null}
      <Button
        variant={tool === null ? "strong" : "plain"}
        wide
        onClick={() => dispatch({ type: "choose-email" })}
        {...(tool === null && !googleIsFirst && { ref: isFirst })}
      >
        <Mail className="size-4" aria-hidden="true" />
        Sign in with Email
      </Button>
      {tool === null ? createButton : null}
      {google.isConfigured ? null : googleButton}
      <TermsNote pages={store.pages} />
    </div>
  );
}

function Waiting({ onCancel }: { onCancel: () => void }) {
  return (
    <Banner>
      <span className="flex flex-wrap items-center justify-between gap-x-3">
        Complete your sign-in in the Google window.
        <button
          type="button"
          onClick={onCancel}
          className="-my-3 min-h-11 font-medium text-accent underline underline-offset-4"
        >
          Cancel
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
function TermsNote({ pages }: { pages: readonly string[] }) {
  const [terms, privacy] = (["terms", "privacy"] as const).map((page) =>
    pages.includes(page) ? <PageLink key={page} page={page} /> : null,
  );
  const accepted: ReactNode = terms && privacy ? [terms, " and ", privacy] : (terms ?? privacy ?? "terms");
  return (
    <p className="mt-1 text-center text-muted text-xs">
      By continuing, you accept our {accepted}. You’ll see the price and duration before you pay.
    </p>
  );
}

/** Opens beside the shop, so that the dialog stays. */
function PageLink({ page }: { page: "terms" | "privacy" }) {
  return (
    <a href={`/${page}`} target="_blank" rel="noreferrer" className="underline underline-offset-2">
      {PAGE_TITLES[page]}
    </a>
  );
}
