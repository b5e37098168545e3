import Search from "lucide-react/icons/search";
import SlidersHorizontal from "lucide-react/icons/sliders-horizontal";
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { BulkActionName } from "#core/bulk-actions/bulk-actions.ts";
import { findsBeginnings, type List, lastPageOf } from "#core/lists/paging.ts";
import { MAX_SEARCH_CHARACTERS, searchProblem } from "#core/typed-text.ts";
import { LinkButton } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { classNames } from "../../ui/class-names.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { CheckField, SelectField } from "../../ui/forms/fields.tsx";
import { TextField } from "../../ui/forms/text-field.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import type { Elements } from "../../ui/texts/texts.ts";
import { BulkBar } from "../bulk-actions/bulk-bar.tsx";
import { formatCount } from "../format-count.ts";
import { ChooseButton, ChoosingContext, useChoosing } from "./choosing.tsx";
import { useListAddress } from "./use-list-address.ts";

interface ListSectionProps {
  search?: Elements;
  /** On phones they are behind a button, with the order of the list. */
  filters?: Elements;
  /** The button that adds a row. */
  action?: ReactNode;
  list: Pick<List<{ id: string }>, "rows" | "page" | "pageSize" | "total" | "totalIsExact" | "isPartial">;
  /** What can be done to several rows at once; without it, rows cannot be ticked. */
  bulk?: readonly BulkActionName[];
  empty: { title: string; text?: ReactNode };
  /** The table. */
  children: ReactNode;
}

/** Why a search cannot be done. */
export const SEARCH_PROBLEMS = {
  invisible: "This search has only characters that nobody sees. Type a letter, a number or a sign.",
  "too-long": `A search has at most ${MAX_SEARCH_CHARACTERS} characters. Type a part of it.`,
};

/** One list of the admin: its controls, its rows or what it says without rows, and its pages. */
export function ListSection({ search, filters, action, list, bulk, empty, children }: ListSectionProps) {
  const address = useListAddress();
  const choosing = useChoosing(list.rows);
  const rows = useRef<HTMLDivElement>(null);
  // Whether a phone shows the filters and the order. A filter that is in use stays in sight.
  const [isNarrowing, setIsNarrowing] = useState(false);
  // Read before the change: the row of the button that has the focus may go, such as when another admin deletes it.
  const hadFocus = rows.current?.contains(document.activeElement) ?? false;
  useEffect(() => {
    if (hadFocus && document.activeElement === document.body) rows.current?.focus();
  });
  const problem = searchProblem(address.get("q"));
  const isEmpty = problem !== null || list.rows.length === 0;
  return (
    <div className="group/list flex flex-col gap-2" data-narrowing={isNarrowing || undefined}>
      <div className="flex flex-wrap items-start gap-2">
        {search}
        <span className="hidden max-[720px]:group-has-data-narrows/list:contents">
          <IconButton
            label="Filters and order"
            aria-expanded={isNarrowing}
            className="border border-field bg-card"
            onClick={() => setIsNarrowing(!isNarrowing)}
          >
            <SlidersHorizontal className="size-4.5" aria-hidden="true" />
          </IconButton>
        </span>
        {filters}
        {bulk === undefined ? null : <ChooseButton choosing={choosing} />}
        {action ? <div className="ml-auto flex grow justify-end sm:grow-0">{action}</div> : null}
      </div>
      <div
        ref={rows}
        // A dialog whose row has gone gives it the focus.
        tabIndex={-1}
        data-rows=""
        aria-busy={address.isLoading}
        className={classNames("outline-none", address.isLoading && "opacity-60 delay-300")}
      >
        {list.isPartial ? (
          <p className="pb-3 text-muted text-sm">
            More than 1,000 accounts or names match, so some rows are missing. Search for a longer part.
          </p>
        ) : null}
        {isEmpty ? (
          <EmptyState title={empty.title}>
            {problem === null ? (
              <>
                <div>{empty.text}</div>
                {findsBeginnings(address.get("q").trim()) ? (
                  <p>One or two letters find only words that begin with them.</p>
                ) : null}
              </>
            ) : (
              SEARCH_PROBLEMS[problem]
            )}
          </EmptyState>
        ) : (
          <ChoosingContext value={bulk === undefined ? null : choosing}>
            <Card className="overflow-clip px-1">{children}</Card>
          </ChoosingContext>
        )}
      </div>
      {isEmpty ? null : <Pager list={list} />}
      {bulk === undefined ? null : <BulkBar actions={bulk} choosing={choosing} list={list} />}
    </div>
  );
}

