import { type ReactNode, useEffect, useLayoutEffect } from "react";
import { Links, Meta, Outlet, Scripts, ScrollRestoration } from "react-router";
import type { Route } from "./+types/root";
import { AccountDisabledNotice } from "./auth/account-disabled-notice.tsx";
import { SignInProvider } from "./auth/sign-in-provider.tsx";
import { PurchaseProvider } from "./checkout/purchase-provider.tsx";
import { keepPageOnLostConnection } from "./connection/keep-page-on-lost-connection.ts";
import { RetryPrompt } from "./connection/retry-prompt.tsx";
import { usePreloadedRoutes } from "./connection/use-preloaded-routes.ts";
import { ErrorPage, errorMeta } from "./error-page.tsx";
import { pageReader, requestInfo, shopContext } from "./middleware/request-context.ts";
import { replayPreHydrationEvents, stopCapturingClicks } from "./pre-hydration-events.ts";
import { readRootData } from "./root-data.server.ts";
import { HomePending } from "./storefront/home-pending.tsx";
import { usePreloadOnInteraction } from "./ui/dialogs/use-preload-on-interaction.ts";
import { markHydrated } from "./ui/hydration.ts";
import { NavigationProgress, RouteAnnouncer, SkipLink } from "./ui/page-frame.tsx";
import { useElementsOfOthers } from "./use-elements-of-others.ts";
import { useSharedIfLoaded } from "./use-shared.ts";
import "./ui/theme.css";

export async function loader({ context }: Route.LoaderArgs) {
  const { requestId, showsVideo } = context.get(requestInfo);
  const data = await readRootData(context.get(shopContext), context.get(pageReader), requestId);
  // On every page: the policy of the first one stays in force while the visitor moves on to the home page.
  showsVideo(data.store.demoVideoUrl);
  return data;
}

export const clientMiddleware: Route.ClientMiddlewareFunction[] = [keepPageOnLostConnection];

/** Every page has a `meta` of its own, so this one is for an error that no route handles. */
export const meta: Route.MetaFunction = ({ error }) => errorMeta(error);

export function Layout({ children }: { children: ReactNode }) {
  const shared = useSharedIfLoaded();
  useElementsOfOthers();
  useLayoutEffect(() => {
    markHydrated();
    stopCapturingClicks();
  }, []);
  useEffect(replayPreHydrationEvents, []);
  return (
    <html lang="en-IN">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
        <meta name="theme-color" content="#faf9f6" media="(prefers-color-scheme: light)" />
        <meta name="theme-color" content="#0f1115" media="(prefers-color-scheme: dark)" />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <Meta />
        {/* Our own stylesheets need no nonce. With one, the hydrated page would differ from the server's. */}
        <Links nonce="" />
      </head>
      <body>
        <SkipLink />
        <NavigationProgress />
        {shared?.testPayments ? <TestPaymentsBanner /> : null}
        <NoScriptsBanner />
        {children}
        <RouteAnnouncer />
        <ScrollRestoration />
        <Scripts />
      </body>
    </html>
  );
}

function TestPaymentsBanner() {
  return (
    <aside
      aria-label="Payments"
      className="bg-marigold px-4 py-1.5 text-center text-on-marigold text-xs print:hidden"
    >
      <strong className="font-semibold">Test payments</strong> · no money moves in this shop
    </aside>
  );
}

/** Without scripts the buttons that need them are hidden (`theme.css`), so the page says what is missing. */
function NoScriptsBanner() {
  return (
    <noscript>
      <aside
        aria-label="JavaScript"
        className="border-line border-b bg-card px-4 py-2.5 text-center text-ink text-sm print:hidden"
      >
        <strong className="font-semibold">JavaScript is turned off.</strong> You can browse, search and sign
        in by email. Buying a pass and showing access codes need JavaScript.
      </aside>
    </noscript>
  );
}

/** The sounds are off until the first gesture, so their code is not part of the first load. */
async function loadSounds() {
  (await import("./sounds/sound-events.ts")).startSounds();
}

export default function App({ loaderData }: Route.ComponentProps) {
  usePreloadedRoutes(loaderData.user !== null);
  usePreloadOnInteraction(loadSounds);
  return (
    <SignInProvider>
      {loaderData.accountDisabled ? <AccountDisabledNotice message={loaderData.accountDisabled} /> : null}
      <PurchaseProvider>
        <HomePending>
          <Outlet />
        </HomePending>
      </PurchaseProvider>
      <RetryPrompt />
    </SignInProvider>
  );
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  return <ErrorPage error={error} />;
}
