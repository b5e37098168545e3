import type { ListedTool } from "#core/catalog/list-tools-for-admin.server.ts";
import type { List } from "#core/paging.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { ListSection } from "../lists/list-section.tsx";

const COLUMNS: Column<ListedTool>[] = [{ id: "name", header: "Tool Name", cell: ({ name }) => name }];

export function ToolsScreen({ list }: { list: List<ListedTool> }) {
  return (
    <ListSection list={list} empty={{ title: "No tools found" }}>
      <DataTable label="Tools" columns={COLUMNS} rows={list.rows} rowId={({ id }) => id} />
    </ListSection>
  );
}
