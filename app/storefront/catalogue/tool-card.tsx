import { Link } from "react-router";
import type { CatalogueCard } from "#core/catalog/on-sale.server.ts";
import { formatPaise } from "#core/money.ts";
import { daysText } from "../../time/time-texts.ts";
import { Card } from "../../ui/card.tsx";
import { Money, VisuallyHidden } from "../../ui/text.tsx";
import { plural, t, tNodes, translate } from "../../ui/texts/texts.ts";
import { firstSentence } from "../first-sentence.ts";
import { AlertLink, type ButtonShop, StockBadge, ToolButton } from "../offer/tool-button.tsx";
import { placesText } from "../offer/works-on.tsx";
import { ToolLogo } from "../tool-logo.tsx";
import { shopPath } from "./catalogue-params.ts";
import { decideCardAction } from "./use-choose-tool.ts";

const FEATURES_SHOWN = 4;

interface ToolCardProps {
  tool: CatalogueCard;
  shop: ButtonShop;
  /** The end of the buyer's active pass for the tool; null if there is none. */
  accessUntil: Date | null;
  onChoose: (tool: CatalogueCard) => void;
}

/**
 * A tool in the catalogue. The area of its button is the whole card. On a phone it is low: the features stand in two
 * columns, and price and button share a row.
 */
export function ToolCard({ tool, shop, accessUntil, onChoose }: ToolCardProps) {
  const action = decideCardAction(tool);
  const available = action !== "none" || accessUntil !== null;
  return (
    <Card
      data-ticket=""
      data-sound-hover={available || undefined}
      className={`group @container relative flex h-full flex-col transition-[border-color,transform] duration-150 ${
        available ? "hover:border-field motion-safe:hover:-translate-y-0.5" : "bg-card/60"
      }`}
    >
      {tool.badge ? (
        <span
          className={`-translate-y-1/2 absolute top-0 right-4 rounded-full border bg-card px-2.5 font-medium text-xs ${
            tool.isPopular ? "border-marigold text-ink" : "border-line text-muted"
          }`}
        >
          {translate(tool.badge)}
        </span>
      ) : null}
      <div className="flex flex-1 flex-col gap-2 p-3 pb-2.5 sm:gap-4 sm:p-5 sm:pb-4">
        <div className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-3 sm:gap-y-4">
          <ToolLogo
            name={tool.name}
            className={`row-span-2 size-10 text-base sm:row-span-1 sm:size-11 ${available ? "" : "grayscale"}`}
          />
          <h3 className="text-base leading-snug">{tool.name}</h3>
          <p className="max-sm:@min-[16rem]:line-clamp-1 sm:@min-[13rem]:line-clamp-2 text-muted text-xs sm:col-span-2 sm:text-sm">
            {firstSentence(tool.description)}
          </p>
        </div>
        <Features tool={tool} />
      </div>
      {/* Not around the button, because a positioned ancestor would keep the button's area from covering the whole card. */}
      <div className="perforation" />
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 px-3 py-1.5 sm:flex-col sm:items-stretch sm:gap-4 sm:p-5 sm:pt-4">
        <div className="flex min-w-0 flex-[1_1_8rem] flex-wrap items-center justify-between gap-x-3 gap-y-1 sm:flex-auto sm:items-end">
          <ToolCardPrice tool={tool} />
          {tool.availableStock > 0 && tool.pricePaise > 0 ? <StockBadge stock={tool.availableStock} /> : null}
        </div>
        <ToolButton tool={tool} action={action} accessUntil={accessUntil} shop={shop} onChoose={onChoose} />
        {available ? null : (
          <AlertLink
            slug={tool.slug}
            className="-my-1 inline-flex min-h-11 items-center justify-center rounded-control text-sm underline underline-offset-4 max-sm:basis-full"
          >
            <VisuallyHidden>{` ${tool.name}`}</VisuallyHidden>
          </AlertLink>
        )}
      </div>
    </Card>
  );
}

/** The first features, and a link to the shop page with the rest. */
function Features({ tool }: { tool: CatalogueCard }) {
  const more = tool.features.length - FEATURES_SHOWN;
  const places = placesText(tool.worksOn);
  const link = more > 0 ? plural(more, "+{count} more feature", "+{count} more features") : t("Details");
  return (
    <ul className="grid max-sm:@min-[18rem]:grid-cols-2 gap-x-3 text-xs leading-[1.54] sm:gap-y-1.5 sm:text-sm sm:leading-normal">
      {tool.features.slice(0, FEATURES_SHOWN).map((feature) => (
        <li key={feature} className="tick flex gap-1 sm:gap-1.5">
          <span className="max-sm:@min-[18rem]:line-clamp-2">{feature}</span>
        </li>
      ))}
      <li className="max-sm:@min-[18rem]:col-span-full sm:pl-4.5">
        <Link
          to={shopPath(tool.slug)}
          aria-label={t("{details} of {tool}", { details: link, tool: tool.name })}
          className="relative z-10 -my-2 inline-block py-2.5 text-muted text-xs underline-offset-4 hover:text-ink hover:underline"
        >
          {link}
        </Link>
        {tool.contactOnly ? <Remark>{t("Sold on WhatsApp")}</Remark> : null}
        {places === null ? null : <Remark>{places}</Remark>}
      </li>
    </ul>
  );
}

/** On a phone in line with what comes before. */
function Remark({ children }: { children: string }) {
  return (
    <span className="text-muted text-xs sm:block">
      <span aria-hidden="true" className="sm:hidden">
        {" · "}
      </span>
      <span>{children}</span>
    </span>
  );
}

type PricedTool = Pick<CatalogueCard, "pricePaise" | "originalPricePaise" | "validityDays" | "hasOptions">;

/** The price and the validity of a pass; with several pricing options, of the cheapest. A free tool needs no pass. */
export function ToolCardPrice({ tool }: { tool: PricedTool }) {
  const { pricePaise, originalPricePaise, validityDays, hasOptions } = tool;
  const free = pricePaise === 0;
  const price = (
    <Money key="price" className="font-semibold text-ink text-lg tracking-tight sm:text-xl">
      {free ? t("Free") : formatPaise(pricePaise)}
    </Money>
  );
  const original = originalPricePaise !== null && originalPricePaise > pricePaise ? originalPricePaise : null;
  return (
    <p className="min-w-0">
      <span className="flex flex-wrap items-baseline gap-x-1.5 text-muted text-xs sm:gap-x-2 sm:text-sm">
        {hasOptions ? tNodes("from {price}", { price }) : price}
      </span>
      <span className="flex flex-wrap gap-x-2 text-muted text-xs tabular-nums leading-4 sm:mt-1 sm:text-sm sm:leading-normal">
        {original === null ? null : <Money struck>{formatPaise(original)}</Money>}
        {/* A line as on the other cards, so that the prices of a row are at one height. */}
        <span>{free ? t("No payment") : daysText(validityDays)}</span>
      </span>
    </p>
  );
}
