import type { ReactNode } from "react";
import { isRouteErrorResponse, Link } from "react-router";
import type { SharedData } from "../shared-data.server.ts";
import { Logo } from "../storefront/logo.tsx";
import { LinkButton } from "../ui/button.tsx";
import { t, tNodes } from "../ui/texts/texts.ts";
import { unlistedPageMeta } from "../unlisted-page-meta.ts";
import { useSharedIfLoaded } from "../use-shared.ts";

/** Shown for an address without a page. */
export const describeNotFound = () => ({
  title: t("There is nothing here"),
  message: tNodes(
    "The address may be mistyped, or the page has moved. Your passes are safe on {dashboard}.",
    {
      dashboard: (
        <Link key="dashboard" to="/dashboard" className="text-accent underline underline-offset-4">
          {t("your dashboard")}
        </Link>
      ),
    },
  ),
});

/** The page for an error; it also works without the data that pages share. */
export function ErrorPage({ error }: { error: unknown }) {
  const shared = useSharedIfLoaded();
  const { title, message, retryLabel } = describeError(error);
  return (
    <>
      <header className="mx-auto flex min-h-16 max-w-page items-center px-4 sm:px-6">
        <Logo name={shared?.store.name ?? "Daypass"} />
      </header>
      <main id="content" tabIndex={-1} className="mx-auto max-w-prose px-4 py-16 sm:px-6 sm:py-24">
        <h1 className="text-xl sm:text-2xl">{title}</h1>
        <p className="mt-3 text-base text-muted">{message}</p>
        <div className="mt-6 flex flex-wrap gap-3">
          <LinkButton to="/" variant="strong">
            {t("Go to Homepage")}
          </LinkButton>
          {retryLabel ? (
            // A link to this address works without scripts, and also when a script has failed.
            <LinkButton to="" reloadDocument>
              {retryLabel}
            </LinkButton>
          ) : null}
        </div>
        {shared?.requestId ? (
          <p className="mt-8 text-muted text-xs">
            <span>{`${t("If you contact support, give them this request id:")} `}</span>
            <code translate="no" className="font-mono">
              {shared.requestId}
            </code>
          </p>
        ) : null}
      </main>
    </>
  );
}

/**
 * The title of the page for an error. Search engines leave the page out.
 *
 * @param shared what pages share; undefined when it could not be read: the title then has no name of the shop
 */
export function errorMeta(error: unknown, shared?: Pick<SharedData, "store">) {
  const { title } = describeError(error);
  return shared ? unlistedPageMeta(shared, title) : [{ title }, { name: "robots", content: "noindex" }];
}

interface ErrorDescription {
  title: string;
  message: ReactNode;
  /** The label of the button that loads the page again; null when loading it again cannot help. */
  retryLabel: string | null;
}

/** The messages of Chromium, Firefox and Safari for code of the page that could not be loaded. */
const FAILED_IMPORT =
  /failed to fetch dynamically imported module|error loading dynamically imported module|importing a module script failed/i;

function describeError(error: unknown): ErrorDescription {
  if (error instanceof Error && FAILED_IMPORT.test(error.message)) {
    return {
      title: t("The connection failed"),
      message: t(
        "A part of this page did not arrive. Please check your internet connection, then load it again.",
      ),
      retryLabel: t("Reload the page"),
    };
  }
  if (!isRouteErrorResponse(error)) {
    return {
      title: t("This page did not load"),
      message: t(
        "Something failed on our side. Please try again. If you have paid, your payment is not lost.",
      ),
      retryLabel: t("Try again"),
    };
  }
  if (error.status === 404) {
    return { ...describeNotFound(), retryLabel: null };
  }
  if (error.status === 405) {
    // The router's own sentence is for developers.
    return {
      title: t("This page did not load"),
      message: t("That didn’t work, and nothing was changed. Please open the page again."),
      retryLabel: t("Open the page"),
    };
  }
  const sent: unknown = error.data;
  if (error.status === 503 && typeof sent === "string" && sent !== "") {
    return { title: t("The shop is unavailable right now"), message: sent, retryLabel: t("Try again") };
  }
  return {
    title: error.status === 403 ? t("You don’t have access to this page") : t("This page did not load"),
    message:
      typeof sent === "string" && sent !== "" && error.status < 500
        ? sent
        : t("Something failed on our side. Please try again in a moment."),
    retryLabel: error.status >= 500 ? t("Try again") : null,
  };
}
