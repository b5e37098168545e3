import { Link } from "react-router";
import type { CatalogueCard } from "#core/catalog/on-sale.server.ts";
import { formatPaise } from "#core/money.ts";
import { daysText } from "../../time/time-texts.ts";
import { Card } from "../../ui/card.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Money, VisuallyHidden } from "../../ui/text.tsx";
import { langOf, plural, t, tNodes, translate } from "../../ui/texts/texts.ts";
import { AlertLink, type ButtonShop, StockBadge, ToolButton } from "../offer/tool-button.tsx";
import { placesText } from "../offer/works-on.tsx";
import { ToolLogo } from "../tool-logo.tsx";
import type { ListedTool } from "./card-texts.ts";
import { shopPath } from "./catalogue-params.ts";
import { decideCardAction } from "./use-choose-tool.ts";

interface ToolCardProps {
  tool: ListedTool;
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
      data-sound-hover={available ? "" : undefined}
      className={classNames("tool-ticket", !available && "tool-sold-out")}
    >
      {tool.badge ? (
        <span className={tool.popularPlace !== null ? "tool-badge border-marigold text-ink" : "tool-badge"}>
          {translate(tool.badge)}
        </span>
      ) : null}
      <div className="tool-upper">
        <div className="tool-head">
          <ToolLogo name={tool.name} className="" />
          <h3 lang={langOf(tool.name)}>{tool.name}</h3>
          <p lang={langOf(tool.description)}>{tool.description}</p>
        </div>
        <Features tool={tool} />
      </div>
      {/* Not around the button, because a positioned ancestor would keep the button's area from covering the whole card. */}
      <div className="perforation" />
      <div className="tool-lower">
        <div>
          <ToolCardPrice tool={tool} />
          {/* Nobody who has a pass needs it, and the way to the pass takes its room. */}
          {tool.availableStock > 0 && tool.pricePaise > 0 && accessUntil === null ? (
            <StockBadge stock={tool.availableStock} />
          ) : null}
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
function Features({ tool }: { tool: ListedTool }) {
  const more = tool.moreFeatures;
  const places = placesText(tool.worksOn);
  const link = more > 0 ? plural(more, "+{count} more feature", "+{count} more features") : t("Details");
  return (
    <ul className="tool-features">
      {tool.features.map((feature) => (
        <li key={feature} lang={langOf(feature)}>
          {feature}
        </li>
      ))}
      <li>
        <Link
          to={shopPath(tool.slug)}
          discover="none"
          aria-label={t("{details} of {tool}", { details: link, tool: tool.name })}
        >
          {link}
        </Link>
        {tool.contactOnly ? <span>{t("Sold on WhatsApp")}</span> : null}
        {places === null ? null : <span>{places}</span>}
      </li>
    </ul>
  );
}

type PricedTool = Pick<CatalogueCard, "pricePaise" | "originalPricePaise" | "validityDays" | "hasOptions">;

/** The price and the validity of a pass; with several pricing options, of the cheapest. A free tool needs no pass. */
export function ToolCardPrice({ tool }: { tool: PricedTool }) {
  const { pricePaise, originalPricePaise, validityDays, hasOptions } = tool;
  const free = pricePaise === 0;
  const price = <Money key="price">{free ? t("Free") : formatPaise(pricePaise)}</Money>;
  const original = originalPricePaise !== null && originalPricePaise > pricePaise ? originalPricePaise : null;
  return (
    <p className="tool-price">
      <span>{hasOptions ? tNodes("from {price}", { price }) : price}</span>
      <span>
        {original === null ? null : <Money struck>{formatPaise(original)}</Money>}
        {/* A line as on the other cards, so that the prices of a row are at one height. */}
        <span>{free ? t("No payment") : daysText(validityDays)}</span>
      </span>
    </p>
  );
}
