import type { CatalogueCard } from "#core/catalog/list-active-tools.server.ts";

type Searched = Pick<CatalogueCard, "name" | "description" | "category" | "features">;

/** The tools that mention every word of the query somewhere, in the order given. A blank query keeps all. */
export function searchTools<Tool extends Searched>(tools: readonly Tool[], query: string): Tool[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return tools.filter((tool) => {
    const text = [tool.name, tool.category, tool.description, ...tool.features].join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
