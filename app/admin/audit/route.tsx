import { type ListedAuditEvent, listAuditEvents } from "#core/audit/list-audit-events.server.ts";
import type { List } from "#core/lists/paging.ts";
import { useShared } from "../../use-shared.ts";
import { loadForAdmin } from "../admin-routes.server.ts";
import { BulkActionDialog, useBulkActionDialog } from "../bulk-actions/bulk-action-dialog.tsx";
import { revalidateList } from "../dialogs/use-dialogs.ts";
import { ForAdmin, ListFailure } from "../lists/for-admin.tsx";
import { ListFilter, ListSection, SearchBox } from "../lists/list-section.tsx";
import { ListTable } from "../lists/list-table.tsx";
import { useListAddress } from "../lists/use-list-address.ts";
import type { Route } from "./+types/route";
import { columnsOf } from "./table.tsx";

export function loader(args: Route.LoaderArgs) {
  return loadForAdmin(args, listAuditEvents);
}

export const shouldRevalidate = revalidateList;

export function ErrorBoundary() {
  return <ListFailure message="Failed to fetch the audit log" />;
}

export default function Audit({ loaderData }: Route.ComponentProps) {
  return <ForAdmin data={loaderData}>{(list) => <AuditScreen list={list} />}</ForAdmin>;
}

const ACTORS = [
  { value: "", label: "Everybody" },
  { value: "admin", label: "Admins" },
  { value: "user", label: "Users" },
  { value: "visitor", label: "Visitors" },
  { value: "system", label: "The shop itself" },
];

/** Who did what, and when. A row about refused requests counts for an hour; all others stay as they are. */
export function AuditScreen({ list }: { list: List<ListedAuditEvent> }) {
  const address = useListAddress();
  const { timeZone } = useShared();
  const bulkAction = useBulkActionDialog();
  return (
    <ListSection
      list={list}
      empty={{
        title: "Nothing found",
        text: "Try a part of an email address or a name, a part of an action such as “coupon”, or a whole ID.",
      }}
      search={<SearchBox placeholder="Search by email, action or ID" />}
      filters={<ListFilter name="actor" label="Who" options={ACTORS} />}
    >
      <ListTable
        label="Audit log"
        columns={columnsOf(address, timeZone, bulkAction.open)}
        rows={list.rows}
        rowId={({ id }) => id}
      />
      <BulkActionDialog dialog={bulkAction} />
    </ListSection>
  );
}
