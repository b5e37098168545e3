import { type ReactNode, useEffect } from "react";
import { Links, Meta, Outlet, Scripts, ScrollRestoration, useRouteLoaderData } from "react-router";
import { readProfile } from "#core/accounts/read-profile.server.ts";
import { readStoreSettings } from "#core/catalog/store-settings.server.ts";
import type { Context } from "#core/context.ts";
import type { Route } from "./+types/root";
import { SignInProvider } from "./auth/sign-in-provider.tsx";
import { PurchaseProvider } from "./checkout/purchase-provider.tsx";
import { keepPage } from "./connection/keep-page.ts";
import { LostConnection } from "./connection/lost-connection.tsx";
import { usePreloadedRoutes } from "./connection/use-preloaded-routes.ts";
import { ErrorPage } from "./error-page.tsx";
import { requestInfo, shopContext } from "./middleware/request-context.ts";
import { replayPreHydrationEvents } from "./pre-hydration-events.ts";
import { chatUrl } from "./storefront/chat-url.ts";
import { HomePending } from "./storefront/home-pending.tsx";
import { TestPaymentsBanner } from "./storefront/test-payments-banner.tsx";
import { NavigationProgress } from "./ui/navigation-progress.tsx";
import { RouteAnnouncer } from "./ui/route-announcer.tsx";
import { SkipLink } from "./ui/skip-link.tsx";
import "./ui/theme.css";

/** What every page may know. Times are ISO strings in UTC. */
export async function loader({ context }: Route.LoaderArgs) {
  const ctx = context.get(shopContext);
  const [user, settings] = await Promise.all([readUser(ctx), readStoreSettings(ctx)]);
  const [firstPhone] = settings.supportPhones;
  return {
    user,
    store: { ...settings, supportChatUrl: firstPhone ? chatUrl(firstPhone.number) : null },
    testPayments: ctx.ports.gateway?.testMode ?? false,
    now: ctx.clock.now().toISOString(),
    timeZone: ctx.store.timeZone,
    requestId: context.get(requestInfo).requestId,
  };
}

async function readUser(ctx: Context) {
  if (ctx.actor.kind !== "user" && ctx.actor.kind !== "admin") return null;
  const { email, displayName, role } = await readProfile(ctx);
  return { email, displayName, isAdmin: role === "admin" };
}

export const clientMiddleware: Route.ClientMiddlewareFunction[] = [keepPage];

export const meta: Route.MetaFunction = ({ loaderData }) => [{ title: loaderData?.store.name ?? "Daypass" }];

export function Layout({ children }: { children: ReactNode }) {
  const shared = useRouteLoaderData<typeof loader>("root");
  return (
    <html lang="en-IN">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
        <meta name="theme-color" content="#faf9f6" media="(prefers-color-scheme: light)" />
        <meta name="theme-color" content="#0f1115" media="(prefers-color-scheme: dark)" />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <Meta />
        {/* Our own stylesheets need no nonce, and one would differ when the page comes alive. */}
        <Links nonce="" />
      </head>
      <body>
        <SkipLink />
        <NavigationProgress />
        {shared?.testPayments ? <TestPaymentsBanner /> : null}
        {children}
        <RouteAnnouncer />
        <ScrollRestoration />
        <Scripts />
      </body>
    </html>
  );
}

export default function App({ loaderData }: Route.ComponentProps) {
  useEffect(replayPreHydrationEvents, []);
  usePreloadedRoutes(loaderData.user !== null);
  return (
    <SignInProvider>
      <PurchaseProvider>
        <HomePending>
          <Outlet />
        </HomePending>
      </PurchaseProvider>
      <LostConnection />
    </SignInProvider>
  );
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  return <ErrorPage error={error} />;
}
