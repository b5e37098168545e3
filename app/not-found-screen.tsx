import { NOT_FOUND } from "./error-page.tsx";
import { SiteHeader } from "./storefront/site-header.tsx";
import { LinkButton } from "./ui/button.tsx";

/** Shown for an address without a page, with the shop's navigation. The route's `meta` has the title. */
export function NotFoundScreen() {
  return (
    <>
      <SiteHeader />
      <main
        id="content"
        tabIndex={-1}
        className="mx-auto max-w-prose px-4 py-16 outline-none sm:px-6 sm:py-24"
      >
        <h1 className="text-xl sm:text-2xl">{NOT_FOUND.title}</h1>
        <p className="mt-3 text-base text-muted">{NOT_FOUND.message}</p>
        <LinkButton to="/" variant="strong" className="mt-6">
          Go to Homepage
        </LinkButton>
      </main>
    </>
  );
}
