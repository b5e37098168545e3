import type { ListedCredential } from "#core/credentials/list-credentials.server.ts";
import type { List } from "#core/paging.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { ListSection } from "../lists/list-section.tsx";

const COLUMNS: Column<ListedCredential>[] = [
  { id: "name", header: "Service", cell: ({ service }) => service },
];

export function CredentialsScreen({ list }: { list: List<ListedCredential> }) {
  return (
    <ListSection list={list} empty={{ title: "No credentials found" }}>
      <DataTable label="Credentials" columns={COLUMNS} rows={list.rows} rowId={({ id }) => id} />
    </ListSection>
  );
}
