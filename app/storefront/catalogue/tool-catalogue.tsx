import { Suspense, useDeferredValue, useMemo, useRef } from "react";
import { useLocation, useNavigation } from "react-router";
import type { CatalogueCard } from "#core/catalog/list-active-tools.server.ts";
import { Button, LinkButton } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { LiveRegion, VisuallyHidden } from "../../ui/screen-reader-text.tsx";
import { useShared } from "../../use-shared.ts";
import { chatNumberOf } from "../chat-inquiry.ts";
import { useSlow } from "../use-slow.ts";
import { CatalogueBar } from "./catalogue-bar.tsx";
import { type CatalogueParams, categoryLabel, listCategories } from "./catalogue-params.ts";
import { searchTools } from "./search-tools.ts";
import { SkeletonGrid } from "./skeleton-grid.tsx";
import { ToolCard } from "./tool-card.tsx";
import { ToolGrid } from "./tool-grid.tsx";
import { useCatalogueParams } from "./use-catalogue-params.ts";

/** All tools on sale, with a search that updates while the visitor types, and their categories. */
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
  const { store, timeZone } = useShared();
  const shop = { chatNumber: chatNumberOf(store), timeZone };
  const { query, category, setQuery } = useCatalogueParams();
  const isLoading = useSlow(useLoadsCatalogue());
  const categories = useMemo(() => listCategories(tools), [tools]);
  const shownQuery = useDeferredValue(query);
  const inCategory =
    category === "" ? tools : tools.filter((tool) => tool.category.toLowerCase() === category);
  const found = searchTools(inCategory, shownQuery);
  const section = useRef<HTMLElement>(null);
  const search = (typed: string) => {
    // Under the bar that stays at the top, fewer results would otherwise begin above the window.
    if ((section.current?.getBoundingClientRect().top ?? 0) < 0) section.current?.scrollIntoView();
    setQuery(typed);
  };
  const isFiltered = shownQuery.trim() !== "" || category !== "";
  return (
    <section ref={section} aria-labelledby="tools-title" id="tools" className="flex flex-col gap-3 sm:gap-2">
      <h2 id="tools-title">
        <VisuallyHidden>Tools</VisuallyHidden>
      </h2>
      {tools.length > 0 ? (
        <CatalogueBar query={query} category={category} categories={categories} onQueryChange={search} />
      ) : null}
      <LiveRegion message={isLoading ? "Loading" : isFiltered ? formatCount(found.length) : ""} />
      <div aria-busy={isLoading || undefined}>
        {isLoading ? (
          <SkeletonGrid />
        ) : found.length > 0 ? (
          <ToolGrid>
            {found.map((tool) => (
              <li key={tool.slug}>
                {/* Hydrated after the rest of the page, or at once when it is pressed. */}
                <Suspense>
                  <ToolCard
                    tool={tool}
                    shop={shop}
                    accessUntil={accessUntil.get(tool.slug) ?? null}
                    onChoose={onChoose}
                  />
                </Suspense>
              </li>
            ))}
          </ToolGrid>
        ) : (
          <NothingFound query={shownQuery} category={category} onClear={() => setQuery("")} />
        )}
      </div>
    </section>
  );
}

/** Whether a search or a category of the catalogue is being loaded. */
function useLoadsCatalogue(): boolean {
  const { state, location } = useNavigation();
  const { pathname, search } = useLocation();
  return state === "loading" && pathname === "/" && location.pathname === "/" && location.search !== search;
}

function NothingFound({ query, category, onClear }: CatalogueParams & { onClear: () => void }) {
  const typed = query.trim();
  if (typed === "" && category === "") {
    return <EmptyState title="No tools yet">The shop is being set up. Please check back soon.</EmptyState>;
  }
  const showAll =
    category === "" ? (
      <Button onClick={onClear}>Show all tools</Button>
    ) : (
      <LinkButton to="/" preventScrollReset onClick={onClear}>
        Show all tools
      </LinkButton>
    );
  return (
    <EmptyState title="Nothing found" action={showAll}>
      {typed === "" ? "No tool is" : `No tool matches “${typed}”`}
      {category === "" ? "" : ` in ${categoryLabel(category)}`}.
    </EmptyState>
  );
}

function formatCount(count: number): string {
  if (count === 0) return "No tools found";
  return count === 1 ? "1 tool found" : `${count} tools found`;
}
