import { type ReactNode, useEffect, useState } from "react";
import { data, isRouteErrorResponse, Link } from "react-router";
import {
  type CatalogueCard,
  getTool,
  getToolOffSale,
  toCatalogueCard,
} from "#core/catalog/on-sale.server.ts";
import { inReadersLanguage } from "#core/catalog/translations.ts";
import { isDomainError } from "#core/errors.ts";
import { formatPaise } from "#core/money.ts";
import { hasStockAlert } from "#core/stock-alerts/stock-alerts.server.ts";
import { pendingRenewal } from "../../auth/pending-choice.ts";
import { ErrorPage, errorMeta } from "../../errors/error-page.tsx";
import { NotFoundScreen } from "../../errors/not-found-screen.tsx";
import { useLive } from "../../live/use-live.ts";
import { shopContext } from "../../request/request-context.ts";
import { readAccess } from "../../shared-data.server.ts";
import { pagePath } from "../../tools/page-path.ts";
import { Badge } from "../../ui/badge.tsx";
import { LinkButton } from "../../ui/button.tsx";
import { langOf, t, translate } from "../../ui/texts/texts.ts";
import { unlistedPageMeta } from "../../unlisted-page-meta.ts";
import { useShared } from "../../use-shared.ts";
import { catalogueAddress, categoryLabel, shopPath } from "../catalogue/catalogue-params.ts";
import { useChooseTool } from "../catalogue/use-choose-tool.ts";
import { firstSentence } from "../first-sentence.ts";
import { FloatingChat } from "../floating-chat.tsx";
import { Icon } from "../icons.tsx";
import { OpenUntil } from "../offer/tool-button.tsx";
import { WorksOn } from "../offer/works-on.tsx";
import { pageMeta, productData, structuredData } from "../seo/page-meta.ts";
import { describeShareImage } from "../seo/share-image.server.ts";
import { SiteFooter } from "../site-footer.tsx";
import { SiteHeader } from "../site-header.tsx";
import { ToolLogo } from "../tool-logo.tsx";
import type { Route } from "./+types/shop-page";
import { BuyCard } from "./buy-card.tsx";
import { couponObstacle, useLinkCoupon } from "./link-coupon.tsx";
import { StockAlert } from "./stock-alert.tsx";

/** @throws Response 404 for a tool that never was on sale, or is deleted */
export async function loader({ params, context }: Route.LoaderArgs) {
  const ctx = context.get(shopContext);
  const accessTo = async (slug: string) => (await readAccess(ctx)).get(slug) ?? null;
  try {
    const tool = await getTool(ctx, { slug: params.slug }).catch((error: unknown) => {
      if (isDomainError(error, "tool-not-found")) return null;
      throw error;
    });
    if (tool === null) {
      const offSale = await getToolOffSale(ctx, { slug: params.slug });
      const accessUntil = await accessTo(offSale.slug);
      return { offSale, accessUntil, isWaiting: await hasStockAlert(ctx, offSale.slug) };
    }
    const accessUntil = await accessTo(tool.slug);
    const isWaiting = tool.availableStock <= 0 && (await hasStockAlert(ctx, tool.slug));
    const read = inReadersLanguage(ctx, tool);
    return {
      offSale: null,
      card: toCatalogueCard(read),
      // The image has the English name.
      shareImage: (await describeShareImage(ctx, toCatalogueCard(tool))).path,
      options: read.pricingOptions,
      accessUntil,
      isWaiting,
    };
  } catch (error) {
    if (isDomainError(error, "tool-not-found") || isDomainError(error, "invalid-input"))
      throw data(null, { status: 404 });
    throw error;
  }
}

