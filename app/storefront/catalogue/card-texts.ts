import type { CatalogueCard } from "#core/catalog/on-sale.server.ts";
import { firstSentence } from "../first-sentence.ts";

const FEATURES_SHOWN = 4;

/** A tool with the texts that its card shows. */
export interface ListedTool extends CatalogueCard {
  /** How many features the card does not show. */
  moreFeatures: number;
}

/** The other texts of each tool, in all languages, by its slug. The search looks in them, too. */
export type MoreTexts = Readonly<Record<string, string>>;

export function shortenTexts<Tool extends CatalogueCard>(tool: Tool): Tool & ListedTool {
  const features = tool.features.slice(0, FEATURES_SHOWN);
  return {
    ...tool,
    description: firstSentence(tool.description),
    features,
    moreFeatures: tool.features.length - features.length,
  };
}

/** @param inOtherLanguages by slug */
export function moreTextsOf(
  tools: readonly CatalogueCard[],
  inOtherLanguages: ReadonlyMap<string, string>,
): MoreTexts {
  const textOf = ({ slug, description, features }: CatalogueCard) =>
    [
      description.slice(firstSentence(description).length),
      ...features.slice(FEATURES_SHOWN),
      inOtherLanguages.get(slug) ?? "",
    ].join(" ");
  return Object.fromEntries(tools.map((tool) => [tool.slug, textOf(tool)]));
}
