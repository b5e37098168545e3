import { useEffect, useState } from "react";
import { data, isRouteErrorResponse } from "react-router";
import { getTool } from "#core/catalog/get-tool.server.ts";
import { toCatalogueCard } from "#core/catalog/list-active-tools.server.ts";
import { isDomainError } from "#core/errors.ts";
import { formatPaise } from "#core/money.ts";
import { ErrorPage, errorMeta } from "../../error-page.tsx";
import { useLive } from "../../live/use-live.ts";
import { readAccess } from "../../middleware/page-reader.server.ts";
import { shopContext } from "../../middleware/request-context.ts";
import { NotFoundScreen } from "../../not-found-screen.tsx";
import { useShared } from "../../use-shared.ts";
import { shopPath } from "../catalogue/catalogue-params.ts";
import { useChooseTool } from "../catalogue/use-choose-tool.ts";
import { FloatingChat } from "../floating-chat.tsx";
import { pageMeta, productData, structuredData } from "../seo/page-meta.ts";
import { SiteFooter } from "../site-footer.tsx";
import { SiteHeader } from "../site-header.tsx";
import type { Route } from "./+types/shop-page";
import { BuyCard } from "./buy-card.tsx";
import { ToolDetails } from "./tool-details.tsx";

/** @throws Response 404 for a tool that is not on sale */
export async function loader({ params, context }: Route.LoaderArgs) {
  const ctx = context.get(shopContext);
  try {
    const tool = await getTool(ctx, { slug: params.slug });
    const accessUntil = (await readAccess(ctx)).get(tool.slug) ?? null;
    return { card: toCatalogueCard(tool), options: tool.pricingOptions, accessUntil };
  } catch (error) {
    if (isDomainError(error, "tool-not-found") || isDomainError(error, "invalid-input"))
      throw data(null, { status: 404 });
    throw error;
  }
}

export const meta: Route.MetaFunction = ({ loaderData, matches, error }) => {
  const shared = matches[1].loaderData;
  if (!loaderData || !shared) return errorMeta(error);
  const { card, options } = loaderData;
  const preposition = options.length > 1 && card.pricePaise > 0 ? "from" : "for";
  const price = card.pricePaise === 0 ? "free" : formatPaise(card.pricePaise);
  return [
    ...pageMeta(shared, {
      title: `${card.name} ${preposition} ${price} · ${shared.store.name}`,
      description: card.description.slice(0, 160),
      path: shopPath(card.slug),
    }),
    structuredData(productData(shared.origin, card, options)),
  ];
};

/** The shop page of a tool: what it is, what it costs, and the button to buy it. */
export default function ShopPage({ loaderData: { card, options, accessUntil } }: Route.ComponentProps) {
  const { store } = useShared();
  const [chosen, setChosen] = useChosenOption();
  const chooseTool = useChooseTool([card], chosen);
  useLive(["stock"]);
  return (
    <>
      <SiteHeader />
      <main
        id="content"
        tabIndex={-1}
        className="mx-auto grid max-w-page gap-6 px-4 py-5 outline-none sm:px-6 sm:py-10 lg:grid-cols-[1fr_24rem] lg:gap-x-16"
      >
        <ToolDetails tool={card}>
          <BuyCard
            tool={card}
            options={options}
            chosen={chosen}
            onOption={setChosen}
            accessUntil={accessUntil}
            onChoose={chooseTool}
          />
        </ToolDetails>
      </main>
      <SiteFooter />
      {store.supportChatUrl ? <FloatingChat url={store.supportChatUrl} /> : null}
    </>
  );
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  if (isRouteErrorResponse(error) && error.status === 404) return <NotFoundScreen />;
  return <ErrorPage error={error} />;
}

/**
 * The label of the option that the buyer has chosen; null before. It is kept in the entry of the browser's history, so that
 * a reload and the way back find it.
 */
function useChosenOption() {
  const [chosen, setChosen] = useState<string | null>(null);
  useEffect(() => {
    const kept: unknown = window.history.state?.option;
    if (typeof kept === "string") setChosen(kept);
  }, []);
  const choose = (label: string) => {
    setChosen(label);
    window.history.replaceState({ ...window.history.state, option: label }, "");
  };
  return [chosen, choose] as const;
}
