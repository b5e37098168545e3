import type { ListedCoupon } from "#core/coupons/list-coupons.server.ts";
import type { List } from "#core/paging.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { ListSection } from "../lists/list-section.tsx";

const COLUMNS: Column<ListedCoupon>[] = [{ id: "name", header: "Code", cell: ({ code }) => code }];

export function CouponsScreen({ list }: { list: List<ListedCoupon> }) {
  return (
    <ListSection list={list} empty={{ title: "No coupon codes found" }}>
      <DataTable label="Coupons" columns={COLUMNS} rows={list.rows} rowId={({ id }) => id} />
    </ListSection>
  );
}
