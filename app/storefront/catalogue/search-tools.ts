import type { CatalogueCard } from "#core/catalog/list-active-tools.server.ts";

type SearchableTool = Pick<CatalogueCard, "name" | "description" | "category" | "features">;

/** The tools whose texts contain every word of the query, in the given order. A blank query returns all tools. */
export function searchTools<Tool extends SearchableTool>(tools: readonly Tool[], query: string): Tool[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return tools.filter((tool) => {
    const text = [tool.name, tool.category, tool.description, ...tool.features].join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
