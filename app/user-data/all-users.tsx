import type { ListedUser } from "#core/accounts/administration/list-users.server.ts";
import type { List } from "#core/paging.ts";
import { AdminDate } from "../admin/lists/admin-date.tsx";
import { SearchBox } from "../admin/lists/list-controls.tsx";
import { ListSection } from "../admin/lists/list-section.tsx";
import { useListAddress } from "../admin/lists/use-list-address.ts";
import { PROVIDER_NAMES } from "../admin/users/provider-names.ts";
import { type Column, DataTable } from "../ui/data-table.tsx";

const COLUMNS: readonly Column<ListedUser>[] = [
  {
    id: "email",
    header: "Email",
    cardLabel: null,
    cell: ({ email }) => <span className="break-all font-medium">{email}</span>,
  },
  { id: "provider", header: "Provider", cell: ({ provider }) => PROVIDER_NAMES[provider] },
  { id: "createdAt", header: "Signup Date", cell: ({ createdAt }) => <AdminDate date={createdAt} /> },
];

const counts = new Intl.NumberFormat("en-IN");

/** For admins: every account, a page at a time, and how many there are. */
export function AllUsers({ list }: { list: List<ListedUser> }) {
  const { total, totalIsExact } = list;
  const isSearch = useListAddress().get("q") !== "";
  return (
    <section aria-labelledby="all-users" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h2 id="all-users" className="text-lg">
          All users
        </h2>
        <p className="text-muted text-sm tabular-nums" role="status">
          {isSearch ? "Found" : "Total"}: {counts.format(total)}
          {totalIsExact ? "" : "+"}
        </p>
      </div>
      <ListSection
        list={list}
        controls={<SearchBox placeholder="Search users by email or name" />}
        empty={{ title: "No users found", text: "Try another search." }}
      >
        <DataTable label="All users" columns={COLUMNS} rows={list.rows} rowId={({ id }) => id} />
      </ListSection>
    </section>
  );
}
