import { type ColumnDef, type RowData, tableFeatures, useTable } from "@tanstack/react-table";
import { type MouseEvent, type ReactNode, useRef } from "react";
import { classNames } from "./class-names.ts";

/** Rows come sorted, filtered and paged from the server, so the table needs none of the library's features. */
const features = tableFeatures({});

export interface Column<Row> {
  id: string;
  header: ReactNode;
  cell: (row: Row) => ReactNode;
  /** `end`: numbers. */
  align?: "start" | "end";
  /** Where the cell is on phones; without it only wider pages show the cell. */
  phone?: PhonePlace;
  /** Classes of the header and the cells, for widths. */
  className?: string;
  /** The direction of the list's order, if it is by this column. */
  sorted?: "asc" | "desc" | undefined;
}

/**
 * A place in the two lines of a row on phones. `both`: the start of both lines. `first`, `second`: the start of a line.
 * `first-end`, `second-end`: its end. `menu`: beside both lines. `tick`: before both lines. `more`: a line of its own
 * below.
 */
type PhonePlace = "both" | "first" | "first-end" | "second" | "second-end" | "menu" | "tick" | "more";

interface DataTableProps<Row> {
  /** The accessible name. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowId: (row: Row) => string;
  selectedId?: string | null | undefined;
  /** What a click on a row does. Each row then needs a control of its own for the keyboard. */
  onPress?: ((row: Row) => void) | undefined;
}

/** A table; below 720 px each row has two lines. */
export function DataTable<Row extends RowData>({
  label,
  columns,
  rows,
  rowId,
  selectedId,
  onPress,
}: DataTableProps<Row>) {
  const byId = new Map(columns.map((column) => [column.id, column]));
  const definitions: ColumnDef<typeof features, Row>[] = columns.map(({ id }) => ({ id }));
  const pressedAt = useRef({ x: 0, y: 0 });
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
            aria-selected={selectedId === undefined ? undefined : row.id === selectedId}
            onMouseDown={
              onPress
                ? ({ clientX: x, clientY: y }) => {
                    pressedAt.current = { x, y };
                  }
                : undefined
            }
            onClick={
              onPress
                ? (event) => {
                    if (!isPress(event, pressedAt.current)) return;
                    focusFirstControl(event.currentTarget);
                    onPress(row.original);
                  }
                : undefined
            }
            className={classNames(
              onPress && "cursor-pointer hover:bg-ink/3",
              row.id === selectedId && "bg-marigold/15",
            )}
          >
            {row.getAllCells().map((cell) => {
              const column = byId.get(cell.column.id);
              return (
                <td role="cell" key={cell.id} data-phone={column?.phone} className={cellClasses(column)}>
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

/** A movement between press and release that is longer than this, in CSS pixels, is meant to select text. */
const MOVED = 5;

/**
 * Whether a click is meant for the row. A button or link in it does something of its own, who misses a checkbox means it, and who
 * selects text wants to copy it.
 * The second click of a double click may be meant for what was in this place before the first one changed the page.
 *
 * @param from where the button of the mouse was pressed
 */
function isPress(event: MouseEvent, from: { x: number; y: number }): boolean {
  const { target, currentTarget, detail, clientX, clientY } = event;
  // Clicks in a dialog or a menu of the row arrive here too, but happen elsewhere in the document.
  if (!(target instanceof Element) || !currentTarget.contains(target)) return false;
  const isControl = target.closest("a, button, input, select, label, td:has(input)") !== null;
  const isMoved = Math.hypot(clientX - from.x, clientY - from.y) > MOVED;
  return !isControl && !isMoved && detail <= 1 && window.getSelection()?.isCollapsed !== false;
}

/** A click in a row focuses nothing. What it opens returns the focus to where it was, so that the row keeps it. */
function focusFirstControl(row: Element): void {
  for (const control of row.querySelectorAll<HTMLElement>("button, a")) {
    control.focus({ preventScroll: true });
    if (document.activeElement === control) return;
  }
}

/**
 * A component of the same identity in every render. The library would take each new function of a column for a new
 * component, and so lose the focus, the state and the requests of what is in the cell.
 */
function CellContent<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  return <span className="contents">{column.cell(row)}</span>;
}

function ariaSort(sorted: "asc" | "desc" | undefined): "ascending" | "descending" | undefined {
  if (sorted === undefined) return undefined;
  return sorted === "asc" ? "ascending" : "descending";
}

function cellClasses<Row>(column: Column<Row> | undefined, extra?: string): string {
  return classNames(
    "min-[720px]:px-3 min-[720px]:py-2",
    column?.align === "end" ? "text-right tabular-nums" : "text-left",
    extra,
    column?.className,
  );
}
