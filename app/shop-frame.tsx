import { useEffect } from "react";
import { Outlet, type ShouldRevalidateFunctionArgs } from "react-router";
import type { Route } from "./+types/shop-frame";
import { SignInProvider } from "./auth/sign-in-provider.tsx";
import { PurchaseProvider } from "./checkout/purchase-provider.tsx";
import { RetryPrompt } from "./connection/retry-prompt.tsx";
import { usePreloadedRoutes } from "./connection/route-modules.ts";
import { ErrorPage, errorMeta } from "./errors/error-page.tsx";
import { requestInfo, shopContext } from "./request/request-context.ts";
import { readSharedData } from "./shared-data.server.ts";
import { rememberCameFrom } from "./storefront/came-from.ts";
import { HomePending } from "./storefront/home-pending.tsx";
import { usePreloadOnInteraction } from "./ui/dialogs/lazy-dialog.tsx";
import { t } from "./ui/texts/texts.ts";
import { useShared } from "./use-shared.ts";

export async function loader({ context }: Route.LoaderArgs) {
  const { requestId, showsVideo } = context.get(requestInfo);
  const data = await readSharedData(context.get(shopContext), requestId);
  // On every page: the policy of the first one stays in force while the visitor moves on to the home page.
  showsVideo(data.store.demoVideoUrl);
  return data;
}

/** Another search of the same page, such as a filter or a dialog of a list, does not change what all pages share. */
export function shouldRevalidate(change: ShouldRevalidateFunctionArgs): boolean {
  const { currentUrl, nextUrl, formMethod, defaultShouldRevalidate } = change;
  const isOtherSearch =
    formMethod === undefined &&
    currentUrl.pathname === nextUrl.pathname &&
    currentUrl.search !== nextUrl.search;
  return !isOtherSearch && defaultShouldRevalidate;
}

/** Every page has a `meta` of its own, so this one is for an error that no page handles. */
export const meta: Route.MetaFunction = ({ error }) => errorMeta(error);

/** The sounds are off until the first gesture, so their code is not part of the first load. */
async function loadSounds() {
  (await import("./sounds/sound-events.ts")).startSounds();
}

/**
 * The data and the dialogs that all pages share. They are not in the root: when the root handles an error, React mounts the
 * document again, and its attributes, the focus and the announcement of the page are lost.
 */
export default function ShopFrame({ loaderData }: Route.ComponentProps) {
  usePreloadedRoutes(loaderData.user !== null);
  usePreloadOnInteraction(loadSounds);
  useEffect(rememberCameFrom, []);
  return (
    <SignInProvider>
      {loaderData.accountEnded ? <AccountEndedNotice {...loaderData.accountEnded} /> : null}
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

/** Says on every page why this browser is not signed in any more, until somebody signs in with it. */
function AccountEndedNotice({ message, isDisabled }: { message: string; isDisabled: boolean }) {
  const { supportChatUrl } = useShared().store;
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center justify-center gap-x-3 border-red/30 border-b bg-red/10 px-4 py-1 text-center text-red text-sm print:hidden"
    >
      <p className="py-2">{message}</p>
      {supportChatUrl === null || !isDisabled ? null : (
        <a
          href={supportChatUrl}
          target="_blank"
          rel="noreferrer"
          className="inline-flex min-h-11 items-center rounded-control font-semibold underline underline-offset-4"
        >
          {t("Chat on WhatsApp")}
        </a>
      )}
    </div>
  );
}
