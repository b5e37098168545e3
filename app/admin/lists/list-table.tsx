import type { RowData } from "@tanstack/react-table";
import ArrowDown from "lucide-react/icons/arrow-down";
import ArrowUp from "lucide-react/icons/arrow-up";
import type { ComponentProps } from "react";
import { DataTable } from "../../ui/data-table.tsx";
import { SelectField } from "../../ui/forms/fields.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { useShownAtOnce } from "./list-controls.tsx";
import type { ListColumn, Order } from "./sortable.tsx";
import { useListAddress } from "./use-list-address.ts";

interface ListTableProps<Row extends RowData> extends Omit<ComponentProps<typeof DataTable<Row>>, "columns"> {
  columns: readonly ListColumn<Row>[];
}

/** The table of a list. Its heads sort it; where its rows are cards, which have no heads, a select does. */
export function ListTable<Row extends RowData>({ columns, ...table }: ListTableProps<Row>) {
  const orders = columns.flatMap(({ order }) => (order === undefined ? [] : [order]));
  return (
    <>
      {orders.length === 0 ? null : <SortBy orders={orders} />}
      <DataTable columns={columns} {...table} />
    </>
  );
}

const NO_ORDER = { value: "", label: "Default" };

function SortBy({ orders }: { orders: readonly Order[] }) {
  const address = useListAddress();
  const current = orders.find(({ sorted }) => sorted !== undefined);
  const [shown, setShown] = useShownAtOnce(current?.sort ?? "");
  const options = orders.map(({ sort, label }) => ({ value: sort, label }));
  const isAscending = current?.sorted === "asc";
  const Arrow = isAscending ? ArrowUp : ArrowDown;
  return (
    <div className="flex items-center gap-2 border-line border-b px-3 py-1.5 min-[720px]:hidden">
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
