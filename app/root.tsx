import { useContext, useEffect, useLayoutEffect, useRef, useState } from "react";
import { Meta, Outlet, ScrollRestoration, useLocation, useNavigation } from "react-router";
import { LANGUAGES } from "#languages/languages.ts";
import type { Route } from "./+types/root";
import { keepPageOnLostConnection } from "./connection/keep-page-on-lost-connection.ts";
import { DocumentPartsContext } from "./document/document-parts.ts";
import { replayPreHydrationEvents, stopCapturingClicks } from "./document/pre-hydration-events.ts";
import { ErrorPage, errorMeta } from "./errors/error-page.tsx";
import { LiveRegion } from "./ui/text.tsx";
import { currentLanguage, type Elements, t } from "./ui/texts/texts.ts";
import { useSharedIfLoaded } from "./use-shared.ts";

export const clientMiddleware: Route.ClientMiddlewareFunction[] = [keepPageOnLostConnection];

/** Every page has a `meta` of its own, so this one is for an error of the frame itself. */
export const meta: Route.MetaFunction = ({ error }) => errorMeta(error);

export function Layout({ children }: { children: Elements }) {
  const shared = useSharedIfLoaded();
  const { head, bodyEnd }: { head: Elements; bodyEnd: Elements } = useContext(DocumentPartsContext);
  useLayoutEffect(stopCapturingClicks, []);
  useEffect(replayPreHydrationEvents, []);
  return (
    <html
      lang={LANGUAGES[currentLanguage()].tag}
      data-accent={shared?.store.accent}
      // While somebody types in the search of the catalogue, it lies at the top of a phone's window, where no header is.
      className="max-sm:has-[#search:focus]:scroll-pt-0"
    >
      <head>
        <meta charSet="utf-8" />
        {/* The keyboard of a phone makes the page lower, so that what is at its bottom stays visible. */}
        <meta
          name="viewport"
          content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content"
        />
        <meta name="theme-color" content="#faf9f6" media="(prefers-color-scheme: light)" />
        <meta name="theme-color" content="#0f1115" media="(prefers-color-scheme: dark)" />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <link rel="apple-touch-icon" href="/apple-touch-icon.png" />
        <link rel="manifest" href="/manifest.webmanifest" />
        <Meta />
        {head}
      </head>
      <body>
        <SkipLink />
        <NavigationProgress />
        {shared?.testPayments ? <TestPaymentsBanner /> : null}
        <NoScriptsBanner />
        {children}
        <RouteAnnouncer />
        <ScrollRestoration />
        {bodyEnd}
      </body>
    </html>
  );
}

function TestPaymentsBanner() {
  return (
    <aside
      aria-label={t("Payments")}
      className="border-warning border-b bg-warning/15 px-4 py-1.5 text-center text-xs print:hidden"
    >
      <strong className="font-semibold">{t("Test payments")}</strong>
      <span>{` · ${t("no money moves in this shop")}`}</span>
    </aside>
  );
}

/** Without scripts the buttons that need them are hidden (`theme.css`), so the page says what is missing. */
function NoScriptsBanner() {
  return (
    <noscript>
      <aside
        aria-label={t("JavaScript")}
        className="border-line border-b bg-card px-4 py-2.5 text-center text-ink text-sm print:hidden"
      >
        <strong className="font-semibold">{t("JavaScript is turned off.")}</strong>
        <span>{` ${t(
          "You can browse, search and sign in by email. Buying a pass and showing access codes need JavaScript.",
        )}`}</span>
      </aside>
    </noscript>
  );
}

export default function App() {
  return <Outlet />;
}

/** For an error of the frame itself. */
export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  return <ErrorPage error={error} />;
}

/** The first element in the keyboard's order: skips the header to the element with the id "content". */
function SkipLink() {
  return (
    <a
      href="#content"
      className="-top-20 fixed left-2 z-50 rounded-control bg-strong px-4 py-3 font-semibold text-on-strong focus:top-2"
    >
      {t("Skip to content")}
    </a>
  );
}

/** A thin line at the top while the next page loads. A fast navigation ends before the line is visible. */
function NavigationProgress() {
  const navigation = useNavigation();
  if (navigation.state === "idle") return null;
  return <div aria-hidden="true" className="progress-line fixed inset-x-0 top-0 z-50 h-0.5 bg-marigold" />;
}

/** Announces the title of a new page to screen readers. The browser does so only for the first page. */
function RouteAnnouncer() {
  const { pathname } = useLocation();
  const announcedPath = useRef(pathname);
  const [title, setTitle] = useState("");

  useEffect(() => {
    if (announcedPath.current === pathname) return;
    announcedPath.current = pathname;
    setTitle(document.title);
  }, [pathname]);

  return <LiveRegion message={title} />;
}
