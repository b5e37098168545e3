import { Form, Link } from "react-router";
import { TextField } from "../../ui/forms/text-field.tsx";
import { Icon, SEARCH } from "../icons.tsx";
import { type CatalogueParams, catalogueAddress, categoryLabel } from "./catalogue-params.ts";

interface CatalogueBarProps extends CatalogueParams {
  categories: readonly string[];
  onQueryChange: (query: string) => void;
}

/** With large text the bar scrolls away, because it would cover too much of the window. */
const STICKY = "max-sm:sticky max-sm:top-[min(0px,(20px-1rem)*1000)] max-sm:z-20 max-sm:bg-paper";

/**
 * The search and the categories. On phones it stays at the top of the window. Both are addresses of the home page, so
 * that they work without scripts, can be shared, and are kept by the back button.
 */
export function CatalogueBar({ query, category, categories, onQueryChange }: CatalogueBarProps) {
  return (
    <div
      className={`${STICKY} -mx-4 flex flex-col gap-2 py-2 sm:mx-0 sm:flex-row-reverse sm:items-center sm:justify-between sm:gap-4 sm:py-3`}
    >
      <search className="px-4 sm:w-72 sm:shrink-0 sm:px-0">
        <Form method="get" action="/" preventScrollReset>
          <TextField
            type="search"
            name="q"
            label="Search tools"
            labelHidden
            placeholder="Search tools"
            autoComplete="off"
            enterKeyHint="search"
            start={<Icon shape={SEARCH} className="size-4" />}
            value={query}
            onChange={(event) => onQueryChange(event.currentTarget.value)}
          />
          {category === "" ? null : <input type="hidden" name="category" value={category} />}
        </Form>
      </search>
      {categories.length > 1 ? (
        <nav aria-label="Categories" className="fade-end min-w-0 overflow-x-auto [scrollbar-width:none]">
          <ul className="flex w-max gap-2 px-4 pr-12 sm:px-0 sm:pr-12">
            {["", ...categories].map((name) => (
              <li key={name}>
                <Link
                  to={catalogueAddress({ query, category: name })}
                  preventScrollReset
                  aria-current={name === category ? "true" : undefined}
                  className="inline-flex min-h-11 items-center rounded-full border border-line bg-card px-4 font-medium -outline-offset-2 transition-colors duration-150 hover:border-field aria-[current]:border-strong aria-[current]:bg-strong aria-[current]:text-on-strong"
                >
                  {name === "" ? "All" : categoryLabel(name)}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
      ) : null}
    </div>
  );
}
