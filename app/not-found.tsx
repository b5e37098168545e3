import { data } from "react-router";
import type { Route } from "./+types/not-found";
import { SiteHeader } from "./storefront/site-header.tsx";
import { LinkButton } from "./ui/link-button.tsx";

const TITLE = "There is nothing here";

export const meta: Route.MetaFunction = () => [{ title: TITLE }, { name: "robots", content: "noindex" }];

/** Any address that is no page is answered with status 404. */
export function loader() {
  return data(null, { status: 404 });
}

export default function NotFound() {
  return (
    <>
      <SiteHeader />
      <main
        id="content"
        tabIndex={-1}
        className="mx-auto max-w-prose px-4 py-16 outline-none sm:px-6 sm:py-24"
      >
        <h1 className="text-xl sm:text-2xl">{TITLE}</h1>
        <p className="mt-3 text-base text-muted">
          The address may be mistyped, or the page has moved. Your passes are safe on your dashboard.
        </p>
        <LinkButton to="/" variant="strong" className="mt-6">
          Go to Homepage
        </LinkButton>
      </main>
    </>
  );
}
