import type { RowData } from "@tanstack/react-table";
import ArrowDown from "lucide-react/icons/arrow-down";
import ArrowUp from "lucide-react/icons/arrow-up";
import { type ComponentProps, useContext } from "react";
import { Link } from "react-router";
import { formatDateTime, formatTime, hasNoEnd, NO_END } from "#core/time.ts";
import { DateOnly } from "../../time/date-time.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { SelectField } from "../../ui/forms/fields.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { useShared } from "../../use-shared.ts";
import { ChoosingContext, TickOfPage, useTicks } from "./choosing.tsx";
import { useShownAtOnce, WHILE_NARROWING } from "./list-section.tsx";
import { type ListAddress, useListAddress } from "./use-list-address.ts";

interface ListTableProps<Row extends RowData> extends Omit<ComponentProps<typeof DataTable<Row>>, "columns"> {
  columns: readonly ListColumn<Row>[];
  /** What a row is called, for the name of its tick. */
  rowName?: (row: Row) => string;
}

/** The table of a list. Its heads sort it; on phones, where it has no heads, a select does. */
export function ListTable<Row extends RowData>({ columns, rowName, onPress, ...table }: ListTableProps<Row>) {
  const choosing = useContext(ChoosingContext);
  const ticks = useTicks(table.rowId, rowName);
  const orders = columns.flatMap(({ order }) => (order === undefined ? [] : [order]));
  return (
    <>
      {orders.length === 0 ? null : <SortBy orders={orders} />}
      {choosing?.isOpen ? <TickOfPage choosing={choosing} /> : null}
      <DataTable
        columns={[...ticks, ...columns]}
        // On a phone that shows the ticks, the whole row is one.
        onPress={
          choosing?.isOpen
            ? (row) => (matchMedia(WIDE).matches ? onPress?.(row) : choosing.toggle(table.rowId(row)))
            : onPress
        }
        {...table}
      />
    </>
  );
}

/** A phone that shows the ticks may be turned: the page is then wide, and its rows are pressed as ever. */
const WIDE = "(min-width: 720px)";

const NO_ORDER = { value: "", label: "Default" };

function SortBy({ orders }: { orders: readonly Order[] }) {
  const address = useListAddress();
  const current = orders.find(({ sorted }) => sorted !== undefined);
  const [shown, setShown] = useShownAtOnce(current?.sort ?? "");
  const options = orders.map(({ sort, label }) => ({ value: sort, label }));
  const isAscending = current?.sorted === "asc";
  const Arrow = isAscending ? ArrowUp : ArrowDown;
  return (
    <div
      data-narrows=""
      className={`flex items-center gap-2 border-line border-b px-3 py-1.5 min-[720px]:hidden ${WHILE_NARROWING}`}
    >
      <span className="text-muted text-xs" aria-hidden="true">
        Sort by
      </span>
      <div className="min-w-0 flex-1">
        <SelectField
          label="Sort by"
          labelHidden
          options={current === undefined ? [NO_ORDER, ...options] : options}
          value={shown}
          onChange={(event) => {
            const { value } = event.currentTarget;
            const chosen = orders.find(({ sort }) => sort === value);
            if (chosen === undefined) return;
            setShown(value);
            address.set({ sort: chosen.sort, direction: chosen.first });
          }}
        />
      </div>
      {current === undefined ? null : (
        <IconButton
          label={isAscending ? "Sort in descending order" : "Sort in ascending order"}
          onClick={() => address.set({ sort: current.sort, direction: isAscending ? "desc" : "asc" })}
        >
          <Arrow className="size-4.5" aria-hidden="true" />
        </IconButton>
      )}
    </div>
  );
}

type Direction = "asc" | "desc";

/** An order that a list can have. */
interface Order {
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
): Pick<ListColumn<Row>, "header" | "sorted" | "order"> {
  const { sort, label, isDefault = false, first = "desc" } = options;
  const current = address.get("sort");
  const isSorted = current === sort || (current === "" && isDefault);
  const given = address.get("direction");
  const isAscending = given === "" ? current === "" && isDefault && first === "asc" : given === "asc";
  const direction = isAscending ? "asc" : "desc";
  const opposite = direction === "desc" ? "asc" : "desc";
  const next = isSorted ? opposite : first;
  const Arrow = direction === "asc" ? ArrowUp : ArrowDown;
  const sorted = isSorted ? direction : undefined;
  return {
    sorted,
    order: { sort, label, first, sorted },
    header: (
      <Link
        to={address.hrefWith({ sort, direction: next })}
        preventScrollReset
        replace
        className="inline-flex items-center gap-1 rounded-sm hover:text-ink"
      >
        <span>{label}</span>
        {isSorted ? <Arrow className="size-3.5" aria-hidden="true" /> : null}
      </Link>
    ),
  };
}

/**
 * A date as dd/mm/yy in the store's time zone, or `No end`. The time is in its tooltip.
 *
 * @param props.withTime shows the time below it too
 */
export function AdminDate({
  date,
  missing = "Unknown",
  withTime = false,
}: {
  date: Date | null;
  missing?: string;
  withTime?: boolean;
}) {
  const { timeZone } = useShared();
  if (date === null) return <span className="text-muted">{missing}</span>;
  if (hasNoEnd(date)) return <span title={formatDateTime(date, timeZone)}>{NO_END}</span>;
  return (
    <span title={formatDateTime(date, timeZone)}>
      <DateOnly date={date} />
      {withTime ? (
        <span className="block text-muted text-xs tabular-nums">{formatTime(date, timeZone)}</span>
      ) : null}
    </span>
  );
}