/** "51–100 of 10,000+", and the links to the pages beside this one. */
function Pager({ list }: Pick<ListSectionProps, "list">) {
  const address = useListAddress();
  const { page, pageSize, rows, total, totalIsExact } = list;
  const first = (page - 1) * pageSize + 1;
  const last = lastPageOf(total);
  const pageHref = (number: number) => address.hrefWith({ page: number === 1 ? "" : String(number) });
  return (
    <nav aria-label="Pages" className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 text-sm">
      <p className="text-muted tabular-nums">
        {`${formatCount(first)}–${formatCount(first + rows.length - 1)} of ${formatCount(total)}${totalIsExact ? "" : "+"}${page === last && !totalIsExact ? ". Search to narrow it down." : ""}`}
      </p>
      {last > 1 ? (
        <div className="flex gap-2">
          {page > 1 ? (
            <LinkButton to={pageHref(page - 1)} size="small" preventScrollReset>
              Previous
            </LinkButton>
          ) : null}
          {page < last ? (
            <LinkButton to={pageHref(page + 1)} size="small" preventScrollReset>
              Next
            </LinkButton>
          ) : null}
        </div>
      ) : null}
    </nav>
  );
}

/** On phones only after a press of 'Filters and order'. */
export const WHILE_NARROWING = "max-[720px]:not-group-data-narrowing/list:hidden";

const TYPING_PAUSE_MS = 250;

/** The search of a list. It searches while one types, and without a script when one presses Enter. */
export function SearchBox({ placeholder }: { placeholder: string }) {
  const address = useListAddress();
  const current = address.get("q");
  const [text, setText] = useState(current);
  const searched = useRef(current);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // A search after the pause must keep a filter that was chosen meanwhile.
  const latest = useRef(address);
  useEffect(() => {
    latest.current = address;
  });

  // The address changes by itself with the back button.
  useEffect(() => {
    if (current !== searched.current) setText(current);
    searched.current = current;
  }, [current]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const search = (q: string) => {
    clearTimeout(timer.current);
    timer.current = undefined;
    searched.current = q;
    latest.current.set({ q });
  };
  return (
    <search className="min-w-48 flex-1">
      <form
        method="get"
        onSubmit={(event) => {
          event.preventDefault();
          search(text.trim());
        }}
      >
        <TextField
          label={placeholder}
          labelHidden
          type="search"
          name="q"
          placeholder={placeholder}
          value={text}
          // One more than can be searched, so that a longer text is not cut without a word.
          maxLength={MAX_SEARCH_CHARACTERS + 1}
          autoComplete="off"
          start={<Search className="size-4" aria-hidden="true" />}
          onChange={(event) => {
            const { value } = event.currentTarget;
            setText(value);
            clearTimeout(timer.current);
            timer.current = setTimeout(() => search(value.trim()), TYPING_PAUSE_MS);
          }}
          // Otherwise the search would start after a click on a tab, and replace the navigation to that tab.
          onBlur={() => {
            if (timer.current !== undefined) search(text.trim());
          }}
        />
      </form>
    </search>
  );
}

/** A filter of a list. The first option is the default and has the value "". */
export function ListFilter({
  name,
  label,
  options,
}: {
  name: string;
  label: string;
  options: readonly { value: string; label: string }[];
}) {
  const address = useListAddress();
  const [shown, setShown] = useShownAtOnce(address.get(name));
  const [isUsed, setIsUsed] = useState(shown !== "");
  return (
    <div
      data-narrows=""
      className={classNames("min-w-[min(100%,9rem)] max-w-full sm:max-w-64", !isUsed && WHILE_NARROWING)}
    >
      <SelectField
        label={label}
        labelHidden
        options={options}
        value={shown}
        onChange={(event) => {
          const { value } = event.currentTarget;
          setIsUsed(true);
          setShown(value);
          address.set({ [name]: value });
        }}
      />
    </div>
  );
}

/** A filter that is on or off; on is 1 in the address. */
export function ListCheck({ name, label }: { name: string; label: string }) {
  const address = useListAddress();
  const [shown, setShown] = useShownAtOnce(address.get(name));
  const [isUsed, setIsUsed] = useState(shown !== "");
  return (
    <div data-narrows="" className={classNames(!isUsed && WHILE_NARROWING)}>
      <CheckField
        label={label}
        checked={shown === "1"}
        onChange={(event) => {
          const value = event.currentTarget.checked ? "1" : "";
          setIsUsed(true);
          setShown(value);
          address.set({ [name]: value });
        }}
      />
    </div>
  );
}

/** What a control shows: its new value at once, although the address changes only when the list has been loaded. */
export function useShownAtOnce(current: string) {
  const [shown, setShown] = useState(current);
  useEffect(() => setShown(current), [current]);
  return [shown, setShown] as const;
}
