import type { List } from "#core/paging.ts";
import type { ListedPurchase } from "#core/purchases/list-purchases.server.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { ListSection } from "../lists/list-section.tsx";

const COLUMNS: Column<ListedPurchase>[] = [{ id: "name", header: "Tool", cell: ({ toolName }) => toolName }];

export function PurchasesScreen({ list }: { list: List<ListedPurchase> }) {
  return (
    <ListSection list={list} empty={{ title: "No purchases found" }}>
      <DataTable label="Purchases" columns={COLUMNS} rows={list.rows} rowId={({ id }) => id} />
    </ListSection>
  );
}
