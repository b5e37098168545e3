import type { ListedAccessCode } from "#core/access-codes/list-access-codes.server.ts";
import type { List } from "#core/paging.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { ListSection } from "../lists/list-section.tsx";

const COLUMNS: Column<ListedAccessCode>[] = [
  { id: "name", header: "Tool Name", cell: ({ toolName }) => toolName },
];

export function AccessCodesScreen({ list }: { list: List<ListedAccessCode> }) {
  return (
    <ListSection list={list} empty={{ title: "No access codes found" }}>
      <DataTable label="Access codes" columns={COLUMNS} rows={list.rows} rowId={({ id }) => id} />
    </ListSection>
  );
}
