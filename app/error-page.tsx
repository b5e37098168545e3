import { isRouteErrorResponse, useRouteLoaderData } from "react-router";
import type { loader } from "./root.tsx";
import { Logo } from "./storefront/logo.tsx";
import { LinkButton } from "./ui/link-button.tsx";

/** The page for what went wrong, also when the root's own data could not be read. */
export function ErrorPage({ error }: { error: unknown }) {
  const shared = useRouteLoaderData<typeof loader>("root");
  const { title, words, again } = describe(error);
  return (
    <>
      <header className="mx-auto flex min-h-16 max-w-page items-center px-4 sm:px-6">
        <Logo name={shared?.store.name ?? "Daypass"} />
      </header>
      <main id="content" tabIndex={-1} className="mx-auto max-w-prose px-4 py-16 sm:px-6 sm:py-24">
        <title>{title}</title>
        <h1 className="text-xl sm:text-2xl">{title}</h1>
        <p className="mt-3 text-base text-muted">{words}</p>
        <div className="mt-6 flex flex-wrap gap-3">
          <LinkButton to="/" variant="strong">
            Go to Homepage
          </LinkButton>
          {again ? (
            // A link to here, so that it works without scripts and after a failed one.
            <LinkButton to="" reloadDocument>
              {again}
            </LinkButton>
          ) : null}
        </div>
        {shared?.requestId ? (
          <p className="mt-8 text-muted text-xs">
            If you contact support, give them this code: <code className="font-mono">{shared.requestId}</code>
          </p>
        ) : null}
      </main>
    </>
  );
}

interface Described {
  title: string;
  words: string;
  /** On the button, where asking again may bring the page; null where it cannot. */
  again: string | null;
}

/** How Chromium, Firefox and Safari say that a part of the page's code did not come. */
const FAILED_IMPORT =
  /failed to fetch dynamically imported module|error loading dynamically imported module|importing a module script failed/i;

function describe(error: unknown): Described {
  if (error instanceof Error && FAILED_IMPORT.test(error.message)) {
    return {
      title: "The connection failed",
      words: "A part of this page did not arrive. Please check your internet connection, then load it again.",
      again: "Reload the page",
    };
  }
  if (!isRouteErrorResponse(error)) {
    return {
      title: "This page did not load",
      words: "Something failed on our side. Please try again. If you have paid, your payment is not lost.",
      again: "Try again",
    };
  }
  if (error.status === 404) {
    return {
      title: "There is nothing here",
      words: "The address may be mistyped, or the page has moved. Your passes are safe on your dashboard.",
      again: null,
    };
  }
  const said: unknown = error.data;
  if (error.status === 503 && typeof said === "string" && said !== "") {
    return { title: "The shop is unavailable right now", words: said, again: "Try again" };
  }
  return {
    title: error.status === 403 ? "This page is not open to you" : "This page did not load",
    words:
      typeof said === "string" && said !== "" && error.status < 500
        ? said
        : "Something failed on our side. Nothing you did is lost. Please try again in a moment.",
    again: error.status >= 500 ? "Try again" : null,
  };
}
