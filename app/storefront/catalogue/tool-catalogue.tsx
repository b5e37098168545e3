import { Suspense, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { Form, Link, useLocation, useNavigation } from "react-router";
import { chatUrl } from "#core/catalog/limits.ts";
import type { CatalogueCard } from "#core/catalog/on-sale.server.ts";
import { cleanText, searchProblem } from "#core/typed-text.ts";
import { Button, LinkButton } from "../../ui/button.tsx";
import { buttonClasses } from "../../ui/class-names.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { TextField } from "../../ui/forms/text-field.tsx";
import { LiveRegion, VisuallyHidden } from "../../ui/text.tsx";
import { plural, t } from "../../ui/texts/texts.ts";
import { useShared } from "../../use-shared.ts";
import { chatNumberOf, searchInquiry } from "../chat-inquiry.ts";
import { SkeletonGrid, ToolGrid, useSlow } from "../home-pending.tsx";
import { Icon, MESSAGE, SEARCH } from "../icons.tsx";
import type { ListedTool, MoreTexts } from "./card-texts.ts";
import {
  type CatalogueParams,
  catalogueAddress,
  categoryLabel,
  describeNothing,
  listCategories,
  MAX_QUERY,
  readCatalogueParams,
  SEARCH_FIELD,
  shopPath,
} from "./catalogue-params.ts";
import { nearestTools, searchTools } from "./search-tools.ts";
import { ToolCard } from "./tool-card.tsx";
import { useMoreTexts } from "./use-more-texts.ts";

/** All tools on sale, with a search that updates while the visitor types, and their categories. */
export function ToolCatalogue({
  tools,
  moreTexts,
  accessUntil,
  onChoose,
}: {
  tools: readonly ListedTool[];
  /** On a page for a search. */
  moreTexts: MoreTexts | null;
  /** The end of the buyer's active passes, by the slug of the tool. */
  accessUntil: ReadonlyMap<string, Date>;
  onChoose: (tool: CatalogueCard) => void;
}) {
  const { store, timeZone } = useShared();
  const shop = { chatNumber: chatNumberOf(store), timeZone };
  const { query, category, setQuery } = useCatalogueParams();
  const more = useMoreTexts(moreTexts);
  const isNavigating = useSlow(useLoadsCatalogue());
  const categories = useMemo(() => listCategories(tools), [tools]);
  const shownQuery = useDeferredValue(query);
  const inCategory =
    category === "" ? tools : tools.filter((tool) => tool.category.toLowerCase() === category);
  const searched = inCategory.map((tool) => ({ ...tool, moreText: more.texts?.[tool.slug] }));
  const found = searchProblem(shownQuery, MAX_QUERY) === null ? searchTools(searched, shownQuery) : [];
  const isLoading = isNavigating || (more.isLoading && found.length === 0);
  const section = useRef<HTMLElement>(null);
  const search = (typed: string) => {
    // Under the bar that stays at the top, fewer results would otherwise begin above the window.
    if ((section.current?.getBoundingClientRect().top ?? 0) < 0) section.current?.scrollIntoView();
    more.load();
    setQuery(typed);
  };
  // The results are then above the keyboard.
  const focus = () => {
    more.load();
    if (matchMedia("(pointer: coarse)").matches) section.current?.scrollIntoView();
  };
  const isFiltered = shownQuery.trim() !== "" || category !== "";
  return (
    <section ref={section} aria-labelledby="tools-title" id="tools" className="flex flex-col gap-2">
      <h2 id="tools-title">
        <VisuallyHidden>{t("Tools")}</VisuallyHidden>
      </h2>
      {tools.length > 0 ? (
        <CatalogueBar
          query={query}
          category={category}
          categories={categories}
          onQueryChange={search}
          onFocus={focus}
        />
      ) : null}
      <LiveRegion message={isLoading ? t("Loading") : isFiltered ? formatCount(found.length) : ""} />
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
          <NothingFound
            query={shownQuery}
            category={category}
            tools={tools}
            chatNumber={shop.chatNumber}
            onClear={() => setQuery("")}
          />
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

interface NothingFoundProps extends CatalogueParams {
  /** Of all categories. */
  tools: readonly CatalogueCard[];
  chatNumber: string | null;
  onClear: () => void;
}

/** Says why, offers the tools with the nearest names, and leads to the chat with what was typed. */
function NothingFound({ query, category, tools, chatNumber, onClear }: NothingFoundProps) {
  const typed = query.trim();
  if (typed === "" && category === "") {
    return (
      <EmptyState title={t("No tools yet")}>
        {t("The shop is being set up. Please check back soon.")}
      </EmptyState>
    );
  }
  const isSearch = typed !== "" && searchProblem(typed, MAX_QUERY) === null;
  const nearest = isSearch ? nearestTools(tools, typed) : [];
  const showAll =
    category === "" ? (
      <Button onClick={onClear}>{t("Show all tools")}</Button>
    ) : (
      <LinkButton to="/" preventScrollReset onClick={onClear}>
        {t("Show all tools")}
      </LinkButton>
    );
  return (
    <EmptyState
      title={t("Nothing found")}
      action={
        <div className="flex flex-wrap justify-center gap-2">
          {chatNumber === null || !isSearch ? null : (
            <a
              href={chatUrl(chatNumber, searchInquiry(cleanText(typed)))}
              target="_blank"
              rel="noreferrer"
              className={buttonClasses({}, "wrap-anywhere")}
            >
              <Icon shape={MESSAGE} className="size-4" />
              <span>{t("Ask us for “{query}” on WhatsApp", { query: typed })}</span>
            </a>
          )}
          {showAll}
        </div>
      }
    >
      <p className="wrap-anywhere">{describeNothing(typed, category)}</p>
      {nearest.length === 0 ? null : (
        <div className="mt-3 flex flex-wrap items-center justify-center gap-2">
          <p>{t("Did you mean:")}</p>
          {nearest.map(({ slug, name }) => (
            <LinkButton key={slug} to={shopPath(slug)}>
              {name}
            </LinkButton>
          ))}
        </div>
      )}
    </EmptyState>
  );
}

function formatCount(count: number): string {
  return count === 0 ? t("No tools found") : plural(count, "{count} tool found", "{count} tools found");
}

/** Browsers refuse an address that changes with each key. */
const ADDRESS_DELAY_MS = 400;

interface CatalogueChoice extends CatalogueParams {
  setQuery: (query: string) => void;
}

/**
 * The search and the category of the address. What is typed applies at once and is written to the address soon after,
 * without a request; a navigation, also by the back button, replaces it.
 */
function useCatalogueParams(): CatalogueChoice {
  const { search, key } = useLocation();
  const fromAddress = readCatalogueParams(search);
  const [query, setQuery] = useState(fromAddress.query);
  // The key, because the router does not know the address that the search has written: a link to the page without a
  // search, such as the logo, leads to the address that the router still has.
  const [seen, setSeen] = useState(key);
  if (seen !== key) {
    setSeen(key);
    setQuery(fromAddress.query);
  }
  const { category } = fromAddress;

  // biome-ignore lint/correctness/useExhaustiveDependencies: a navigation to the same page may have written its address
  useEffect(() => {
    const timer = setTimeout(() => {
      const { pathname, hash } = window.location;
      const address = catalogueAddress({ query, category });
      if (pathname !== "/" || catalogueAddress(readCatalogueParams(window.location.search)) === address)
        return;
      // Not a navigation of the router, which would load the catalogue again.
      window.history.replaceState(window.history.state, "", `${address}${hash}`);
    }, ADDRESS_DELAY_MS);
    return () => clearTimeout(timer);
  }, [query, category, key]);

  return { query, category, setQuery };
}

interface CatalogueBarProps extends CatalogueParams {
  categories: readonly string[];
  onQueryChange: (query: string) => void;
  onFocus: () => void;
}

/** With large text the bar scrolls away, because it would cover too much of the window. */
const STICKY = "max-sm:sticky max-sm:top-[min(0px,(20px-1rem)*1000)] max-sm:z-20 max-sm:bg-paper";

/**
 * The search and the categories. On phones it stays at the top of the window. Both are addresses of the home page, so
 * that they work without scripts, can be shared, and are kept by the back button.
 */
function CatalogueBar({ query, category, categories, onQueryChange, onFocus }: CatalogueBarProps) {
  return (
    <div
      className={`${STICKY} -mx-4 flex flex-col gap-2 py-2 sm:mx-0 sm:flex-row-reverse sm:items-center sm:justify-between sm:gap-4 sm:py-3`}
    >
      <search className="px-4 sm:w-72 sm:shrink-0 sm:px-0">
        {/* What is typed replaces the address, and so does Enter. */}
        <Form method="get" action="/" replace preventScrollReset>
          <TextField
            type="search"
            id={SEARCH_FIELD}
            name="q"
            label={t("Search tools")}
            labelHidden
            placeholder={t("Search tools")}
            autoComplete="off"
            enterKeyHint="search"
            maxLength={MAX_QUERY + 1}
            start={<Icon shape={SEARCH} className="size-4" />}
            value={query}
            onChange={(event) => onQueryChange(event.currentTarget.value)}
            onFocus={onFocus}
          />
          {category === "" ? null : <input type="hidden" name="category" value={category} />}
        </Form>
      </search>
      {categories.length > 1 ? (
        <nav
          aria-label={t("Categories")}
          className="fade-end mr-4 min-w-0 overflow-x-auto sm:mr-0 [scrollbar-width:none]"
        >
          <ul className="flex w-max gap-2 px-4 pr-12 sm:px-0 sm:pr-12">
            {["", ...categories].map((name) => (
              <li key={name}>
                <Link
                  to={catalogueAddress({ query, category: name })}
                  preventScrollReset
                  aria-current={name === category ? "true" : undefined}
                  className="inline-flex min-h-11 items-center rounded-full border border-line bg-card px-4 font-medium -outline-offset-2 transition-colors duration-150 hover:border-field aria-[current]:border-ink aria-[current]:bg-ink aria-[current]:text-paper"
                >
                  {name === "" ? t("All") : categoryLabel(name)}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
      ) : null}
    </div>
  );
}
