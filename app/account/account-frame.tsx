import { type ReactNode, useEffect } from "react";
import { useRevalidator } from "react-router";
import { SiteFooter } from "../storefront/site-footer.tsx";
import { SiteHeader } from "../storefront/site-header.tsx";
import { LinkButton } from "../ui/button.tsx";
import { classNames } from "../ui/class-names.ts";
import { t } from "../ui/texts/texts.ts";
import { useShared } from "../use-shared.ts";

/** The frame of a page of the account: the header and the main part. It closes with the session. */
export function AccountFrame({ className, children }: { className: string; children: ReactNode }) {
  useRevalidateOnReturn();
  return (
    <>
      <AccountHeader at="account" />
      <main
        id="content"
        tabIndex={-1}
        className={classNames("mx-auto flex flex-col px-4 outline-none sm:px-6", className)}
      >
        {children}
      </main>
      <SiteFooter />
    </>
  );
}

/**
 * The header of a buyer's own pages: that of the shop, with the name of the signed-in user and the link to the account. A phone
 * has no room for a link to the page that it is on.
 */
export function AccountHeader({ at }: { at: "dashboard" | "account" }) {
  const { user } = useShared();
  const name = user?.displayName || user?.email;
  const isDashboard = at === "dashboard";
  return (
    <SiteHeader
      isDashboard={isDashboard}
      person={
        // A row of its own on a phone.
        <span
          title={name}
          className="min-w-0 truncate text-muted max-sm:-mt-2 max-sm:order-last max-sm:w-full max-sm:text-xs sm:flex-1 sm:text-right"
        >
          {name}
        </span>
      }
      accountLink={
        <LinkButton
          to="/account"
          variant={isDashboard ? "plain" : "quiet"}
          size="small"
          className={classNames(!isDashboard && "max-sm:hidden")}
        >
          {t("Account")}
        </LinkButton>
      }
    />
  );
}

/** Returning to the page revalidates, so that a sign-out in another tab or browser is noticed: the loader then redirects. */
export function useRevalidateOnReturn(): void {
  const { revalidate } = useRevalidator();
  useEffect(() => {
    const revalidateWhenVisible = () => {
      if (document.visibilityState === "visible") void revalidate();
    };
    document.addEventListener("visibilitychange", revalidateWhenVisible);
    window.addEventListener("pageshow", revalidateWhenVisible);
    return () => {
      document.removeEventListener("visibilitychange", revalidateWhenVisible);
      window.removeEventListener("pageshow", revalidateWhenVisible);
    };
  }, [revalidate]);
}
