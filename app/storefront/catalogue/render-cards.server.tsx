import { renderToString } from "react-dom/server";
import { StaticRouter } from "react-router";
import type { CatalogueCard } from "#core/catalog/list-active-tools.server.ts";
import type { ButtonShop } from "../offer/tool-button.tsx";
import { ToolCard } from "./tool-card.tsx";

interface RenderedCard {
  /** All that the card shows. */
  facts: string;
  html: string;
}

/** The latest card of each tool, by slug. */
const cards = new Map<string, RenderedCard>();
/** While the catalogue has not changed, all requests have the same tools. */
const cardOfTool = new WeakMap<CatalogueCard, RenderedCard>();

/**
 * Renders the cards of the tools that have changed. Most of the time of a home page would go into its cards. They are
 * rendered before the page: the renderer keeps its state in global variables, and one rendering inside another would
 * change it.
 */
export function renderCards(tools: readonly CatalogueCard[], shop: ButtonShop): void {
  for (const tool of tools) {
    const facts = JSON.stringify([tool, shop]);
    const last = cards.get(tool.slug);
    const card = last?.facts === facts ? last : { facts, html: renderCard(tool, shop) };
    cards.set(tool.slug, card);
    cardOfTool.set(tool, card);
  }
}

function renderCard(tool: CatalogueCard, shop: ButtonShop): string {
  return renderToString(
    <StaticRouter location="/">
      <ToolCard tool={tool} shop={shop} accessUntil={null} onChoose={() => undefined} />
    </StaticRouter>,
  );
}

/** The HTML of a card that `renderCards` has rendered. */
export const findRenderedCard = (tool: CatalogueCard): string | undefined => cardOfTool.get(tool)?.html;
