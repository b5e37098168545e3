import type { ReactNode } from "react";
import { SiteFooter } from "../storefront/site-footer.tsx";
import { classNames } from "../ui/class-names.ts";
import { DashboardHeader } from "./dashboard-header.tsx";
import { useRedirectWhenSignedOut } from "./use-redirect-when-signed-out.ts";

/** The frame of a page of the account: the header and the main part. It closes with the session. */
export function AccountFrame({ className, children }: { className: string; children: ReactNode }) {
  useRedirectWhenSignedOut();
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
