import { useSyncExternalStore } from "react";
import { buttonClasses } from "../../ui/class-names.ts";
import { t, tNodes } from "../../ui/texts/texts.ts";
import { googlePageAddress, INSIDE_APP, isInsideApp } from "./google-sign-in.ts";

/** Whether the page is open inside an app; false until it is hydrated. */
export const useInsideApp = (): boolean =>
  useSyncExternalStore(
    neverChanges,
    () => isInsideApp(),
    () => false,
  );

const neverChanges = () => () => undefined;

/** The address that makes Android open a page in the person's own browser; null elsewhere. */
export function browserAddress(href: string, userAgent = navigator.userAgent): string | null {
  if (!userAgent.includes("Android")) return null;
  const { host, pathname, search, protocol } = new URL(href);
  return `intent://${host}${pathname}${search}#Intent;scheme=${protocol.slice(0, -1)};action=android.intent.action.VIEW;category=android.intent.category.BROWSABLE;end`;
}

/** Says what is possible instead of a sign-in with Google. */
export function InsideAppNote() {
  const address = browserAddress(window.location.href);
  const open = t("Open in your browser");
  return (
    <p className="text-center text-muted text-xs">
      {tNodes(INSIDE_APP, {
        open: address ? (
          <a
            key="open"
            href={address}
            className="-my-3 py-3 font-medium text-accent underline underline-offset-2"
          >
            {open}
          </a>
        ) : (
          open
        ),
      })}
    </p>
  );
}

interface GoogleLinkProps {
  /** The page to come back to. */
  returnTo: string;
  label: string;
  className?: string;
  wide?: boolean;
}

/** A link to a sign-in with Google in the page itself. */
export function GoogleLink({ returnTo, label, className, wide = false }: GoogleLinkProps) {
  if (useInsideApp()) return <InsideAppNote />;
  return (
    <a href={googlePageAddress(returnTo)} className={buttonClasses({ wide }, className)}>
      {label}
    </a>
  );
}
