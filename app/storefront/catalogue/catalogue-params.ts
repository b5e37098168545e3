import type { CatalogueCard } from "#core/catalog/on-sale.server.ts";
import { searchProblem } from "#core/typed-text.ts";
import { type Message, t, translate } from "../../ui/texts/texts.ts";

/** What the address of the home page says about the catalogue: the search, and the chosen category or "". */
export interface CatalogueParams {
  query: string;
  category: string;
}

export const MAX_QUERY = 100;

/** The id of the field of the search, which is also the fragment of a link to it. */
export const SEARCH_FIELD = "search";

/**
 * Parameters that are too long are cut, a search to one character more than can be searched, so that the page says so; a category
 * that no tool has is kept, and then no tool is shown.
 */
export function readCatalogueParams(search: string): CatalogueParams {
  const params = new URLSearchParams(search);
  return {
    query: (params.get("q") ?? "").slice(0, MAX_QUERY + 1),
    category: (params.get("category") ?? "").slice(0, MAX_QUERY).toLowerCase(),
  };
}

/** The address of the home page with these parameters. */
export function catalogueAddress({ query, category }: CatalogueParams): string {
  const params = new URLSearchParams();
  if (query.trim() !== "") params.set("q", query.trim());
  if (category !== "") params.set("category", category);
  const search = params.toString();
  return search === "" ? "/" : `/?${search}`;
}

/** The categories of the tools, each once, in lower case and in alphabetical order. */
export function listCategories(tools: Iterable<Pick<CatalogueCard, "category">>): string[] {
  return [...new Set(Array.from(tools, ({ category }) => category.toLowerCase()))].toSorted();
}

/** The categories of the demo catalogue, which many shops keep. */
const KNOWN_CATEGORIES: ReadonlyMap<string, Message> = new Map([
  ["streaming", "Streaming"],
  ["assistants", "Assistants"],
  ["writing", "Writing"],
  ["design", "Design"],
  ["learning", "Learning"],
] as const);

export const DEMO_CATEGORIES: readonly string[] = [...KNOWN_CATEGORIES.keys(), "vpn"];

/** A category in lower case as a label: "Streaming". A name of at most three letters is an abbreviation: "VPN". */
export function categoryLabel(category: string): string {
  const known = KNOWN_CATEGORIES.get(category);
  if (known !== undefined) return translate(known);
  if (category.length <= 3) return category.toUpperCase();
  return category.charAt(0).toUpperCase() + category.slice(1);
}

/** Why a search and a category show no tool. */
export function describeNothing(query: string, category: string): string {
  const problem = searchProblem(query, MAX_QUERY);
  if (problem === "too-long") return t("A search has at most {count} characters.", { count: MAX_QUERY });
  if (problem === "invisible") return t("Type a letter, a number or a sign.");
  if (category === "") return t("No tool matches “{query}”.", { query });
  const label = categoryLabel(category);
  if (query === "") return t("No tool is in {category}.", { category: label });
  return t("No tool matches “{query}” in {category}.", { query, category: label });
}

/** The path of the shop page of a tool. */
export function shopPath(slug: string): string {
  return `/shop/${encodeURIComponent(slug)}`;
}
