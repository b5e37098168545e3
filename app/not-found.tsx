import { data } from "react-router";
import type { Route } from "./+types/not-found";
import { NOT_FOUND } from "./error-page.tsx";
import { SiteHeader } from "./storefront/site-header.tsx";
import { LinkButton } from "./ui/button.tsx";

export const meta: Route.MetaFunction = () => [
  { title: NOT_FOUND.title },
  { name: "robots", content: "noindex" },
];

/** Every address without a page gets the status 404. */
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
        <h1 className="text-xl sm:text-2xl">{NOT_FOUND.title}</h1>
        <p className="mt-3 text-base text-muted">{NOT_FOUND.message}</p>
        <LinkButton to="/" variant="strong" className="mt-6">
          Go to Homepage
        </LinkButton>
      </main>
    </>
  );
}
