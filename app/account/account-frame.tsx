import { type ReactNode, useEffect } from "react";
import { Form, useRevalidator } from "react-router";
import { Logo } from "../storefront/logo.tsx";
import { SiteFooter } from "../storefront/site-footer.tsx";
import { Button, LinkButton } from "../ui/button.tsx";
import { classNames } from "../ui/class-names.ts";
import { t } from "../ui/texts/texts.ts";
import { useShared } from "../use-shared.ts";

/** The frame of a page of the account: the header and the main part. It closes with the session. */
export function AccountFrame({ className, children }: { className: string; children: ReactNode }) {
  useRevalidateOnReturn();
  return (
    <>
      <DashboardHeader at="account" />
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
 * The header of a buyer's own pages: the name of the signed-in user, the link to the other of these pages and to the admin
 * panel, and the sign-out button.
 *
 * @param at the page that it is on
 */
export function DashboardHeader({ at = "dashboard" }: { at?: "dashboard" | "account" }) {
  const { user, store } = useShared();
  const name = user?.displayName || user?.email;
  return (
    <header className="@container border-line border-b print:hidden">
      <div className="mx-auto flex min-h-16 max-w-page flex-wrap items-center gap-x-3 px-4 py-2 sm:px-6">
        <Logo name={store.name} short />
        <div className="flex min-w-0 flex-1 flex-wrap items-center justify-end gap-x-2 sm:gap-x-3">
          <span
            className={classNames(
              "min-w-0 max-w-max flex-[1_1_4rem] truncate text-muted @max-[18rem]:basis-full",
              // The account page itself says whose it is.
              at === "account" && "max-sm:hidden",
            )}
            title={name}
          >
            {name}
          </span>
          {/* In the order and with the weights of the shop's header. */}
          <LinkButton to={at === "dashboard" ? "/account" : "/dashboard"} size="small">
            {t(at === "dashboard" ? "Account" : "Dashboard")}
          </LinkButton>
          {user?.isAdmin ? (
            <LinkButton to="/admin" variant="quiet" size="small">
              {t("Admin")}
            </LinkButton>
          ) : null}
          <Form method="post" action="/auth/sign-out">
            <Button type="submit" variant="quiet" size="small" className="whitespace-nowrap">
              {t("Sign Out")}
            </Button>
          </Form>
        </div>
      </div>
    </header>
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
