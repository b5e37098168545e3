import Search from "lucide-react/icons/search";
import { useDeferredValue, useState } from "react";
import type { CatalogueCard } from "#core/catalog/list-active-tools.server.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { TextField } from "../../ui/forms/text-field.tsx";
import { LiveRegion } from "../../ui/screen-reader-text.tsx";
import { searchTools } from "./search-tools.ts";
import { ToolCard } from "./tool-card.tsx";
import { ToolGrid } from "./tool-grid.tsx";

/** All tools on sale, with a search that updates while the visitor types. */
export function ToolCatalogue({
  tools,
  accessUntil,
  onChoose,
}: {
  tools: readonly CatalogueCard[];
  /** The end of the buyer's active passes, by the slug of the tool. */
  accessUntil: ReadonlyMap<string, Date>;
  onChoose: (tool: CatalogueCard) => void;
}) {
  const [query, setQuery] = useState("");
  const shownQuery = useDeferredValue(query);
  const found = searchTools(tools, shownQuery);
  return (
    <section aria-labelledby="tools-title" id="tools" className="flex flex-col gap-5">
      <div className="flex flex-col gap-3 sm:flex-row sm:items-center sm:justify-between">
        <h2 id="tools-title" className="text-lg">
          Tools
        </h2>
        {tools.length > 0 ? (
          <search className="sm:w-72">
            <TextField
              type="search"
              label="Search tools"
              labelHidden
              placeholder="Search tools"
              autoComplete="off"
              enterKeyHint="search"
              start={<Search aria-hidden="true" className="size-4" />}
              value={query}
              onChange={(event) => setQuery(event.currentTarget.value)}
            />
          </search>
        ) : null}
      </div>
      <LiveRegion message={shownQuery.trim() === "" ? "" : formatCount(found.length)} />
      {found.length > 0 ? (
        <ToolGrid>
          {found.map((tool) => (
            <li key={tool.slug}>
              <ToolCard tool={tool} accessUntil={accessUntil.get(tool.slug) ?? null} onChoose={onChoose} />
            </li>
          ))}
        </ToolGrid>
      ) : (
        <NothingFound query={shownQuery} onClear={() => setQuery("")} />
      )}
    </section>
  );
}

function NothingFound({ query, onClear }: { query: string; onClear: () => void }) {
  if (query.trim() === "") {
    return <EmptyState title="No tools yet">The shop is being set up. Please check back soon.</EmptyState>;
  }
  return (
    <EmptyState title="Nothing found" action={<Button onClick={onClear}>Show all tools</Button>}>
      No tool matches “{query.trim()}”.
    </EmptyState>
  );
}

function formatCount(count: number): string {
  if (count === 0) return "No tools found";
  return count === 1 ? "1 tool found" : `${count} tools found`;
}
