import ArrowDown from "lucide-react/icons/arrow-down";
import ArrowUp from "lucide-react/icons/arrow-up";
import { Link } from "react-router";
import type { Column } from "../../ui/data-table.tsx";
import type { ListAddress } from "./use-list-address.ts";

type Direction = "asc" | "desc";

/** An order that a list can have. */
export interface Order {
  /** Its name in the address. */
  sort: string;
  label: string;
  /** The direction when it is chosen. */
  first: Direction;
  /** The direction of the list, if it has this order. */
  sorted: Direction | undefined;
}

/** A column of a list, and the order that its header gives the list. */
export interface ListColumn<Row> extends Column<Row> {
  order?: Order;
}

/**
 * The header of a column by which the list can be sorted: a link that turns the order around.
 *
 * @param options.isDefault the list is in this order, newest or largest first, when the address names none
 * @param options.first the order of the first click; newest or largest first without it
 */
export function sortable<Row>(
  address: ListAddress,
  options: { sort: string; label: string; isDefault?: boolean; first?: Direction },
): Pick<ListColumn<Row>, "header" | "cardLabel" | "sorted" | "order"> {
  const { sort, label, isDefault = false, first = "desc" } = options;
  const current = address.get("sort");
  const isSorted = current === sort || (current === "" && isDefault);
  const direction = address.get("direction") === "asc" ? "asc" : "desc";
  const opposite = direction === "desc" ? "asc" : "desc";
  const next = isSorted ? opposite : first;
  const Arrow = direction === "asc" ? ArrowUp : ArrowDown;
  const sorted = isSorted ? direction : undefined;
  return {
    cardLabel: label,
    sorted,
    order: { sort, label, first, sorted },
    header: (
      <Link
        to={address.hrefWith({ sort, direction: next })}
        preventScrollReset
        replace
        className="inline-flex items-center gap-1 rounded-sm hover:text-ink"
      >
        {label}
        {isSorted ? <Arrow className="size-3.5" aria-hidden="true" /> : null}
      </Link>
    ),
  };
}
