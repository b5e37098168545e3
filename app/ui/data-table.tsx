import { type ColumnDef, type RowData, tableFeatures, useTable } from "@tanstack/react-table";
import type { MouseEvent, ReactNode } from "react";
import { classNames } from "./class-names.ts";

/** Rows come sorted, filtered and paged from the server, so the table needs none of the library's features. */
const features = tableFeatures({});

export interface Column<Row> {
  id: string;
  header: ReactNode;
  cell: (row: Row) => ReactNode;
  /** `end`: numbers. */
  align?: "start" | "end";
  /** What a card calls the value on phones; the header otherwise. null: the value needs no name. */
  cardLabel?: string | null;
  /** Classes of the header and the cells, for widths. */
  className?: string;
  /** The direction of the list's order, if it is by this column. */
  sorted?: "asc" | "desc" | undefined;
}

interface DataTableProps<Row> {
  /** The accessible name. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowId: (row: Row) => string;
  selectedId?: string | null | undefined;
  /** Makes rows selectable by a click. Each row then needs a control of its own for the keyboard. */
  onSelect?: (row: Row) => void;
}

/** A table; below 720 px each row is a card. */
export function DataTable<Row extends RowData>({
  label,
  columns,
  rows,
  rowId,
  selectedId,
  onSelect,
}: DataTableProps<Row>) {
  const byId = new Map(columns.map((column) => [column.id, column]));
  const definitions: ColumnDef<typeof features, Row>[] = columns.map(({ id }) => ({ id }));
  const table = useTable({ features, columns: definitions, data: rows, getRowId: rowId });
  return (
    // The roles keep the table a table for screen readers where the cells are no longer displayed as cells.
    // biome-ignore-start lint/a11y/noRedundantRoles: see above
    <table role="table" aria-label={label} className="data-table w-full border-collapse text-sm">
      <thead role="rowgroup">
        {table.getHeaderGroups().map((group) => (
          <tr role="row" key={group.id}>
            {group.headers.map((header) => {
              const column = byId.get(header.column.id);
              return (
                <th
                  role="columnheader"
                  scope="col"
                  key={header.id}
                  aria-sort={ariaSort(column?.sorted)}
                  className={cellClasses(column, "whitespace-nowrap font-medium text-muted text-xs")}
                >
                  {column?.header}
                </th>
              );
            })}
          </tr>
        ))}
      </thead>
      <tbody role="rowgroup">
        {table.getRowModel().rows.map((row) => (
          <tr
            role="row"
            key={row.id}
            aria-selected={onSelect ? row.id === selectedId : undefined}
            onClick={onSelect ? (event) => isChoice(event) && onSelect(row.original) : undefined}
            className={classNames(
              onSelect && "cursor-pointer hover:bg-ink/3",
              row.id === selectedId && "bg-marigold/15",
            )}
          >
            {row.getAllCells().map((cell) => {
              const column = byId.get(cell.column.id);
              return (
                <td role="cell" key={cell.id} className={cellClasses(column)}>
                  <CardLabel column={column} />
                  {column ? <CellContent column={column} row={row.original} /> : null}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
    // biome-ignore-end lint/a11y/noRedundantRoles: see above
  );
}

/**
 * Whether a click in a row chooses the row. A button or link in it does something of its own. The second click of a double
 * click may be meant for what was in this place before the first one changed the page.
 */
function isChoice({ target, detail }: MouseEvent): boolean {
  const isControl = target instanceof Element && target.closest("a, button, input, select, label") !== null;
  return !isControl && detail <= 1;
}

/**
 * A component of the same identity in every render. The library would take each new function of a column for a new
 * component, and so lose the focus, the state and the requests of what is in the cell.
 */
function CellContent<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  return <span className="contents">{column.cell(row)}</span>;
}

function CardLabel<Row>({ column }: { column: Column<Row> | undefined }) {
  const text = column?.cardLabel === undefined ? column?.header : column.cardLabel;
  return text === null || text === undefined ? null : (
    <span className="card-label" aria-hidden="true">
      {text}
    </span>
  );
}

function ariaSort(sorted: "asc" | "desc" | undefined): "ascending" | "descending" | undefined {
  if (sorted === undefined) return undefined;
  return sorted === "asc" ? "ascending" : "descending";
}

function cellClasses<Row>(column: Column<Row> | undefined, extra?: string): string {
  return classNames(
    "px-3 py-2",
    column?.align === "end" ? "data-table-end text-right tabular-nums" : "text-left",
    extra,
    column?.className,
  );
}
