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
      <AccountHeader />
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

/** The header of a buyer's own pages: that of the shop, with the name of the signed-in user. */
export function AccountHeader() {
  const { user } = useShared();
  const name = user?.displayName || user?.email;
  return (
    <SiteHeader
      person={
        // A row of its own on a phone.
        <div className="flex min-w-0 items-center gap-x-2 max-sm:order-last max-sm:w-full max-sm:justify-between sm:flex-1 sm:justify-end">
          <span className="min-w-0 truncate text-muted" title={name}>
            {name}
          </span>
          <LinkButton to="/account" variant="quiet" size="small">
            {t("Account")}
          </LinkButton>
        </div>
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