export const meta: Route.MetaFunction = ({ loaderData, matches, error }) => {
  const shared = matches[1].loaderData;
  if (!loaderData || !shared) return errorMeta(error, shared);
  if (loaderData.offSale !== null) return unlistedPageMeta(shared, loaderData.offSale.name);
  const { card, options, shareImage } = loaderData;
  return [
    ...pageMeta(shared, {
      title: titleOf(card, options.length, shared.store.name),
      description: card.description.slice(0, 160),
      path: shopPath(card.slug),
      image: shareImage,
    }),
    structuredData(productData(shared.origin, card, options)),
  ];
};

function titleOf({ name, pricePaise }: CatalogueCard, options: number, shop: string): string {
  if (pricePaise === 0) return t("{tool} for free · {shop}", { tool: name, shop });
  const values = { tool: name, price: formatPaise(pricePaise), shop };
  return options > 1 ? t("{tool} from {price} · {shop}", values) : t("{tool} for {price} · {shop}", values);
}

/** The shop page of a tool: what it is, what it costs, and the button to buy it. */
export default function ShopPage({ loaderData }: Route.ComponentProps) {
  useLive(["stock"]);
  return loaderData.offSale === null ? (
    <ToolOnSale key={loaderData.card.slug} {...loaderData} />
  ) : (
    <ToolOffSale tool={loaderData.offSale} {...loaderData} />
  );
}

interface OffSaleProps {
  tool: { slug: string; name: string };
  /** The end of the buyer's active pass; null if there is none. */
  accessUntil: Date | null;
  isWaiting: boolean;
}

/** Tells visitors of an old link that the tool was here, leads a buyer with a pass to it, and lets others wait for the tool. */
function ToolOffSale({ tool, accessUntil, isWaiting }: OffSaleProps) {
  const { timeZone } = useShared();
  return (
    <>
      <SiteHeader />
      <main
        id="content"
        tabIndex={-1}
        className="mx-auto flex max-w-prose flex-col items-center gap-4 px-4 py-16 text-center outline-none sm:py-24"
      >
        <ToolLogo name={tool.name} className="size-16 text-xl" />
        <h1 lang={langOf(tool.name)} className="wrap-anywhere text-xl sm:text-2xl">
          {tool.name}
        </h1>
        <p className="text-muted">{t("Not on sale now")}</p>
        <div className="w-full max-w-80">
          {accessUntil === null ? (
            <StockAlert key={tool.slug} tool={tool} isWaiting={isWaiting} />
          ) : (
            <LinkButton variant="strong" wide className="min-h-12" to={pagePath(tool.slug)}>
              <OpenUntil toolName={tool.name} date={accessUntil} timeZone={timeZone} />
            </LinkButton>
          )}
        </div>
        <Link to="/" className="min-h-11 content-center text-accent underline underline-offset-4">
          {t("See all tools")}
        </Link>
      </main>
      <SiteFooter />
    </>
  );
}

/** The link of a reminder asks for the renewal, which then opens for its buyer as from the dashboard. */
function useAskedRenewal(slug: string): void {
  useEffect(() => {
    const { pathname, search } = window.location;
    const rest = new URLSearchParams(search);
    if (!rest.has("renew")) return;
    pendingRenewal.remember(slug);
    rest.delete("renew");
    // Once: a reload shows the page.
    window.history.replaceState(window.history.state, "", rest.size === 0 ? pathname : `${pathname}?${rest}`);
  }, [slug]);
}

type OnSale = Extract<Route.ComponentProps["loaderData"], { offSale: null }>;

