import type { ReactNode } from "react";
import { type List, lastPageOf } from "#core/paging.ts";
import { LinkButton } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { useListAddress } from "./use-list-address.ts";

interface ListSectionProps {
  /** Search and filters. */
  controls?: ReactNode;
  /** The button that adds a row. */
  action?: ReactNode;
  list: Pick<List<unknown>, "rows" | "page" | "pageSize" | "total" | "totalIsExact">;
  empty: { title: string; text?: ReactNode };
  /** The table. */
  children: ReactNode;
}

const counts = new Intl.NumberFormat("en-IN");

/** One list of the admin: its controls, its rows or what it says without rows, and its pages. */
export function ListSection({ controls, action, list, empty, children }: ListSectionProps) {
  const address = useListAddress();
  return (
    <div className="flex flex-col gap-3">
      {controls || action ? (
        <div className="flex flex-wrap items-start gap-2">
          {controls}
          {action ? <div className="ml-auto flex grow justify-end sm:grow-0">{action}</div> : null}
        </div>
      ) : null}
      <div aria-busy={address.isLoading} className={address.isLoading ? "opacity-60 delay-300" : undefined}>
        {list.rows.length === 0 ? (
          <EmptyState title={empty.title}>{empty.text}</EmptyState>
        ) : (
          <Card className="overflow-clip px-1">{children}</Card>
        )}
      </div>
      {list.rows.length > 0 ? <Pager list={list} /> : null}
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
        {counts.format(first)}–{counts.format(first + rows.length - 1)} of {counts.format(total)}
        {totalIsExact ? "" : "+"}
        {page === last && !totalIsExact ? ". Search to narrow it down." : ""}
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
