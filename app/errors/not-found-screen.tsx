import { SiteFooter } from "../storefront/site-footer.tsx";
import { SiteHeader } from "../storefront/site-header.tsx";
import { LinkButton } from "../ui/button.tsx";
import { t } from "../ui/texts/texts.ts";
import { describeNotFound } from "./error-page.tsx";

/**
 * Shown for an address without a page, with the shop's navigation. The route's `meta` has the title. Not in the module of the
 * error page: every page starts with that one, and not with the footer.
 */
export function NotFoundScreen() {
  const { title, message } = describeNotFound();
  return (
    <>
      <SiteHeader />
      <main
        id="content"
        tabIndex={-1}
        className="mx-auto max-w-prose px-4 py-16 outline-none sm:px-6 sm:py-24"
      >
        <h1 className="text-xl sm:text-2xl">{title}</h1>
        <p className="mt-3 text-base text-muted">{message}</p>
        <LinkButton to="/" variant="strong" className="mt-6">
          {t("Go to Homepage")}
        </LinkButton>
      </main>
      {/* A mistyped link may have a code in its query. */}
      <SiteFooter repeatsQuery={false} />
    </>
  );
}