function ToolOnSale({ card, options, accessUntil, isWaiting }: OnSale) {
  const { store } = useShared();
  const [chosen, setChosen] = useChosenOption();
  const isUsable = couponObstacle(card) === null && accessUntil === null;
  const { coupon, forPurchase } = useLinkCoupon(card.slug, isUsable);
  useAskedRenewal(card.slug);
  const chooseTool = useChooseTool([card], chosen, undefined, forPurchase);
  return (
    <>
      <SiteHeader />
      <main
        id="content"
        tabIndex={-1}
        className="mx-auto grid max-w-page gap-4 px-4 pt-2 pb-5 outline-none sm:px-6 sm:py-10 lg:grid-cols-[1fr_24rem] lg:grid-rows-[auto_1fr] lg:gap-x-16"
      >
        <ToolDetails tool={card}>
          <BuyCard
            tool={card}
            options={options}
            chosen={chosen}
            onOption={setChosen}
            accessUntil={accessUntil}
            isWaiting={isWaiting}
            onChoose={chooseTool}
            coupon={coupon}
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

const ARROW_LEFT = "m12 19-7-7 7-7M19 12H5";
const CHECK = "M20 6 9 17l-5-5";

const STEPS = [
  ["Pay once", "By UPI or card. There is no subscription to cancel."],
  ["Open it at once", "Your pass is on your dashboard as soon as the payment is confirmed."],
  ["It ends by itself", "Nothing renews and nothing is charged again."],
] as const;

/**
 * What a tool is. The children, its price, stand to the right on wide screens. Below that they come before all but the name and a
 * line of the description.
 */
function ToolDetails({ tool, children }: { tool: CatalogueCard; children: ReactNode }) {
  const category = tool.category.toLowerCase();
  return (
    <>
      <div className="min-w-0 lg:col-start-1">
        <Link
          to={catalogueAddress({ query: "", category })}
          className="-ml-1 inline-flex min-h-11 items-center gap-1.5 rounded-control px-1 text-muted hover:text-ink"
        >
          <Icon shape={ARROW_LEFT} className="size-4" />
          <span>{categoryLabel(category)}</span>
        </Link>
        <div className="flex items-center gap-3 sm:mt-2 sm:gap-4">
          <ToolLogo name={tool.name} className="size-12 text-lg sm:size-16 sm:text-xl" />
          <div className="min-w-0 flex-1">
            <div className="flex flex-wrap items-center gap-x-2">
              <h1 lang={langOf(tool.name)} className="min-w-0 text-xl max-sm:text-lg sm:text-2xl">
                {tool.name}
              </h1>
              {tool.badge ? <Badge>{translate(tool.badge)}</Badge> : null}
            </div>
            <p
              aria-hidden="true"
              lang={langOf(tool.description)}
              className="line-clamp-1 text-muted lg:hidden"
            >
              {firstSentence(tool.description)}
            </p>
          </div>
        </div>
      </div>
      <div className="lg:col-start-2 lg:row-span-2 lg:row-start-1">
        <div className="lg:sticky lg:top-22">{children}</div>
      </div>
      <div className="flex min-w-0 flex-col gap-8 lg:col-start-1">
        <div>
          <p lang={langOf(tool.description)} className="max-w-prose whitespace-pre-line text-base">
            {tool.description}
          </p>
          <WorksOn places={tool.worksOn} className="mt-4" />
        </div>
        {tool.features.length === 0 ? null : (
          <section aria-labelledby="features-title">
            <h2 id="features-title" className="text-lg">
              {t("What you get")}
            </h2>
            <ul className="mt-3 grid gap-x-6 gap-y-2 sm:grid-cols-2">
              {tool.features.map((feature) => (
                <li key={feature} className="flex gap-2.5">
                  <Icon shape={CHECK} bold className="mt-1 size-4 shrink-0 text-green" />
                  <span lang={langOf(feature)}>{feature}</span>
                </li>
              ))}
            </ul>
          </section>
        )}
        {tool.contactOnly || tool.pricePaise === 0 ? null : (
          <section aria-labelledby="steps-title">
            <h2 id="steps-title" className="text-lg">
              {t("How a pass works")}
            </h2>
            <ol className="mt-3 grid gap-4 sm:grid-cols-3">
              {STEPS.map(([title, text]) => (
                <li key={title} className="border-marigold border-l-2 pl-4">
                  <p className="font-semibold">{t(title)}</p>
                  <p className="text-muted">{t(text)}</p>
                </li>
              ))}
            </ol>
          </section>
        )}
      </div>
    </>
  );
}
