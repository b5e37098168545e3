import { data, isRouteErrorResponse } from "react-router";
import { readStorePage } from "#core/catalog/store-settings.server.ts";
import { ErrorPage, errorMeta } from "../../errors/error-page.tsx";
import { NotFoundScreen } from "../../errors/not-found-screen.tsx";
import { shopContext } from "../../request/request-context.ts";
import { buttonClasses } from "../../ui/class-names.ts";
import { langOf, t } from "../../ui/texts/texts.ts";
import { useShared } from "../../use-shared.ts";
import { Icon, MESSAGE } from "../icons.tsx";
import { pageMeta } from "../seo/page-meta.ts";
import { isStorePage, PAGE_TITLES, SiteFooter } from "../site-footer.tsx";
import { SiteHeader } from "../site-header.tsx";
import type { Route } from "./+types/store-page";

/** @throws Response 404 for a page that the owner has not written */
export async function loader({ url, context }: Route.LoaderArgs) {
  const page = url.pathname.replaceAll("/", "").toLowerCase();
  const text = isStorePage(page) ? await readStorePage(context.get(shopContext), page) : null;
  if (text === null || !isStorePage(page)) throw data(null, { status: 404 });
  return { page, paragraphs: text.split(/\n\s*\n/) };
}

export const meta: Route.MetaFunction = ({ loaderData, matches, error }) => {
  const shared = matches[1].loaderData;
  if (!loaderData || !shared) return errorMeta(error, shared);
  const title = `${t(PAGE_TITLES[loaderData.page])} · ${shared.store.name}`;
  const description = loaderData.paragraphs[0]?.slice(0, 150) ?? title;
  return pageMeta(shared, { title, description, path: `/${loaderData.page}` });
};

/** A page with a text of the shop's owner, such as the terms. */
export default function StorePage({ loaderData: { page, paragraphs } }: Route.ComponentProps) {
  const { store } = useShared();
  return (
    <div className="flex min-h-dvh flex-col">
      <SiteHeader />
      <main
        id="content"
        tabIndex={-1}
        className="mx-auto w-full max-w-prose flex-1 px-4 py-8 outline-none sm:px-6 sm:py-12"
      >
        <h1 className="text-xl">{t(PAGE_TITLES[page])}</h1>
        {paragraphs.map((paragraph) => (
          <p key={paragraph} lang={langOf(paragraph)} className="mt-4 whitespace-pre-line text-base">
            {paragraph}
          </p>
        ))}
        {page === "contact" && store.supportChatUrl !== null ? (
          <a
            href={store.supportChatUrl}
            target="_blank"
            rel="noreferrer"
            className={buttonClasses({ variant: "strong" }, "mt-6")}
          >
            <Icon shape={MESSAGE} className="size-4" />
            <span>{t("Chat on WhatsApp")}</span>
          </a>
        ) : null}
      </main>
      <SiteFooter />
    </div>
  );
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  if (isRouteErrorResponse(error) && error.status === 404) return <NotFoundScreen />;
  return <ErrorPage error={error} />;
}
